#!/bin/sh
# install.sh: puts monky-deployd on a box, brings it up to a version, or takes it away.
#
# Owns the order of the steps. Each step looks first and does only what is missing, so that a run
# that was killed anywhere is ended by the same command. The steps stand in install/*.sh, a screen
# each; `deno task build` puts them into one file, which is what a box downloads (SPEC §11).
# POSIX sh, for dash and bash. No secret stands in a variable while commands are traced.
{ was_traced=$- && set +xa; } 2>/dev/null
set -eu
umask 077
# Taken out of the environment before any program is started, which would inherit it.
token=${MONKY_DEPLOYD_TOKEN-}
unset MONKY_DEPLOYD_TOKEN

# The release that this copy belongs to; the build fills it in.
release_version=@VERSION@
# shellcheck disable=SC2034 # of no use once the parts stand in here
here=$(dirname -- "$0")

# shellcheck source=packaging/install/say.sh
. "$here/install/say.sh"
# shellcheck source=packaging/install/options.sh
. "$here/install/options.sh"
# shellcheck source=packaging/install/secrets.sh
. "$here/install/secrets.sh"
# shellcheck source=packaging/install/inputs.sh
. "$here/install/inputs.sh"
# shellcheck source=packaging/install/places.sh
. "$here/install/places.sh"
# shellcheck source=packaging/install/fetch.sh
. "$here/install/fetch.sh"
# shellcheck source=packaging/install/packages.sh
. "$here/install/packages.sh"
# shellcheck source=packaging/install/identity.sh
. "$here/install/identity.sh"
# shellcheck source=packaging/install/config.sh
. "$here/install/config.sh"
# shellcheck source=packaging/install/units.sh
. "$here/install/units.sh"
# shellcheck source=packaging/install/laptop.sh
. "$here/install/laptop.sh"
# shellcheck source=packaging/install/remove.sh
. "$here/install/remove.sh"

main() {
  read_options "$@"
  shift $#
  choose_places
  read_secrets
  check_inputs
  trace_again
  check_box
  case $opt_uninstall:$opt_laptop in
    yes:yes) run_steps laptop_stop containers laptop_remove ;;
    yes:*) run_steps stop containers remove leftovers ;;
    *:yes) run_steps tools download laptop_unpack addon identity config grant laptop_units doctor ;;
    *) run_steps tools docker compose download package addon tunneler identity access config grant \
      units first_tick doctor ;;
  esac
  conclude
}

# Each step is a function step_NAME; what it leaves undone is named by whatever ends the run early.
run_steps() {
  for step in "$@"; do steps_ahead="$steps_ahead $step"; done
  steps_count=$#
  for step in "$@"; do
    begin_step "$step"
    "step_$step"
    end_step
  done
}

# The last line: a script that arrives cut off, through a pipe, does nothing.
main "$@"
