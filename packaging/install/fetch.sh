# shellcheck shell=sh disable=SC2034,SC2154
# Fetches the files of the release and believes none of them before its checksum is right. The
# token goes to the server of the release alone: a redirect to another host is followed without it.

project_69=https://scm.tikali.ai/api/v4/projects/69/packages/generic/monky-deployd
gitea_project=https://gitea.cbs.tikali.net/tikali/monky-deployd

release_url() {
  case $opt_base_url:$source in
    ?*:*) printf '%s' "${opt_base_url%/}" ;;
    :gitea) printf '%s' "$gitea_project/releases/download/v$version" ;;
    *) printf '%s' "$project_69/$version" ;;
  esac
}

step_download() {
  if [ "$opt_laptop" = yes ]; then
    release_file=monky-deployd_${version}_linux_amd64.tar.gz
    if laptop_has_version; then as_it_is "monky-deployd $version is unpacked"; return 0; fi
  else
    release_file=monky-deployd_${version}_amd64.deb
    if package_is_whole; then as_it_is "monky-deployd $version is installed"; return 0; fi
  fi
  would "fetch $release_file from $(release_url)" || return 0
  make_work_dir
  keep_header
  fetch_from_release SHA256SUMS
  sum=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$release_file\$/\1/p" "$work_dir/SHA256SUMS")
  [ -n "$sum" ] ||
    fail "SHA256SUMS of this release does not name $release_file" "check --version and --base-url: is it the folder of a release?"
  if file_has_sum; then
    say "  $release_file is here already, from an earlier run"
  else
    fetch_from_release "$release_file"
    file_has_sum || refuse_file
  fi
  drop_secrets
}

file_has_sum() {
  [ -f "$work_dir/$release_file" ] &&
    [ "$(sha256sum <"$work_dir/$release_file" | cut -d ' ' -f 1)" = "$sum" ]
}

refuse_file() {
  found=$(sha256sum <"$work_dir/$release_file" | cut -d ' ' -f 1)
  rm -f -- "$work_dir/$release_file"
  fail "checksum of $release_file is $found, and SHA256SUMS says $sum; it was not run and is removed" \
    "run this again; when it stays so, the release is damaged: tell whoever publishes it" 1
}

# fetch_from_release NAME: leaves NAME in the work folder, whole, or ends the run and says why.
# Not traced: the target of a redirect carries a signature of its own.
fetch_from_release() {
  { set +x; } 2>/dev/null
  part=$work_dir/$1.part
  url=$(release_url)/$1
  ask "$url"
  case $answer in
    30[12378]\ http*) follow_redirect "${answer#* }" ;;
  esac
  answer=${answer%% *}
  trace_again
  if [ "$answer" != 200 ]; then
    rm -f -- "$part"
    refuse_answer "$1"
  fi
  mv -f -- "$part" "$work_dir/$1"
}

# Sets $answer to the status and a redirect's target; to 000 when there is no answer.
ask() {
  answer=$(curl --silent --show-error --proto '=http,https' --connect-timeout 20 --max-time 1800 \
    --retry 2 --retry-connrefused --output "$part" --write-out '%{http_code} %{redirect_url}' \
    ${header_file:+--header "@$header_file"} --url "$1") || answer='000'
}

# GitLab may send the download on to its object storage, which must not see the token.
follow_redirect() {
  case $1 in
    https://*) ;;
    *) [ "${1%%://*}" = "${url%%://*}" ] || { answer=insecure && return 0; } ;;
  esac
  answer=$(printf 'url = "%s"\n' "$1" | curl --config - --silent --show-error --location \
    --proto '=http,https' --proto-redir '=https' --connect-timeout 20 --max-time 1800 --retry 2 \
    --output "$part" --write-out '%{http_code}') || answer='000'
}

refuse_answer() {
  again="run the same command again; what is fetched already is kept"
  case $answer in
    401)
      fail "the server answers 401 for $1: it does not accept the token (it is missing, mistyped, expired, revoked, or lacks the scope read_package_registry)" \
        "take the deploy token from the install kit, or have a new one made, then $again"
      ;;
    403) fail "the server answers 403 for $1: the token is known, but may not read this project" "use the deploy token of the monky-deployd project, then $again" ;;
    404) fail "the server answers 404 for $1: there is no release $version there, or the token may not see it" "check --version, --source and the token, then $again" ;;
    insecure) fail "the server sends $1 elsewhere over plain http" "tell whoever runs the server; --base-url takes another" ;;
    000) fail "$(release_url) cannot be reached, see above" "check network, DNS and proxy of this box, then $again" 75 ;;
    5?? | 429 | 408) fail "the server answers $answer for $1" "wait a minute, then $again" 75 ;;
    *) fail "the server answers $answer for $1" "check --base-url, then $again" ;;
  esac
}
