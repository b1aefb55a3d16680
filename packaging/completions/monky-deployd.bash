# bash completion for monky-deployd
_monky_deployd() {
  local word previous command="" i
  word="${COMP_WORDS[COMP_CWORD]}"
  previous="${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$previous" in
    --config) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --log-format) mapfile -t COMPREPLY < <(compgen -W "auto terminal journal json" -- "$word"); return ;;
    --log-level) mapfile -t COMPREPLY < <(compgen -W "debug info warn error" -- "$word"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "flags systemd json" -- "$word"); return ;;
    --of) mapfile -t COMPREPLY < <(compgen -W "tick doctor" -- "$word"); return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in
      tick|run|plan|status|history|doctor|permissions|config|render|version|help|completions) command="${COMP_WORDS[i]}"; break ;;
    esac
  done
  case "$command" in
    "") mapfile -t COMPREPLY < <(compgen -W "tick run plan status history doctor permissions config render version help completions" -- "$word") ;;
    tick) mapfile -t COMPREPLY < <(compgen -W "--now --config --log-format --log-level --help" -- "$word") ;;
    run) mapfile -t COMPREPLY < <(compgen -W "--config --log-format --log-level --help" -- "$word") ;;
    plan) mapfile -t COMPREPLY < <(compgen -W "--json --config --log-format --log-level --help" -- "$word") ;;
    status) mapfile -t COMPREPLY < <(compgen -W "--json --config --log-format --log-level --help" -- "$word") ;;
    history) mapfile -t COMPREPLY < <(compgen -W "--json --config --log-format --log-level --help" -- "$word") ;;
    doctor) mapfile -t COMPREPLY < <(compgen -W "--json --config --log-format --log-level --help" -- "$word") ;;
    permissions) mapfile -t COMPREPLY < <(compgen -W "--format --of --config --log-format --log-level --help" -- "$word") ;;
    config) mapfile -t COMPREPLY < <(compgen -W "check show --config --log-format --log-level --help" -- "$word") ;;
    render) mapfile -t COMPREPLY < <(compgen -W "--names --config --log-format --log-level --help" -- "$word") ;;
    version) mapfile -t COMPREPLY < <(compgen -W "--json --config --log-format --log-level --help" -- "$word") ;;
    help) mapfile -t COMPREPLY < <(compgen -W "tick run plan status history doctor permissions config render version help completions --config --log-format --log-level --help" -- "$word") ;;
    completions) mapfile -t COMPREPLY < <(compgen -W "bash zsh fish --config --log-format --log-level --help" -- "$word") ;;
  esac
}
complete -F _monky_deployd monky-deployd
