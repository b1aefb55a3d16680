# shellcheck shell=sh disable=SC2034,SC2154
# What starts the agent, and the doctor's last word. The loop keeps one bridge to the mesh, so it
# serves transport sdk; the timer serves the others (SPEC §7).

doctor_is_content=no

# Whether both ports of transport proxy are listened on, as the kernel lists it.
proxy_listens() {
  port_listens "$(yaml_value "$config_file" tenancy.proxy_addr)" 18443 &&
    port_listens "$(yaml_value "$config_file" bao.proxy_addr)" 18200
}

# port_listens ADDRESS DEFAULT_PORT
port_listens() {
  port=${1##*:}
  hexadecimal=$(printf '%04X' "${port:-$2}")
  grep -q -s -E "^ *[0-9]+: [0-9A-F]+:$hexadecimal [0-9A-F]+:0000 0A " \
    "$root/proc/net/tcp" "$root/proc/net/tcp6"
}

step_units() {
  case $(effective_transport) in
    sdk)
      start_tunneler ziti-edge-tunnel.service
      switch_units monky-deployd.timer monky-deployd-run.service
      ;;
    system)
      start_tunneler ziti-edge-tunnel.service
      switch_units monky-deployd-run.service monky-deployd.timer
      ;;
    proxy)
      proxy_listens || start_tunneler monky-deployd-proxy.service
      switch_units monky-deployd-run.service monky-deployd.timer
      ;;
  esac
}

# A tunneler that runs already has not seen an identity that was enrolled since: the mark of the
# enrolment stays until it has.
start_tunneler() {
  if [ -e "$identity_dir/.enrolled" ] && systemctl --quiet is-active "$1"; then
    would "let $1 load the new identity" || return 0
    systemctl restart "$1"
  fi
  start_unit "$1"
  if [ "$opt_dry_run" = no ]; then rm -f -- "$identity_dir/.enrolled"; fi
}

# An operator who runs the loop where the timer would do has decided so, and the other way round.
switch_units() {
  if systemctl --quiet is-enabled "$1" 2>/dev/null; then
    if [ -z "$opt_transport" ]; then
      as_it_is "$1 is enabled"
      return 0
    fi
    would "stop $1, which $2 replaces" || return 0
    systemctl --quiet disable --now "$1"
  fi
  start_unit "$2"
}

start_unit() {
  if systemctl --quiet is-enabled "$1" 2>/dev/null && systemctl --quiet is-active "$1"; then
    as_it_is "$1 is enabled and runs"
    return 0
  fi
  would "enable and start $1" || return 0
  systemctl daemon-reload
  if ! systemctl --quiet enable --now "$1"; then
    fail "$1 does not start" "see: systemctl status $1; journalctl -u $1; then run the same command again"
  fi
}

# The first tick begins now and not within a minute; where the loop runs, it began with it.
step_first_tick() {
  if [ ! -e "$bootstrap_file" ] || [ -e "$state_dir/session.json" ] ||
    [ "$(effective_transport)" = sdk ]; then
    as_it_is "the next tick comes by itself"
    return 0
  fi
  would "start a tick" || return 0
  systemctl start --no-block monky-deployd.service
}

# The tunneler may need a moment to reach the mesh, so the doctor is asked three times.
step_doctor() {
  would "ask the doctor: $doctor_command" || return 0
  for tries_left in 2 1 0; do
    if $doctor_command >&2; then
      doctor_is_content=yes
      return 0
    fi
    if [ "$opt_laptop" = yes ] || [ "$tries_left" -eq 0 ]; then break; fi
    say "  the doctor looks again in 5 s"
    sleep 5
  done
  if [ "$opt_laptop" = yes ]; then
    say "  for a laptop that is offline, complaints of the doctor are normal"
    doctor_is_content=yes
  fi
}
