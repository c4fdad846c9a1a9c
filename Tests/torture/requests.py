#!/usr/bin/env python3
"""Asks hostile things of a mount, by system calls and by its control socket, and checks whether it lives on.   Needs FUSE.

    requests.py BIN_DIR --seconds N --seed S [--keep FOLDER] [--kinds kernel,control] [--options LIST]
                [--memory MIB] [--calls]

BIN_DIR    has dbxfs and dropbox-emulator
--seconds  how long; what comes before and after takes some seconds more
--seed     which requests; the open files when they come, and their interleaving, differ each time
--keep     where the files of a run that went wrong are kept: the last 200 calls of each process (worker-N.calls.txt),
           the faults (result.json), and the mount's log (a/dbxfs.log)
--kinds    which requests
--options  what the mount gets as -o; with writeback_cache, the kernel takes writes behind the end of what can be stored,
           and says so later: EFBIG and EIO of fsync and close are right then, and reported nevertheless
--memory   MiB that the mount may take, 250 by itself; a sanitised build takes three times as much
--calls    prints how often each call ended how

A run is wrong if a call takes longer than a minute or ends with an error that it cannot have (system_calls.py says which
each can have); if the mount ends, answers no status within 5 s, takes more than --memory or too many descriptors; if a
file that no test touched is another one; or if the mount cannot send everything and end as it should. Ends with 1 then.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile

from bed import end_on_sigterm, run_group

HERE = os.path.dirname(os.path.realpath(__file__))
# Seconds for all that comes before and after, on a busy machine.
MARGIN = 400


def run(arguments, folder):
    """One run; returns its result."""
    command = [sys.executable, HERE + "/request_run.py", os.path.realpath(arguments.binaries), folder, str(arguments.seed),
               str(arguments.seconds), arguments.kinds, arguments.options, str(arguments.memory)]
    status, output = run_group(command, folder, arguments.seconds + MARGIN)
    if status == 0 and os.path.exists(folder + "/result.json"):
        with open(folder + "/result.json") as file:
            return json.load(file)
    end = "no end" if status is None else f"ended with {status}"
    return {"failures": [f"{end}: {' '.join(output.split()[-40:])}"], "counts": {}, "peak": 0, "descriptors": 0, "status": 0}


def report(arguments, result):
    """Prints the faults, and a line with the numbers."""
    for text in result["failures"][:30]:
        print(f"seed {arguments.seed}: {text}"[:600])
    totals = []
    for kind, calls in result["counts"].items():
        totals.append(f"{sum(sum(results.values()) for results in calls.values())} {kind} calls")
        if arguments.calls:
            for call, results in sorted(calls.items()):
                print(f"{call}: " + ", ".join(f"{end} {count}" for end, count in sorted(results.items())))
    print(f"seed {arguments.seed}: {', '.join(totals) or 'no calls'}, {arguments.seconds} s, peak {result['peak'] >> 20} MiB, "
          f"{result['descriptors']} descriptors, slowest status {result['status']:.1f} s, {len(result['failures'])} failures",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binaries", metavar="BIN_DIR")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--keep", default="request-failures")
    parser.add_argument("--kinds", default="kernel,control", choices=["kernel", "control", "kernel,control"])
    parser.add_argument("--options", default="")
    parser.add_argument("--memory", type=int, default=250)
    parser.add_argument("--calls", action="store_true")
    arguments = parser.parse_args()
    end_on_sigterm()
    folder = os.path.realpath(tempfile.mkdtemp(prefix="dbxfs-requests-"))
    result = run(arguments, folder)
    report(arguments, result)
    if result["failures"]:
        kept = f"{os.path.realpath(arguments.keep)}/seed-{arguments.seed}"
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.move(folder, kept)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if result["failures"] else 0)


main()
