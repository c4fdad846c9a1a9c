#!/usr/bin/env python3
"""Notes the memory of all processes whose program is in a folder, until it gets SIGTERM, and compares then.

    memory_watch.py BIN_DIR LOG [SECONDS_BETWEEN]

Prints, for each process that lived long enough, the mean of the first and of the last quarter of its samples after the
first five minutes. Ends with 1 if one has grown by more than a fifth and by more than 20 MiB; the emulator may, because it
keeps what it knows of each revision.
"""

import os
import signal
import sys
import threading

# Fewer samples have no quarters.
LEAST_SAMPLES = 8
# Until then, caches and pools of a process fill.
WARM_UP_SECONDS = 300
MOST_GROWTH, LEAST_GROWTH = 1.2, 20 << 10
MAY_GROW = "dropbox-emulator"


def sample(folder):
    """KiB by process and name. Command lines, because others' programs may not be looked at."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                program = os.fsdecode(file.read().split(b"\0")[0])
            if os.path.dirname(program) != folder:
                continue
            with open(f"/proc/{name}/status") as file:
                resident = [int(line.split()[1]) for line in file if line.startswith("VmRSS:")]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if resident:
            found[int(name), os.path.basename(program)] = resident[0]
    return found


def mean(numbers):
    return sum(numbers) / len(numbers)


def compare(series, skipped):
    """Prints the memory of each process, without its first samples; whether one has grown."""
    has_grown = False
    for (number, name), samples in sorted(series.items()):
        samples = samples[skipped:]
        if len(samples) < LEAST_SAMPLES:
            continue
        quarter = len(samples) // 4
        first, last = mean(samples[:quarter]), mean(samples[-quarter:])
        grows = last > first * MOST_GROWTH and last - first > LEAST_GROWTH
        has_grown = has_grown or grows and name != MAY_GROW
        print(f"memory: {name} ({number}): {first / 1024:.0f} MiB at first, {last / 1024:.0f} MiB at last, {len(samples)} samples"
              + (": grows" if grows else ""), flush=True)
    return has_grown


def main():
    folder, log = os.path.realpath(sys.argv[1]), sys.argv[2]
    pause = float(sys.argv[3]) if len(sys.argv) > 3 else 60
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    series = {}
    with open(log, "w") as file:
        while not ended.wait(pause):
            for process, resident in sample(folder).items():
                series.setdefault(process, []).append(resident)
                print(*process, resident, file=file, flush=True)
    sys.exit(compare(series, skipped=int(WARM_UP_SECONDS / pause) + 1))


main()
