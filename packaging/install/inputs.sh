# shellcheck shell=sh disable=SC2034,SC2154
# Checks every input before anything is done, and tells all that is wrong at once: nothing is left
# half done because of a typing error. Commands are not traced while this runs.

check_inputs() {
  check_mode
  if [ "$opt_uninstall" = no ]; then
    check_names
    check_release
    check_paths
    check_grant
    check_enrolment
  fi
  [ "$wrong_count" -eq 0 ] && return 0
  say "nothing was done: $wrong_count wrong input(s). See --help"
  trap - EXIT
  drop_secrets
  exit 64
}

check_mode() {
  if [ "$opt_purge" = yes ] && [ "$opt_uninstall" = no ]; then
    wrong "--purge is only for --uninstall"
  fi
  if [ "$opt_uninstall" = yes ]; then
    for option in --site --token --token-file --bootstrap-file --enrol-jwt --transport --version \
      --docker-data-root --bao-ca --source --base-url; do
      if is_given "$option"; then wrong "$option has no meaning with --uninstall"; fi
    done
  fi
}

check_names() {
  check_name --env "$opt_env" env-qa-02
  check_name --site "$opt_site" cbs
  case $opt_transport in
    '' | sdk | proxy | system) ;;
    *) wrong "--transport is none of sdk, proxy, system" ;;
  esac
  found=$(yaml_value "$config_file" env_id)
  if [ -n "$found" ] && [ -n "$opt_env" ] && [ "$found" != "$opt_env" ]; then
    wrong "--env $opt_env: this box belongs to $found ($config_file); --uninstall --purge first"
  fi
}

check_name() {
  case $2 in
    '') is_given "$1" || wrong "$1 is missing, e.g. $1 $3" ;;
    *[!a-z0-9-]*) wrong "$1 may hold a-z, 0-9 and - alone, e.g. $3" ;;
  esac
  [ ${#2} -le 63 ] || wrong "$1 is longer than 63 characters"
}

check_release() {
  case $opt_source in
    '' | gitlab | gitea) ;;
    *) wrong "--source is neither gitlab nor gitea" ;;
  esac
  case $version in
    '' | @*) wrong "--version is missing: this copy of the script belongs to no release" ;;
    *[!0-9A-Za-z.+~-]* | [!0-9]* | *..*) wrong "--version is no version, e.g. 0.2.0" ;;
    *.*.*) ;;
    *) wrong "--version is not whole, e.g. 0.2.0" ;;
  esac
  case $opt_base_url in
    '')
      if [ "$source" = gitlab ] && [ -z "$token" ] && ! is_given --token && ! is_given --token-file; then
        wrong "--token-file is missing: the release is in a private GitLab project; the install kit holds the token"
      fi
      ;;
    *[!A-Za-z0-9._~:/%+-]*) wrong "--base-url holds characters that an address of files has not (no query, no account)" ;;
    https://?*) ;;
    http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    http://*)
      if [ -n "$token" ]; then wrong "--base-url: the token would travel in clear text over http; use https"; fi
      ;;
    *) wrong "--base-url does not begin with https://" ;;
  esac
}

check_paths() {
  case $opt_docker_data_root in
    '') ;;
    *[!A-Za-z0-9._/@+-]*) wrong "--docker-data-root holds characters other than A-Z a-z 0-9 . _ / @ + -" ;;
    */../* | */..) wrong "--docker-data-root holds .." ;;
    /?*) [ -d "$opt_docker_data_root" ] || wrong "--docker-data-root: $opt_docker_data_root is no folder" ;;
    *) wrong "--docker-data-root is no absolute path" ;;
  esac
  if [ -n "$opt_bao_ca" ] && ! is_readable_file --bao-ca "$opt_bao_ca"; then return 0; fi
  if [ -n "$opt_bao_ca" ] && ! grep -q -e '-----BEGIN CERTIFICATE-----' "$opt_bao_ca"; then
    wrong "--bao-ca: $opt_bao_ca holds no PEM certificate"
  elif [ -n "$opt_bao_ca" ] && grep -q -e 'PRIVATE KEY-----' "$opt_bao_ca"; then
    wrong "--bao-ca: $opt_bao_ca holds a private key, which is not for this box"
  fi
}

is_readable_file() {
  if [ -f "$2" ] && [ -r "$2" ]; then return 0; fi
  wrong "$1: there is no file $2 that you may read"
  return 1
}

check_grant() {
  if [ -z "$opt_bootstrap_file" ]; then
    is_given --bootstrap-file || [ -e "$bootstrap_file" ] || [ -e "$state_dir/session.json" ] ||
      wrong "--bootstrap-file is missing: the grant of the install kit, by which the box logs in first"
    return 0
  fi
  is_readable_file --bootstrap-file "$opt_bootstrap_file" || return 0
  warn_of_readers --bootstrap-file "$opt_bootstrap_file"
  if ! looks_like_jwt "$opt_bootstrap_file"; then
    wrong "--bootstrap-file: $opt_bootstrap_file holds no grant (three parts with dots between)"
  elif [ "$(jwt_claim kind "$opt_bootstrap_file")" != deploy-grant ]; then
    if [ -n "$(jwt_claim em "$opt_bootstrap_file")" ]; then
      wrong "--bootstrap-file: $opt_bootstrap_file is an enrolment token, which goes to --enrol-jwt"
    else
      wrong "--bootstrap-file: $opt_bootstrap_file is a token of another kind than a deploy grant"
    fi
  elif [ "$(jwt_claim env_id "$opt_bootstrap_file")" != "$opt_env" ]; then
    wrong "--bootstrap-file: the grant is for another environment than --env"
  elif jwt_is_over "$opt_bootstrap_file" && ! grant_is_known; then
    wrong "--bootstrap-file: the grant has expired (it lives 1 h): reveal the install kit again. Is this clock right? $(date)"
  fi
}

check_enrolment() {
  [ -n "$opt_enrol_jwt" ] || return 0
  # An identity that is there needs no enrolment, and its token is of no further use.
  [ ! -s "$identity_file" ] || return 0
  is_readable_file --enrol-jwt "$opt_enrol_jwt" || return 0
  warn_of_readers --enrol-jwt "$opt_enrol_jwt"
  if ! looks_like_jwt "$opt_enrol_jwt"; then
    wrong "--enrol-jwt: $opt_enrol_jwt holds no enrolment token (three parts with dots between)"
  elif [ "$(jwt_claim kind "$opt_enrol_jwt")" = deploy-grant ]; then
    wrong "--enrol-jwt: $opt_enrol_jwt is a grant, which goes to --bootstrap-file"
  elif [ -z "$(jwt_claim em "$opt_enrol_jwt")" ]; then
    wrong "--enrol-jwt: $opt_enrol_jwt is a token of another kind than for enrolment"
  elif jwt_is_over "$opt_enrol_jwt"; then
    wrong "--enrol-jwt: the enrolment token has expired: reveal the install kit again. Is this clock right? $(date)"
  fi
}
