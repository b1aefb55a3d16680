# shellcheck shell=sh disable=SC2034,SC2154
# The token of the download, the grant and the enrolment token. While this runs, commands are not
# traced; afterwards no variable holds a secret but $token, which only these functions touch. A
# secret reaches another program through a file with mode 0600 or a pipe, never as an argument.

header_file=''

read_secrets() {
  if is_given --token && is_given --token-file; then
    wrong "--token and --token-file are both given: one of them is enough"
  fi
  if is_given --token; then
    token=$opt_token
    remark "--token stands in the process list while this script runs; --token-file does not"
  elif [ "$opt_token_file" = - ]; then
    IFS= read -r token || [ -n "$token" ] || wrong "--token-file -: standard input holds no token"
  elif is_given --token-file; then
    read_token_file
  fi
  opt_token=''
  case $token in
    *[!A-Za-z0-9._~+/=-]*)
      wrong "the token holds characters that no deploy token has: is it another file, or more than one line?"
      ;;
  esac
}

read_token_file() {
  if [ ! -f "$opt_token_file" ] || [ ! -r "$opt_token_file" ]; then
    wrong "--token-file: there is no file $opt_token_file that you may read"
    return 0
  fi
  token=$(cat -- "$opt_token_file")
  [ -n "$token" ] || wrong "--token-file: $opt_token_file is empty"
  warn_of_readers --token-file "$opt_token_file"
}

# A file of the kit that everybody may read is worth a word, but no reason to stop.
warn_of_readers() {
  case $(stat -L -c %A -- "$2") in
    ???????r??) remark "$1: every user can read $2; remove it when this is done" ;;
  esac
}

# curl reads the header from this file; the name of the file is all that its arguments show.
keep_header() {
  { set +x; } 2>/dev/null
  if [ -n "$token" ]; then
    header_file=$work_dir/header
    case $source in
      gitea) printf 'Authorization: token %s\n' "$token" >"$header_file" ;;
      *) printf 'DEPLOY-TOKEN: %s\n' "$token" >"$header_file" ;;
    esac
  fi
  token=''
  trace_again
}

drop_secrets() {
  { set +x; } 2>/dev/null
  token=''
  rm -f -- "$work_dir/header"
}

# `sh -x install.sh` traces what follows the reading of the secrets.
trace_again() {
  case $was_traced in
    *x*) set -x ;;
  esac
}

# jwt_claim NAME FILE: the text or number of a claim, or nothing. Values come through pipes.
jwt_claim() {
  jwt_payload "$2" | sed -n "s/.*\"$1\" *: *\"\{0,1\}\([^\",}]*\).*/\1/p"
}

jwt_payload() {
  payload=$(tr -d '\n\r ' <"$1" | cut -d . -f 2 | tr -- '-_' '+/')
  case $((${#payload} % 4)) in
    2) payload="$payload==" ;;
    3) payload="$payload=" ;;
  esac
  printf %s "$payload" | base64 -d 2>/dev/null | tr -d '\n' || :
}

looks_like_jwt() {
  [ "$(tr -d '\n\r ' <"$1" | grep -c -E '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$')" = 1 ] &&
    [ "$(wc -c <"$1")" -le 16384 ] && [ -n "$(jwt_claim exp "$1")" ]
}

# jwt_is_over FILE: whether its time has passed, by the clock of this box.
jwt_is_over() {
  end=$(jwt_claim exp "$1")
  case $end in
    '' | *[!0-9]*) return 0 ;;
  esac
  [ "$(date +%s)" -ge "$end" ]
}
