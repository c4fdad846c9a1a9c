#!/usr/bin/env python3
"""Lets two mounts of one account and another client change the same few files in every way, while requests fail,
deltas are late and mounts are killed, and checks whether anything is lost.   Needs FUSE.

    torture.py BIN_DIR --seeds A..B [--jobs N] [--keep FOLDER] [--faults 0|1] [--refuse-ids] [--folding RULE]

BIN_DIR      has dbxfs and dropbox-emulator
--seeds      which histories; both ends count
--jobs       how many at a time; two for each core if not set, because most of the time is waiting
--keep       where the files of a history that went wrong are kept: what happened (history), what the server has
             (server), its requests (requests.log), and the mounts' logs (a/dbxfs.log, b/dbxfs.log)
--faults     without 0, requests fail and cursors are reset
--refuse-ids the server refuses writes by id
--folding    the server compares names by this rule, and names are used on which the rules differ

A history is wrong if something is LOST (history.py says what that is), if a mount or a fresh one does not show
what the server has (DIVERGED), if a name that only served a move has stayed (TEMPORARY), or if a mount has ended or
cannot send everything (WEDGED). DOUBTFUL content may have been removed knowingly, and counts as right. Ends with 1
if a history was wrong.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile

from bed import run_group

# Seconds for one history: all its waits, AGREE_LIMIT three times among them, on a busy machine.
LIMIT = 180
TITLES = {"lost": "LOST", "diverged": "DIVERGED", "temporary": "TEMPORARY", "wedged": "WEDGED"}


def run(arguments, seed, base):
    """Runs a history; returns its result."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix=f"seed-{seed}-", dir=base))
    command = [sys.executable, os.path.dirname(os.path.realpath(__file__)) + "/history.py",
               os.path.realpath(arguments.binaries), folder, str(seed), str(arguments.faults),
               str(int(arguments.refuse_ids)), arguments.folding or ""]
    status, output = run_group(command, folder, LIMIT)
    result = {"tokens": 0, "kills": 0, "faults": 0, "wrong": {}}
    if status == 0 and os.path.exists(folder + "/result.json"):
        with open(folder + "/result.json") as file:
            result = json.load(file)
    else:
        end = f"no end after {LIMIT} s" if status is None else f"ended with {status}"
        result["wrong"]["wedged"] = [f"{end}: {' '.join(output.split()[-40:])}"]
    if result["wrong"]:
        kept = f"{arguments.keep}/seed-{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(arguments.keep, exist_ok=True)
        shutil.move(folder, kept)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def report(seed, wrong):
    for kind, lines in wrong.items():
        text = lines[0] if len(lines) == 1 else f"{lines[0]} (and {len(lines) - 1} more)"
        print(f"seed {seed}: {TITLES.get(kind, kind)} {text}"[:600], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binaries", metavar="BIN_DIR")
    parser.add_argument("--seeds", required=True, metavar="A..B")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--keep", default="torture-failures")
    parser.add_argument("--faults", type=int, choices=[0, 1], default=1)
    parser.add_argument("--refuse-ids", action="store_true")
    parser.add_argument("--folding", choices=["unicode4", "scalar", "simple", "full", "contextual"])
    arguments = parser.parse_args()
    arguments.keep = os.path.realpath(arguments.keep)
    first, _, last = arguments.seeds.partition("..")
    seeds = range(int(first), int(last or first) + 1)
    counts = dict.fromkeys([*TITLES, "doubtful", "tokens", "kills", "faults"], 0)
    base = tempfile.mkdtemp(prefix="dbxfs-torture-")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        histories = {pool.submit(run, arguments, seed, base): seed for seed in seeds}
        for history in concurrent.futures.as_completed(histories):
            result = history.result()
            report(histories[history], result["wrong"])
            for name in ("tokens", "kills", "faults"):
                counts[name] += result[name]
            for kind in result["wrong"]:
                counts[kind] += 1
    shutil.rmtree(base, ignore_errors=True)
    if counts["doubtful"]:
        print(f"{counts['doubtful']} doubtful")
    print(f"{len(seeds)} histories, {counts['lost']} lost, {counts['diverged']} diverged, "
          f"{counts['temporary']} temporary names, {counts['wedged']} wedged; {counts['tokens']} tokens, "
          f"{counts['kills']} kills, {counts['faults']} faults")
    sys.exit(1 if any(counts[kind] for kind in TITLES) else 0)


main()
