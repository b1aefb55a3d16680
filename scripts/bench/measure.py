"""Runs commands interleaved, so that whatever else the machine does hits all of them alike.

Reads JSON from stdin: {"rounds": N, "warmup": N, "commands": {name: {"argv": [...], "env": {...}}}}.
Prints JSON: {name: {"ms": [...], "rss_kib": [...]}}. A command that fails ends the run.
"""

import json
import os
import subprocess
import sys
import time


def run(argv, env):
    """Gives milliseconds and the peak resident size in KiB of one run."""
    begun = time.perf_counter()
    child = subprocess.Popen(
        argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    complaint = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = (time.perf_counter() - begun) * 1000
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{argv[0]} ended with {child.returncode}: {complaint.decode(errors='replace')[-500:]}")
    return elapsed, usage.ru_maxrss


def main():
    job = json.load(sys.stdin)
    found = {name: {"ms": [], "rss_kib": []} for name in job["commands"]}
    for turn in range(job["warmup"] + job["rounds"]):
        for name, command in job["commands"].items():
            ms, rss = run(command["argv"], command["env"])
            if turn >= job["warmup"]:
                found[name]["ms"].append(ms)
                found[name]["rss_kib"].append(rss)
    json.dump(found, sys.stdout)


main()
