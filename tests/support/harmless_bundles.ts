/** Bundles as people write them, with nothing in them that the policy should mind. */

/** A bundle's files by path. */
export interface HarmlessBundle {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

const bundle = (
  name: string,
  compose: string,
  files: Readonly<Record<string, string>> = {},
): HarmlessBundle => ({ name, files: { "docker-compose.yml": compose, ...files } });

const web = (lines: string): string => `services:\n  web:\n    image: nginx:1.27\n${lines}`;

/** The table. */
export const HARMLESS_BUNDLES: readonly HarmlessBundle[] = [
  bundle("one service and nothing else", "services: {web: {image: nginx}}\n"),
  bundle(
    "a database with a named volume and a healthcheck, and what depends on it",
    `services:
  db:
    image: postgres:16
    volumes: ["data:/var/lib/postgresql/data"]
    healthcheck:
      test: ["CMD-SHELL", "pg_isready -U $$POSTGRES_USER"]
      interval: 5s
      timeout: 3s
      retries: 10
      start_period: 30s
      start_interval: 1s
  api:
    image: registry.example.com/monky/api:1.2.3
    depends_on:
      db: {condition: service_healthy, restart: true}
      migrate: {condition: service_completed_successfully}
  migrate:
    image: registry.example.com/monky/api:1.2.3
    command: ["migrate"]
    restart: "no"
    depends_on: {db: {condition: service_healthy}}
volumes:
  data:
`,
  ),
  bundle(
    "extensions, anchors and merges",
    `x-logging: &logging
  driver: json-file
  options: {max-size: 10m, max-file: "3"}
x-base: &base
  restart: unless-stopped
  logging: *logging
  x-note: anything
x-env: &env {TZ: UTC, LANG: C.UTF-8}
services:
  a: {<<: *base, image: a, environment: {<<: *env, A: "1"}}
  b: {<<: *base, image: b, environment: *env}
`,
  ),
  bundle(
    "profiles",
    `services:
  web: {image: nginx}
  debug: {image: busybox, profiles: [debug], command: [sleep, "1"]}
`,
  ),
  bundle(
    "configs and secrets from files of the bundle",
    `${web("    configs: [{source: site, target: /etc/nginx/conf.d/site.conf, mode: 0444}]\n")}` +
      `    secrets: [cert]
configs: {site: {file: ./nginx/site.conf}}
secrets: {cert: {file: ./tls/cert.pem}}
`,
    { "nginx/site.conf": "server {}\n", "tls/cert.pem": "x\n" },
  ),
  bundle(
    "configs with inline content, secrets from the environment",
    `${web('    configs: [motd]\n    secrets: [{source: token, target: token, uid: "101"}]\n')}` +
      `configs: {motd: {content: "hello \${NAME:-you}"}}
secrets: {token: {environment: TOKEN}}
`,
  ),
  bundle(
    "every form of environment",
    `services:
  a: {image: a, environment: [A, B=1, "C=\${D:-x}", E=]}
  b: {image: b, environment: {A: , B: 1, C: "x y", D: true}}
`,
  ),
  bundle(
    "env files of the bundle, long and short",
    `services:
  a:
    image: a
    env_file: [./common.env, {path: opt.env, required: false}]
  b: {image: b, env_file: common.env}
`,
    { "common.env": "A=1\n" },
  ),
  bundle("labels from a file", web("    label_file: ./labels\n"), { "labels": "a=b\n" }),
  bundle(
    "limits by deploy",
    web(`    deploy:
      mode: replicated
      replicas: 2
      labels: {a: b}
      resources:
        limits: {cpus: "0.5", memory: 256M, pids: 100}
        reservations: {cpus: "0.1", memory: 64M}
      restart_policy: {condition: on-failure, max_attempts: 3, delay: 5s, window: 60s}
      update_config: {parallelism: 1, order: start-first}
      placement: {constraints: [node.role == manager]}
`),
  ),
  bundle(
    "limits without deploy",
    web(`    mem_limit: 256m
    mem_reservation: 64m
    memswap_limit: 512m
    mem_swappiness: 10
    cpus: 0.5
    cpu_shares: 512
    cpuset: "0"
    pids_limit: 100
    shm_size: 64m
    ulimits: {nofile: {soft: 1024, hard: 2048}, nproc: 64}
    blkio_config: {weight: 300}
    oom_score_adj: 100
`),
  ),
  bundle(
    "local logs",
    web("    logging: {driver: local, options: {max-size: 5m, compress: 'true'}}\n"),
  ),
  bundle(
    "logs in the journal",
    web('    logging: {driver: journald, options: {tag: "{{.Name}}"}}\n'),
  ),
  bundle(
    "a service hardened as well as compose can",
    web(`    read_only: true
    init: true
    user: "1000:1000"
    group_add: ["2000"]
    cap_drop: [ALL]
    cap_add: [NET_BIND_SERVICE, CAP_CHOWN, setuid, SETGID]
    security_opt: [no-new-privileges:true]
    tmpfs: [/run, "/tmp:size=64m,mode=1777"]
    stop_signal: SIGQUIT
    stop_grace_period: 30s
    privileged: false
`),
  ),
  bundle(
    "networks with aliases, addresses and ipam",
    `services:
  web:
    image: nginx
    networks:
      front: {aliases: [www], priority: 10}
      back: {ipv4_address: 172.30.5.10}
  db: {image: postgres, networks: [back]}
networks:
  front: {driver: bridge, driver_opts: {com.docker.network.driver.mtu: "1400"}}
  back:
    internal: true
    attachable: true
    labels: {a: b}
    ipam: {driver: default, config: [{subnet: 172.30.5.0/24, gateway: 172.30.5.1}]}
`,
  ),
  bundle(
    "an external network and volume",
    `${
      web('    networks: [proxy]\n    volumes: ["shared:/data"]\n')
    }networks: {proxy: {external: true}}
volumes: {shared: {external: true, name: shared_data}}
`,
  ),
  bundle(
    "ports in every form",
    web(`    ports:
      - "8080:80"
      - "127.0.0.1:8443:443/tcp"
      - "9000-9002:9000-9002"
      - "53:53/udp"
      - "3000"
      - {target: 80, published: "8081", mode: host, protocol: tcp, host_ip: 127.0.0.1}
    expose: ["9100"]
`),
  ),
  bundle(
    "files and folders of the bundle, bound",
    web(`    volumes:
      - ./nginx/nginx.conf:/etc/nginx/nginx.conf:ro
      - ./html:/usr/share/nginx/html
      - {type: bind, source: ./nginx, target: /n, read_only: true, bind: {create_host_path: false}}
`),
    { "nginx/nginx.conf": "", "html/index.html": "" },
  ),
  bundle(
    "every kind of volume",
    web(`    volumes:
      - cache:/var/cache:rw
      - /var/anonymous
      - {type: volume, source: cache, target: /c, volume: {nocopy: true}}
      - {type: tmpfs, target: /scratch, tmpfs: {size: 1000000, mode: 0700}}
`) + "volumes: {cache: {driver: local, labels: [a=b]}}\n",
  ),
  bundle(
    "a volume in memory and one that is a folder of the bundle",
    `${web('    volumes: ["mem:/m", "seed:/s:ro"]\n')}volumes:
  mem: {driver_opts: {type: tmpfs, device: tmpfs, o: "size=64m,uid=1000"}}
  seed: {driver: local, driver_opts: {type: none, o: bind, device: ./seed}}
`,
    { "seed/a.sql": "" },
  ),
  bundle(
    "namespaces and volumes shared within the project",
    `services:
  app: {image: app, ipc: shareable}
  side: {image: side, network_mode: "service:app", pid: "service:app", ipc: "service:app"}
  backup: {image: backup, volumes_from: ["app:ro"], network_mode: none}
`,
  ),
  bundle(
    "names and resolvers",
    web(`    hostname: web
    domainname: example.com
    container_name: the-web
    extra_hosts: ["db.example.com:10.0.0.5", "host.docker.internal:host-gateway"]
    dns: [1.1.1.1]
    dns_search: example.com
    dns_opt: [ndots:2]
    mac_address: 02:42:ac:11:00:02
`),
  ),
  bundle(
    "sysctls of the network",
    web("    sysctls: {net.core.somaxconn: 1024, net.ipv4.ip_unprivileged_port_start: 0}\n"),
  ),
  bundle(
    "a terminal, a platform, a pull policy",
    web(`    stdin_open: true
    tty: true
    platform: linux/amd64
    pull_policy: missing
    attach: false
    entrypoint: ["/bin/sh", "-c"]
    command: sleep 1
    working_dir: /srv
    restart: on-failure:3
    scale: 2
    links: [db]
  db: {image: postgres}
`),
  ),
  bundle(
    "labels for a proxy",
    web(`    labels:
      - traefik.enable=true
      - "traefik.http.routers.web.rule=Host(\`example.com\`)"
`),
  ),
  bundle(
    "files that include and extend each other",
    `name: ignored
version: "3.8"
include:
  - monitoring/compose.yml
  - {path: db.yml, project_directory: .}
services:
  web: {extends: {file: common.yml, service: base}, image: nginx}
`,
    {
      "monitoring/compose.yml":
        'services: {mon: {image: prom, env_file: mon.env, volumes: ["./mon.yml:/m.yml:ro"]}}\n',
      "monitoring/mon.env": "A=1\n",
      "monitoring/mon.yml": "",
      "db.yml": 'services: {db: {image: postgres, volumes: ["data:/d"]}}\nvolumes: {data: }\n',
      "common.yml": "services: {base: {image: x, restart: always, init: true}}\n",
    },
  ),
  bundle(
    "hooks",
    web(
      "    post_start: [{command: chown app /data, user: root}]\n    pre_stop: [{command: [x]}]\n",
    ),
  ),
];
