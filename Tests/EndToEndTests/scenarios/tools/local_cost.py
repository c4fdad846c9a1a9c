#!/usr/bin/env python3
"""What local work costs, in counts that are the same on each machine: PID FILES COMMAND, while `sh` runs the command.

Printed as JSON, for each of so many files: the kernel's requests by kind, and the system calls of the mount's process by name,
without the reading and answering of requests. Not responsible for limits.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# The kernel's requests are read and answered by these.
TRANSPORT = ("read", "writev")


def requests():
    status = json.loads(subprocess.run(["dbxfs", "status", "--json", os.environ["MNT"]], check=True, capture_output=True).stdout)
    return status["calls"]


def is_traced(pid):
    """Whether strace has all threads of the process."""
    return all("TracerPid:\t0\n" not in status.read_text() for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"))


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit("strace has not taken hold of the mount")
        time.sleep(0.02)


def system_calls(pid, work):
    """Does a work; the system calls of a process in that time, by name."""
    with tempfile.NamedTemporaryFile(mode="r") as report:
        tracer = subprocess.Popen(["strace", "-c", "-f", "-o", report.name, "-p", str(pid)], stderr=subprocess.DEVNULL)
        wait_until(lambda: is_traced(pid))
        work()
        tracer.send_signal(2)
        tracer.wait()
        rows = [line.split() for line in report.read().splitlines()]
    return {row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit() and row[-1] != "total"}


def main():
    pid, files, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    before = requests()
    calls = system_calls(pid, lambda: subprocess.run(["sh", "-euc", command], check=True))
    after = requests()
    kinds = {kind: (count - before.get(kind, 0)) / files for kind, count in after.items()}
    others = {name: count / files for name, count in calls.items() if name not in TRANSPORT}
    print(json.dumps({"requests": {kind: count for kind, count in kinds.items() if count > 0}, "calls": others,
                      "all_requests": sum(kinds.values()), "all_calls": sum(others.values())}, indent=1))


main()
