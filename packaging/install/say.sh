# shellcheck shell=sh disable=SC2034,SC2154
# Tells what happens, and when a run ends early: what was done, what was not, and how to go on.
# Everything goes to standard error. No secret is ever given to these functions.

steps_count=0
steps_started=0
steps_done=
steps_ahead=
current_step=
later_remarks=

say() {
  printf 'install.sh: %s\n' "$*" >&2
}

# Said now, and once more at the end, where it is seen.
remark() {
  say "NOTE: $*"
  later_remarks="$later_remarks
install.sh: NOTE: $*"
}

begin_step() {
  current_step=$1
  steps_started=$((steps_started + 1))
  say "step $steps_started/$steps_count $1"
}

end_step() {
  steps_done="$steps_done $current_step"
  steps_ahead=${steps_ahead#" $current_step"}
  current_step=
}

# With --dry-run tells what would be done and fails, so that the step returns; else tells and goes on.
would() {
  if [ "$opt_dry_run" = yes ]; then
    say "  would $*"
    return 1
  fi
  say "  $*"
}

as_it_is() {
  say "  $* (nothing to do)"
}

# fail WHAT NEXT [CODE]: ends the run. Not for use inside $(...), which it could not end.
fail() {
  trap - EXIT
  say "ERROR: $1"
  tell_progress
  say "next: $2"
  drop_secrets
  exit "${3:-1}"
}

tell_progress() {
  if [ "$steps_count" -eq 0 ]; then
    say "nothing was done"
    return 0
  fi
  say "done:${steps_done:- nothing yet}"
  say "not done:$steps_ahead"
}

# The EXIT trap of a run that nobody ended in order: `set -e` met a command that failed.
ended_early() {
  code=$?
  trap - EXIT
  [ "$code" -eq 0 ] && exit 0
  say "ERROR: a command of the step ${current_step:-check} failed with code $code, see above"
  tell_progress
  say "next: run the same command again; steps that are done are not done twice"
  drop_secrets
  exit 1
}

interrupted() {
  trap - EXIT
  say "interrupted${current_step:+ in step $current_step}"
  tell_progress
  say "next: run the same command again; steps that are done are not done twice"
  drop_secrets
  exit 130
}

conclude() {
  trap - EXIT
  drop_secrets
  drop_work_dir
  [ -z "$later_remarks" ] || printf '%s\n' "${later_remarks#?}" >&2
  if [ "$opt_dry_run" = yes ]; then
    say "nothing was changed: this was a dry run"
  elif [ "$opt_uninstall" = yes ]; then
    say "removed"
  elif [ "$doctor_is_content" = yes ]; then
    say "monky-deployd $version runs on $opt_env"
  else
    say "monky-deployd $version is installed, but the doctor found faults"
    say "next: do what it says above, then run: $doctor_command"
    exit 1
  fi
}
