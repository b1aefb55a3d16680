# shellcheck shell=sh disable=SC2034,SC2154
# Where everything lies, for a box and for a laptop, and whether this machine can take it at all.

# Another root to work below: for tests alone.
root=${MONKY_INSTALL_ROOT-}
agent=monky-deployd
version=${release_version}
work_dir=''

choose_places() {
  case $opt_version in ?*) version=$opt_version ;; esac
  source=${opt_source:-gitlab}
  if [ "$opt_laptop" = yes ]; then
    : "${HOME:?is not set}"
    config_dir=${XDG_CONFIG_HOME:-$HOME/.config}/monky-deployd
    state_dir=${XDG_STATE_HOME:-$HOME/.local/state}/monky-deployd
    work_dir=${XDG_CACHE_HOME:-$HOME/.cache}/monky-deployd-install
    unit_dir=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
    program_dir=$HOME/.local/lib/monky-deployd
    command_file=$HOME/.local/bin/monky-deployd
    identity_dir=$config_dir
    bridge_dir=$program_dir/lib/monky-deployd/ziti-bridge
    doctor_command="$command_file doctor"
  else
    config_dir=$root/etc/monky-deployd
    state_dir=$root/var/lib/monky-deployd
    work_dir=$root/var/cache/monky-deployd-install
    identity_dir=$root/opt/openziti/etc/identities
    bridge_dir=$root/usr/lib/monky-deployd/ziti-bridge
    doctor_command="monky-deployd doctor"
  fi
  config_file=$config_dir/config.yaml
  bootstrap_file=$config_dir/bootstrap.jwt
  grant_mark=$config_dir/.bootstrap.sha256
  ca_file=$config_dir/openbao-ca.pem
  identity_file=$identity_dir/monky-host.$opt_env.json
  trap ended_early EXIT
  trap interrupted INT TERM HUP
}

# What must hold before the first step, since no step could bring it about.
check_box() {
  if [ "$opt_laptop" = yes ]; then
    check_laptop
    return 0
  fi
  [ "$(id -u)" -eq 0 ] ||
    fail "this must run as root: it installs packages" "run it with sudo, or with --laptop for your own user"
  for program in dpkg apt-get systemctl; do
    has "$program" || fail "$program is missing: this is for Debian and its kin under systemd" \
      "on another system unpack the tar.gz of the release by hand (README)"
  done
  [ -d "$root/run/systemd/system" ] ||
    fail "systemd does not run here, so nothing would start the agent" "run this on the box itself"
  if [ "$opt_uninstall" = yes ]; then return 0; fi
  check_architecture
  check_node
}

check_architecture() {
  architecture=$(dpkg --print-architecture)
  [ "$architecture" = amd64 ] ||
    fail "this is $architecture, and the release is for amd64 alone" "use another box"
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# put_file FILE MODE OWNER: standard input becomes FILE in one step, whole or not at all.
put_file() {
  new_file=$1.new
  cat >"$new_file"
  chmod "$2" "$new_file"
  if [ "$opt_laptop" = no ]; then chown "$3" "$new_file"; fi
  mv -f -- "$new_file" "$1"
}

# Without regard to the umask of this script, all the way down.
make_public_dir() {
  (umask 022 && mkdir -p -- "$1")
}

# The folder for downloads and the token's header, for this user alone.
make_work_dir() {
  make_public_dir "$(dirname -- "$work_dir")"
  [ -d "$work_dir" ] || mkdir -m 700 -- "$work_dir"
  if [ -L "$work_dir" ] || [ ! -O "$work_dir" ]; then
    fail "$work_dir belongs to somebody else" "look at it, remove it, and run this again"
  fi
  chmod 700 "$work_dir"
}

drop_work_dir() {
  if [ -n "$work_dir" ] && [ -d "$work_dir" ] && [ "$opt_dry_run" = no ]; then rm -rf -- "$work_dir"; fi
}
