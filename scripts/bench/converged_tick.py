"""The work of a converged tick with Python's standard library alone, to measure the agent against.

Config as JSON (the standard library reads no YAML), lock, state, token, one POST to tenancy, one GET
over the Docker socket, the comparison, one line. Writes nothing.
"""

import fcntl
import http.client
import json
import os
import socket
import sys
import urllib.parse
import uuid


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path):
        super().__init__("docker", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        config = json.load(file)
    lock = os.open(config["state_dir"] + "/lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with open(config["state_dir"] + "/state.json", encoding="utf-8") as file:
        state = json.load(file)
    with open(config["state_dir"] + "/session.json", encoding="utf-8") as file:
        token = json.load(file)["token"]["value"]

    docker = UnixConnection(config["docker_socket"])
    filters = json.dumps({"label": ["com.docker.compose.project=" + config["project"]]})
    docker.request("GET", "/containers/json?all=1&filters=" + urllib.parse.quote(filters))
    containers = json.loads(docker.getresponse().read())
    docker.close()

    host, port = config["tenancy_addr"].split(":")
    tenancy = http.client.HTTPConnection(host, int(port), timeout=30)
    body = {
        "env_id": config["env_id"],
        "site": config["site"],
        "agent_version": config["version"],
        "transport": "proxy",
        "applied": state["applied"],
        "failed": None,
        "services": [
            {
                "name": each["Labels"]["com.docker.compose.service"],
                "state": each["State"],
                "health": None,
                "image": each["Image"],
            }
            for each in containers
        ],
    }
    tenancy.request("POST", "/agent/v1/checkin", json.dumps(body), {
        "Authorization": "Bearer " + token,
        "User-Agent": "monky-deployd/" + config["version"],
        "X-Request-Id": str(uuid.uuid4()),
        "Host": "monky.tenancy.deploy:443",
        "Content-Type": "application/json",
    })
    reply = tenancy.getresponse()
    answer = json.loads(reply.read())
    tenancy.close()
    if reply.status != 200 or answer["env_id"] != config["env_id"]:
        sys.exit("tenancy refused")
    if answer["desired"]["sha"] != state["applied"]["sha"]:
        sys.exit("not converged")
    for each in containers:
        released = state["released"][each["Labels"]["com.docker.compose.service"]]
        same = (
            each["State"] == "running"
            and each["ImageID"] in released["imageIds"]
            and each["Labels"]["com.docker.compose.config-hash"] in released["configHashes"]
        )
        if not same:
            sys.exit("drifted")
    print("converged " + state["applied"]["sha"][:12], file=sys.stderr)


main()
