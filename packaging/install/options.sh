# shellcheck shell=sh disable=SC2034,SC2154
# Reads the command line into opt_*; judges only what can be judged by an option alone. Values may
# be secrets typed in the wrong place, so no value that is not understood is ever printed.

opt_env='' opt_site='' opt_token='' opt_token_file='' opt_bootstrap_file='' opt_enrol_jwt=''
opt_transport='' opt_version='' opt_docker_data_root='' opt_bao_ca='' opt_source='' opt_base_url=''
opt_laptop=no opt_uninstall=no opt_purge=no opt_dry_run=no
given=' '
wrong_count=0

usage() {
  cat <<'TEXT'
install.sh: puts monky-deployd on this box, or takes it away.

  install.sh --env E --site S --token-file F --bootstrap-file F [options]
  install.sh --uninstall [--purge] [--laptop] [--dry-run]

  --env E               the environment of this box, e.g. env-qa-02
  --site S              where the box stands, e.g. cbs
  --token-file F        file with the read-only deploy token (scope read_package_registry); - reads
                        standard input. MONKY_DEPLOYD_TOKEN in the environment does as well
  --token T             the same token; other users see it in the process list while this runs
  --bootstrap-file F    file with the bootstrap grant of the install kit
  --enrol-jwt F         file with the one-time enrolment token of the box's mesh identity
  --transport W         sdk (default), proxy or system: how the box reaches the mesh
  --version V           the release to install; default: the one of this script
  --docker-data-root D  where the Docker Engine keeps images, when not in /var/lib/docker
  --bao-ca F            PEM file with the CA of OpenBao
  --source W            gitlab (default, needs the token) or gitea
  --base-url U          address that holds the files of the release, in place of --source's
  --laptop              for your own user below ~/.local, without root; offline is normal
  --uninstall           stops and removes the program; config and state stay
  --purge               with --uninstall: removes config and state too
  --dry-run             says what would be done and changes nothing
  -h, --help            this text

Exit codes: 0 done, 1 a person is needed, 64 wrong input, 75 try again later, 130 interrupted.
TEXT
}

wrong() {
  wrong_count=$((wrong_count + 1))
  say "WRONG: $*"
}

read_options() {
  while [ $# -gt 0 ]; do
    option=$1
    case $option in
      -h | --help) usage; exit 0 ;;
      --laptop | --uninstall | --purge | --dry-run) set_option "$option" yes; shift; continue ;;
      --*=*) value=${option#*=} option=${option%%=*} taken=1 ;;
      *) value=${2-} taken=2 ;;
    esac
    case $option in
      --env | --site | --token | --token-file | --bootstrap-file | --enrol-jwt | --transport | \
        --version | --docker-data-root | --bao-ca | --source | --base-url) ;;
      --laptop | --uninstall | --purge | --dry-run) wrong "$option takes no value"; shift; continue ;;
      --*[!a-z-]* | --????????????????????*) wrong "an option is not known (its text is not shown)"; shift; continue ;;
      --*) wrong "there is no option $option; see --help"; shift; continue ;;
      *) wrong "an argument stands where an option is expected (its text is not shown)"; shift; continue ;;
    esac
    case $taken:$#:${value:---} in
      2:1:* | 2:*:-- | 1:*:--) wrong "$option needs a value"; shift; continue ;;
      2:*:--*) wrong "$option needs a value, and an option follows it"; shift; continue ;;
    esac
    set_option "$option" "$value"
    shift "$taken"
  done
  value='' option=''
}

# Options are known by now, so what is evaluated is made of their letters alone.
set_option() {
  case $given in
    *" $1 "*) wrong "$1 is given twice" ;;
  esac
  given="$given$1 "
  set_name=$(printf %s "${1#--}" | tr - _)
  set_value=$2
  eval "opt_$set_name=\$set_value"
  # shellcheck disable=SC2034 # eval reads it
  set_value=''
}

is_given() {
  case $given in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
  esac
}
