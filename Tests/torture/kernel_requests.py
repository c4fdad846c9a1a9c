#!/usr/bin/env python3
"""A process that makes system calls with hostile values on a mount, until its time is over.

    kernel_requests.py ROOT FOLDER NUMBER SEED SECONDS

ROOT is the mount. Into FOLDER go the last calls (worker-NUMBER.calls), calls that ended as they may not
(worker-NUMBER.failures), and how many calls ended how (worker-NUMBER.json, at the end). As root, the process is
confined to the mount (chroot), so that links and `..` lead nowhere else. Which calls it makes depends on seed and
number alone, but for which files are open. Each fourth process gets signals all the time, which interrupt its calls.
"""

import json
import os
import random
import signal
import sys
import time

from descriptor_calls import DescriptorCalls
from hostile_values import FOLDERS, Values
from path_calls import AT_REMOVEDIR, PathCalls
from system_calls import AT_FDCWD, Ring, SystemCalls

# Seconds between two removals, and how much one removes at most.
PRUNE_PAUSE, PRUNED = 60, 3000


def confine(root):
    """Whether every path outside of the mount is out of reach."""
    os.chdir(root)
    if os.geteuid() != 0:
        return False
    os.chroot(".")
    os.chdir("/")
    return True


def interrupt_calls(generator):
    """A signal every few milliseconds. The handler does nothing: the signal alone ends a call."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, generator.choice([0.003, 0.01, 0.05]))


def prune(calls):
    """Removes much of what is in the folders: an hour makes more than the 10,000 entries that Dropbox moves at once."""
    left = PRUNED
    for folder, folders, files in os.walk(b".", topdown=False):
        if folder == b"." or left < 0:
            break
        left -= len(files) + len(folders)
        for names, flags in ((files, 0), (folders, AT_REMOVEDIR)):
            for name in names:
                calls.call("unlinkat", AT_FDCWD, os.path.join(folder, name), flags)


def main():
    root, folder, number, seed, seconds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    name = f"{folder}/worker-{number}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    failures, results = os.open(name + ".failures", flags, 0o600), os.open(name + ".json", flags, 0o600)
    is_interrupted = number % 4 == 3
    calls = SystemCalls(Ring(name + ".calls"), failures, is_interrupted)
    end = time.monotonic() + seconds
    os.umask(0)
    contained = confine(root)
    groups = [PathCalls(calls), DescriptorCalls(calls)]
    table = {method: share for group in groups for method, share in group.table().items()}
    for path in FOLDERS:
        calls.call("mkdirat", AT_FDCWD, path, 0o755)
    if is_interrupted:
        interrupt_calls(random.Random(f"{seed} {number}"))
    step = 0
    next_prune = time.monotonic() + PRUNE_PAUSE
    while time.monotonic() < end:
        # A generator for each step: what one step needs does not change the next.
        step += 1
        if number == 0 and time.monotonic() > next_prune:
            prune(calls)
            next_prune = time.monotonic() + PRUNE_PAUSE
        generator = random.Random(f"{seed} {number} {step}")
        for group in groups:
            group.values = Values(generator, contained)
        generator.choices(list(table), table.values())[0]()
    groups[1].close_all()
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.write(results, json.dumps({"calls": calls.counts, "failed": calls.failed}).encode())


main()
