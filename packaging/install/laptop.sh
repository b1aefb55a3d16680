# shellcheck shell=sh disable=SC2034,SC2154
# For a developer's own user: the files of the tar.gz below ~/.local, units of the user's systemd,
# laptop_mode in the config. Nothing here needs or uses root.

check_laptop() {
  [ "$(id -u)" -ne 0 ] ||
    fail "--laptop installs for one user, and this runs as root" "run it as yourself, without sudo"
  for program in curl tar systemctl; do
    has "$program" || fail "$program is missing" "install it (it needs root), then run the same command again"
  done
  if [ "$opt_uninstall" = yes ]; then return 0; fi
  systemctl --user show-environment >/dev/null 2>&1 ||
    fail "systemd does not run for this user, so nothing would start the agent" "log in on the machine itself, then run the same command again"
  check_docker_access
  check_node
}

check_docker_access() {
  socket=$root/var/run/docker.sock
  [ -e "$socket" ] ||
    fail "there is no Docker Engine (no $socket)" "install Docker, then run the same command again"
  [ -w "$socket" ] ||
    fail "you may not use the Docker Engine" "join its group: sudo usermod -aG docker $(id -un); log in anew; then run the same command again"
}

laptop_has_version() {
  [ -x "$command_file" ] && [ "$(cat -- "$program_dir/version" 2>/dev/null)" = "$version" ]
}

# Unpacked beside and renamed: a killed run leaves the old version or the new one.
step_laptop_unpack() {
  if laptop_has_version; then
    as_it_is "monky-deployd $version is unpacked"
    return 0
  fi
  would "unpack monky-deployd $version to $program_dir" || return 0
  tree=$work_dir/tree
  rm -rf -- "$program_dir.new" "$tree"
  mkdir -p -- "$tree" "$(dirname -- "$program_dir")" "$(dirname -- "$command_file")"
  tar -xzf "$work_dir/$release_file" -C "$tree" --no-same-owner
  launcher=$(find "$tree" -path '*/bin/monky-deployd' -type f | head -n 1)
  [ -n "$launcher" ] ||
    fail "$release_file holds no bin/monky-deployd" "tell whoever publishes the release"
  cp -R -- "${launcher%/bin/monky-deployd}" "$program_dir.new"
  printf '%s\n' "$version" >"$program_dir.new/version"
  rm -rf -- "$program_dir"
  mv -- "$program_dir.new" "$program_dir"
  laptop_command | put_file "$command_file" 755
}

# The command with the config of this user, unless another is named.
laptop_command() {
  cat <<TEXT
#!/bin/sh
# Written by install.sh --laptop: monky-deployd with this user's config.
for word in "\$@"; do
  case \$word in --config | --config=*) exec '$program_dir/bin/monky-deployd' "\$@" ;; esac
done
[ \$# -gt 0 ] || exec '$program_dir/bin/monky-deployd'
command=\$1
shift
exec '$program_dir/bin/monky-deployd' "\$command" --config '$config_file' "\$@"
TEXT
}

step_laptop_units() {
  put_unit monky-deployd.service "Monky deploy agent, one tick" "Type=oneshot" tick ''
  put_unit monky-deployd-run.service "Monky deploy agent, loop" "Restart=always
RestartSec=30" run default.target
  put_timer
  [ "$opt_dry_run" = yes ] || systemctl --user daemon-reload
  if [ "$(effective_transport)" = sdk ]; then
    laptop_switch monky-deployd.timer monky-deployd-run.service
  else
    laptop_switch monky-deployd-run.service monky-deployd.timer
  fi
}

# put_unit NAME DESCRIPTION LINES COMMAND WANTED_BY
put_unit() {
  {
    printf '[Unit]\nDescription=%s\n\n[Service]\n%s\n' "$2" "$3"
    printf 'ExecStart="%s" %s\n' "$command_file" "$4"
    printf 'SuccessExitStatus=75\nKillMode=mixed\nTimeoutStopSec=60\nUMask=0077\nLimitCORE=0\n'
    [ -z "$5" ] || printf '\n[Install]\nWantedBy=%s\n' "$5"
  } | put_unit_file "$1"
}

put_timer() {
  put_unit_file monky-deployd.timer <<'TEXT'
[Unit]
Description=Monky deploy agent, a tick each minute

[Timer]
OnCalendar=minutely
RandomizedDelaySec=20
AccuracySec=1

[Install]
WantedBy=timers.target
TEXT
}

put_unit_file() {
  unit_text=$(cat)
  if [ "$(cat -- "$unit_dir/$1" 2>/dev/null)" = "$unit_text" ]; then return 0; fi
  would "write $unit_dir/$1" || return 0
  mkdir -p -- "$unit_dir"
  printf '%s\n' "$unit_text" | put_file "$unit_dir/$1" 644
}

laptop_switch() {
  if systemctl --user --quiet is-enabled "$1" 2>/dev/null; then
    would "stop $1, which $2 replaces" || return 0
    systemctl --user --quiet disable --now "$1"
  fi
  if systemctl --user --quiet is-enabled "$2" 2>/dev/null && systemctl --user --quiet is-active "$2"; then
    as_it_is "$2 is enabled and runs"
    return 0
  fi
  would "enable and start $2" || return 0
  systemctl --user --quiet enable --now "$2" ||
    fail "$2 does not start" "see: systemctl --user status $2; then run the same command again"
}
