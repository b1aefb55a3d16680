/**
 * Packages that a bare box's apt cannot have here: the compose plugin under the name that Docker
 * gives it, with the lab's real one in it, and stand-ins for OpenZiti's two programs, which are in no
 * registry. The stand-ins enrol as the real ones do, once a token; the proxy's ports lead where
 * `/etc/lab-mesh` says, through systemd's own relay.
 */

import type { DebPackage } from "./deb.ts";
import type { LabInfo } from "./info.ts";

/** A controller takes an enrolment token once: the box remembers. */
const ENROL = `enrol() {
  sum=$(sha256sum <"$1")
  if grep -q -s "$sum" /var/lib/lab-mesh-used; then
    echo "ERROR: enrollment with $(cat "$1") failed: the token was used" >&2
    exit 1
  fi
  echo "$sum" >>/var/lib/lab-mesh-used
  umask 077
  printf '%s\\n' '{"ztAPI":"https://ctrl:1280","id":{"cert":"pem:c","key":"pem:k","ca":"pem:a"}}' >"$2"
}
while [ $# -gt 0 ]; do
  case $1 in
    --jwt) jwt=$2 ;;
    --identity | --out) out=$2 ;;
    *:18443) tenancy=yes ;;
    *:18200) bao=yes ;;
  esac
  shift
done
`;

const EDGE_TUNNEL = `#!/bin/sh
verb=$1
${ENROL}
case $verb in
  enroll) enrol "$jwt" "$out" ;;
  run) exec sleep infinity ;;
esac
`;

const ZITI = `#!/bin/sh
verb=$1
${ENROL}
if [ "$verb" = edge ]; then
  enrol "$jwt" "$out" && rm -f "$jwt"
  exit
fi
[ "$tenancy$bao" = yesyes ] || exit 1
read -r to_tenancy to_bao </etc/lab-mesh
relay() {
  exec systemd-socket-activate -l "127.0.0.1:$1" /lib/systemd/systemd-socket-proxyd "$2"
}
relay 18443 "$to_tenancy" &
relay 18200 "$to_bao" &
wait
`;

const EDGE_TUNNEL_UNIT = `[Service]
ExecStart=/opt/openziti/bin/ziti-edge-tunnel run
[Install]
WantedBy=multi-user.target
`;

const EDGE_TUNNEL_POSTINST = `#!/bin/sh
set -e
getent passwd ziti >/dev/null || useradd --system --no-create-home --shell /usr/sbin/nologin ziti
mkdir -p /opt/openziti/etc/identities
chown root:ziti /opt/openziti/etc/identities
chmod 0770 /opt/openziti/etc/identities
ln -sf /opt/openziti/bin/ziti-edge-tunnel /usr/bin/ziti-edge-tunnel
`;

/**
 * The packages, to be made with `makeDeb`.
 *
 * @param lab the lab whose compose plugin is packed
 * @returns docker-compose-plugin, ziti-edge-tunnel, openziti
 */
export function standInPackages(lab: LabInfo): readonly DebPackage[] {
  return [
    {
      name: "docker-compose-plugin",
      version: "2.26.1",
      files: { "/usr/libexec/docker/cli-plugins/docker-compose": { source: lab.compose.plugin } },
    },
    {
      name: "ziti-edge-tunnel",
      version: "1.18.7",
      files: {
        "/opt/openziti/bin/ziti-edge-tunnel": EDGE_TUNNEL,
        "/lib/systemd/system/ziti-edge-tunnel.service": EDGE_TUNNEL_UNIT,
      },
      postinst: EDGE_TUNNEL_POSTINST,
    },
    { name: "openziti", version: "2.0.3", files: { "/usr/bin/ziti": ZITI } },
  ];
}
