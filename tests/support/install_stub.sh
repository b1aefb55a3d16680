#!/bin/sh
# Stands in for the programs that install.sh calls on a box: writes down what it was called with, and
# does to the folder $W what the program would do to the box. Linked under each program's name.
# With KILL_AT=n the n-th call that changes something kills the whole process group after its effect.
set -u
name=${0##*/}
PATH=/usr/bin:/bin:/usr/sbin:/sbin

for word in "$name" "$@"; do printf '%s\n' "$word"; done >>"$W/argv"
[ -z "${WATCH-}" ] || cat "/proc/$$/environ" >>"$W/environ"

changed() {
  [ -n "${KILL_AT-}" ] || return 0
  printf . >>"$W/changes"
  [ "$(wc -c <"$W/changes")" -ne "$KILL_AT" ] || kill -9 0
}

command_for() {
  ln -sf "$STUB" "$W/bin/$1"
}

install_deb() {
  version=$(sed -n 's/^deb //p' "$1")
  printf '%s\n' "half-configured $version" >"$W/package"
  changed
  configure_deb
}

configure_deb() {
  version=$(sed 's/.* //' "$W/package")
  mkdir -p "$ROOT/etc/monky-deployd" "$ROOT/var/lib/monky-deployd" "$ROOT/usr/lib/monky-deployd/ziti-bridge"
  chmod 750 "$ROOT/etc/monky-deployd"
  chmod 700 "$ROOT/var/lib/monky-deployd"
  command_for monky-deployd
  : >"$W/user.monky-deployd"
  printf '%s\n' "installed $version" >"$W/package"
}

apt_get() {
  action=''
  for word in "$@"; do
    case $action:$word in
      *:-* | *:*=*) continue ;;
      :update | :install | :remove | :purge) action=$word ;;
      install:/*.deb) install_deb "$word" ;;
      install:curl) command_for curl ;;
      install:acl) command_for setfacl; command_for getfacl ;;
      install:ca-certificates) mkdir -p "$ROOT/etc/ssl/certs"; : >"$ROOT/etc/ssl/certs/ca-certificates.crt" ;;
      install:docker.io) mkdir -p "$ROOT/var/run"; : >"$ROOT/var/run/docker.sock" ;;
      install:docker-compose*)
        mkdir -p "$ROOT/usr/libexec/docker/cli-plugins"
        ln -sf "$STUB" "$ROOT/usr/libexec/docker/cli-plugins/docker-compose"
        ;;
      install:openziti) command_for ziti ;;
      install:ziti-edge-tunnel) command_for ziti-edge-tunnel; : >"$W/user.ziti" ;;
      remove:monky-deployd) rm -f "$W/bin/monky-deployd"; printf 'config-files %s\n' 0 >"$W/package" ;;
      purge:monky-deployd)
        rm -rf "$W/bin/monky-deployd" "$W/package" "$ROOT/etc/monky-deployd" "$ROOT/var/lib/monky-deployd"
        ;;
      *) echo "E: no package $word" >&2; exit 100 ;;
    esac
  done
  changed
}

systemctl_stub() {
  verb='' now=no
  for word in "$@"; do
    case $verb:$word in
      *:--now) now=yes ;;
      *:-*) ;;
      :*) verb=$word ;;
      is-enabled:*) [ -e "$W/enabled/$word" ]; exit ;;
      is-active:*) [ -e "$W/active/$word" ]; exit ;;
      enable:*) : >"$W/enabled/$word"; changed; [ $now = no ] || : >"$W/active/$word" ;;
      disable:*) rm -f "$W/enabled/$word"; changed; [ $now = no ] || rm -f "$W/active/$word" ;;
      stop:*) rm -f "$W/active/$word" ;;
    esac
  done
  case $verb in enable | disable | start | stop | restart) changed ;; esac
}

# The controller takes an enrolment token once, and the identity comes with the answer.
enrol() {
  jwt='' out=''
  while [ $# -gt 0 ]; do
    case $1 in
      --jwt) jwt=$2 ;;
      --identity | --out) out=$2 ;;
    esac
    shift
  done
  sum=$(sha256sum <"$jwt")
  if [ -e "$W/used" ] && grep -q "$sum" "$W/used"; then
    echo "ERROR enrollment of $(cat "$jwt") failed: token was used" >&2
    exit 1
  fi
  printf '%s\n' "$sum" >>"$W/used"
  printf '{"ztAPI":"https://ctrl","id":{"key":"pem:k","cert":"pem:c"}}\n' >"$out"
  chmod 600 "$out"
  changed
}

acl() {
  default='' kind='' entry=''
  for word in "$@"; do
    case $word in
      -d) default=default: ;;
      -m | -x) kind=$word ;;
      u:*) entry=${word#u:} ;;
      *) file=$W/acl/$(printf %s "$word" | tr / _) ;;
    esac
  done
  [ -e "$file" ] || : >"$file"
  sed -i "/^${default}user:${entry%%:*}:/d" "$file"
  case $kind:$default:$entry in
    -m:*:*:x) printf '%suser:%s:--x\n' "$default" "${entry%:*}" >>"$file" ;;
    -m:*) printf '%suser:%s:r--\n' "$default" "${entry%:*}" >>"$file" ;;
  esac
  changed
}

case $name in
  id) case $1 in -u) echo "${FAKE_UID:-0}" ;; *) echo somebody ;; esac ;;
  dpkg)
    case $1 in
      --print-architecture) echo "${FAKE_ARCHITECTURE:-amd64}" ;;
      --audit) grep -s half "$W/package" ;;
      --configure) configure_deb; changed ;;
      *) exec dpkg "$@" ;;
    esac
    ;;
  dpkg-query) cat "$W/package" 2>/dev/null || exit 1 ;;
  apt-get) apt_get "$@" ;;
  apt-cache) cat "$W/candidate.$2" 2>/dev/null || : ;;
  systemctl) systemctl_stub "$@" ;;
  setfacl) acl "$@" ;;
  getfacl)
    for word in "$@"; do file=$word; done
    cat "$W/acl/$(printf %s "$file" | tr / _)" 2>/dev/null || :
    ;;
  getent) [ -e "$W/user.$2" ] ;;
  chown) changed ;;
  ziti-edge-tunnel | ziti) enrol "$@" ;;
  node) echo "${FAKE_NODE:-v22.1.0}" ;;
  npm) mkdir -p node_modules/@openziti/ziti-sdk-nodejs; changed ;;
  monky-deployd)
    case $1 in
      config) grep -q '^env_id: ' "$4" && ! grep -q 'site: refused' "$4" ;;
      doctor) echo "ok doctor"; exit "${FAKE_DOCTOR:-0}" ;;
    esac
    ;;
  docker-compose | sleep) : ;;
  mv | cp | chmod | mkdir | curl) "$name" "$@"; code=$?; changed; exit $code ;;
  *) exec "$name" "$@" ;;
esac
