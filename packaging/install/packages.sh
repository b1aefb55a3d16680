# shellcheck shell=sh disable=SC2034,SC2154
# Packages of the box: what the agent needs, only when it is missing, and the agent itself.

# Where docker looks for it, and the agent too.
compose_plugins="$root/usr/local/lib/docker/cli-plugins/docker-compose
  $root/usr/local/libexec/docker/cli-plugins/docker-compose
  $root/usr/lib/docker/cli-plugins/docker-compose $root/usr/libexec/docker/cli-plugins/docker-compose"
lists_are_fresh=no

# One quiet apt-get; its last lines are shown when it fails.
run_apt() {
  make_work_dir
  # What packages make is for every user of the box.
  if ! (umask 022 && DEBIAN_FRONTEND=noninteractive exec apt-get -q -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@") \
    </dev/null >"$work_dir/apt.log" 2>&1; then
    tail -n 15 "$work_dir/apt.log" >&2
    fail "apt-get $1 failed, see above" "mend apt (apt-get update; apt-get -f install), then run the same command again"
  fi
}

# A package that a killed run left half configured stops every other one.
mend_dpkg() {
  if [ -n "$(dpkg --audit)" ]; then
    say "  dpkg was interrupted; configuring what is unpacked"
    (umask 022 && dpkg --configure -a) </dev/null >&2 || :
  fi
}

fresh_lists() {
  mend_dpkg
  [ "$lists_are_fresh" = yes ] || run_apt update
  lists_are_fresh=yes
}

# The version of a package that apt would install now; nothing when there is none.
candidate() {
  apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9][^ ]*\).*/\1/p'
}

add_packages() {
  would "install $*" || return 0
  fresh_lists
  run_apt install --no-install-recommends "$@"
}

step_tools() {
  if [ "$opt_laptop" = yes ]; then
    as_it_is "curl, tar and systemd are there"
    return 0
  fi
  missing=''
  has curl || missing="$missing curl"
  has setfacl || missing="$missing acl"
  [ -e "$root/etc/ssl/certs/ca-certificates.crt" ] || missing="$missing ca-certificates"
  if [ -z "$missing" ]; then
    as_it_is "curl, setfacl and the system's CAs are there"
    return 0
  fi
  # shellcheck disable=SC2086
  add_packages $missing
}

step_docker() {
  if [ -e "$root/var/run/docker.sock" ] || has dockerd; then
    as_it_is "there is a Docker Engine"
    return 0
  fi
  if [ -n "$opt_docker_data_root" ] && [ ! -e "$root/etc/docker/daemon.json" ]; then
    if would "let the Docker Engine keep its data in $opt_docker_data_root"; then
      make_public_dir "$root/etc/docker"
      printf '{"data-root": "%s"}\n' "$opt_docker_data_root" | put_file "$root/etc/docker/daemon.json" 644 root:root
    fi
  fi
  add_packages docker.io
}

step_compose() {
  if [ -n "$(compose_plugin)" ]; then
    as_it_is "compose is $(compose_plugin)"
    return 0
  fi
  would "install the docker compose plugin" || return 0
  fresh_lists
  for package in docker-compose-plugin docker-compose-v2 docker-compose; do
    case $(candidate "$package") in
      # Debian 12 calls version 1, which is another program, docker-compose too.
      '' | 0.* | 1.*) ;;
      *) run_apt install --no-install-recommends "$package"; return 0 ;;
    esac
  done
  # shellcheck source=/dev/null
  distribution=$(. "$root/etc/os-release" && printf '%s %s' "$ID" "$VERSION_CODENAME")
  add_source docker https://download.docker.com/linux/"${distribution% *}"/gpg \
    "https://download.docker.com/linux/${distribution% *} ${distribution#* } stable"
  run_apt install --no-install-recommends docker-compose-plugin
}

# proxy is served by `ziti`, or by whatever listens already; the others by ziti-edge-tunnel.
step_tunneler() {
  wanted='ziti-edge-tunnel jammy'
  if [ "$(effective_transport)" = proxy ]; then wanted='ziti debian'; fi
  if has "${wanted% *}"; then as_it_is "there is ${wanted% *}"; return 0; fi
  if [ "$(effective_transport)" = proxy ] && proxy_listens && ! enrolment_is_due; then
    as_it_is "a proxy listens on the two ports"
    return 0
  fi
  package=${wanted% *}
  [ "$package" != ziti ] || package=openziti
  would "install $package" || return 0
  fresh_lists
  if [ -z "$(candidate "$package")" ]; then
    add_source openziti https://get.openziti.io/tun/package-repos.gpg \
      "https://packages.openziti.org/zitipax-openziti-deb-stable ${wanted#* } main"
  fi
  run_apt install --no-install-recommends "$package"
}

# add_source NAME KEY_URL "ADDRESS SUITE COMPONENT": a source of apt with a key that signs it alone.
add_source() {
  key_file=$root/etc/apt/keyrings/$1.asc
  make_public_dir "$root/etc/apt/keyrings"
  say "  adding ${3%% *} to the sources of apt"
  make_work_dir
  curl --silent --show-error --fail --location --proto '=https' --connect-timeout 20 --max-time 120 \
    --retry 2 --output "$work_dir/$1.asc" --url "$2" ||
    fail "the key of $1's packages cannot be had from $2" \
      "install the package by hand from a source that this box reaches, then run the same command again" 75
  put_file "$key_file" 644 root:root <"$work_dir/$1.asc"
  printf 'deb [signed-by=%s] %s\n' "$key_file" "$3" | put_file "$root/etc/apt/sources.list.d/$1.list" 644 root:root
  run_apt update
}

package_state() {
  dpkg-query --show --showformat='${db:Status-Status} ${Version}' "$agent" 2>/dev/null || :
}

package_is_whole() {
  [ "$(package_state)" = "installed $version" ]
}

step_package() {
  if package_is_whole; then
    as_it_is "monky-deployd $version is installed"
    return 0
  fi
  mend_dpkg
  installed=$(package_state)
  case $installed in
    "installed $version") return 0 ;;
    installed\ *)
      if dpkg --compare-versions "${installed#* }" gt "$version" && ! is_given --version; then
        fail "monky-deployd ${installed#* } is installed, which is newer than this script's $version" \
          "use the script of that release, or give --version $version to go back"
      fi
      would "upgrade monky-deployd from ${installed#* } to $version" || return 0
      ;;
    *) would "install monky-deployd $version" || return 0 ;;
  esac
  [ -f "$work_dir/$release_file" ] || fail "$release_file is not here any more" "run the same command again"
  run_apt install --no-install-recommends --allow-downgrades "$work_dir/$release_file"
  package_is_whole || fail "dpkg does not call monky-deployd $version installed" "see: dpkg --status $agent"
}

# The addon of transport sdk is no part of the package: its binary comes from npm and GitHub.
step_addon() {
  if [ "$(effective_transport)" != sdk ]; then
    as_it_is "transport $(effective_transport) needs no addon"
    return 0
  fi
  if [ -d "$bridge_dir/node_modules/@openziti/ziti-sdk-nodejs" ]; then
    as_it_is "the mesh addon is there"
    return 0
  fi
  would "install the mesh addon with npm" || return 0
  make_work_dir
  if ! (cd "$bridge_dir" && umask 022 && npm install --omit=dev --no-audit --no-fund) \
    </dev/null >"$work_dir/npm.log" 2>&1; then
    tail -n 15 "$work_dir/npm.log" >&2
    rm -rf -- "$bridge_dir/node_modules"
    fail "npm could not install @openziti/ziti-sdk-nodejs, see above" \
      "let this box reach the npm registry and github.com, or give --transport proxy; then run it again"
  fi
}

# Node cannot be made here, so this is asked before the first step.
check_node() {
  if [ "$(effective_transport)" != sdk ] || [ -e "$bridge_dir/node_modules" ]; then
    return 0
  fi
  node_version=none
  if has node && has npm; then node_version=$(node --version); fi
  case ${node_version#v} in
    none | [0-9].* | 1[0-9].*)
      fail "transport sdk needs Node 20 or newer with npm, and this box has ${node_version#v}" \
        "install Node (nodesource.com), or give --transport proxy or system; then run it again"
      ;;
  esac
}
