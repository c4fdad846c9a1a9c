#!/usr/bin/env python3
"""The costs of an unused process: PID SECONDS, printed as JSON.

Not responsible for making it idle.
"""

import json
import pathlib
import re
import sys
import time

MEBI = 1 << 20


def processor_seconds(pid):
    """What all threads of a process, also those that have ended, have used of the processors."""
    # How Linux numbers the clocks of other processes; /proc/PID/stat counts in hundredths of a second.
    return time.clock_gettime((~pid << 3) | 2)


def wakeups(pid):
    """How often each thread has gone to sleep, and so was woken up."""
    found = {}
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        try:
            text = status.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found[status.parent.name] = int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.M).group(1))
    return found


def memory(pid):
    """The most memory since `forget_peak`, and this process's share of what it has now, in MiB."""
    peak = re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    share = re.search(r"^Pss:\s*(\d+)", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
    return {"peak_mib": int(peak.group(1)) * 1024 / MEBI, "share_mib": int(share.group(1)) * 1024 / MEBI}


def forget_peak(pid):
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")


def measure(pid, seconds):
    """Waits; returns the costs of that time."""
    forget_peak(pid)
    processor, before = processor_seconds(pid), wakeups(pid)
    # The time of the measurement.
    time.sleep(seconds)
    processor, after = processor_seconds(pid) - processor, wakeups(pid)
    return {"seconds": seconds, "cpu_seconds": processor, "threads": len(after),
            "wakeups": sum(count - before.get(thread, 0) for thread, count in after.items())} | memory(pid)


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), float(sys.argv[2]))))
