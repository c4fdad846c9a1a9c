#!/usr/bin/env python3
"""Cuts the power of a machine that has an account mounted, and looks at what the account has afterwards.   Needs FUSE,
root and loop devices.

    powercut.py BIN_DIR --cuts N [--seed S] [--jobs N] [--keep FOLDER]

The state and the cache of the mount are on an ext4 of their own, with the options that mount(8) has by itself, in an
image. While programs work on the mount, the image is copied: what the copy has is what a disk has after a cut. The
mount goes on with the copy. In the end no file on the server has zeros (ZEROS), which no program has written, or a
content that was never completely written (TORN), and each has the last version that an fsync had acknowledged or that
the server had, or a later one (MISSING). Ends with 1 otherwise, and with 77 where no power can be cut. cut.py is one
cut.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

from bed import run_group

# Seconds for one cut.
LIMIT = 150
KINDS = ["zeros", "torn", "missing", "unexpected", "wedged"]


def lacking():
    """Why there cannot be a cut here; None if there can."""
    if os.geteuid() != 0:
        return "it needs root"
    for program in ("mkfs.ext4", "losetup", "mount"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse"
    found = subprocess.run(["losetup", "--find"], capture_output=True, check=False)
    return None if found.returncode == 0 else "there is no loop device"


def run(arguments, seed, base):
    """One cut; returns its result."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix=f"cut-{seed}-", dir=base))
    command = [sys.executable, os.path.dirname(os.path.realpath(__file__)) + "/cut.py",
               os.path.realpath(arguments.binaries), folder, str(seed)]
    status, output = run_group(command, folder, LIMIT)
    subprocess.run(["umount", "-l", folder + "/disk"], stderr=subprocess.DEVNULL, check=False)
    result = {"checked": 0, "wrong": {}}
    if status == 0 and os.path.exists(folder + "/result.json"):
        with open(folder + "/result.json") as file:
            result = json.load(file)
    else:
        end = f"no end after {LIMIT} s" if status is None else f"ended with {status}"
        result["wrong"]["wedged"] = [f"{end}: {' '.join(output.split()[-40:])}"]
    if result["wrong"]:
        kept = f"{arguments.keep}/cut-{seed}"
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(arguments.keep, exist_ok=True)
        shutil.move(folder, kept)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binaries", metavar="BIN_DIR")
    parser.add_argument("--cuts", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="powercut-failures")
    arguments = parser.parse_args()
    if reason := lacking():
        print(f"skipped: no power can be cut here: {reason}")
        sys.exit(77)
    arguments.keep = os.path.realpath(arguments.keep)
    counts = dict.fromkeys(KINDS, 0)
    checked = 0
    base = tempfile.mkdtemp(prefix="dbxfs-powercut-")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        cuts = {pool.submit(run, arguments, seed, base): seed
                for seed in range(arguments.seed, arguments.seed + arguments.cuts)}
        for cut in concurrent.futures.as_completed(cuts):
            result = cut.result()
            checked += result["checked"]
            for kind, lines in result["wrong"].items():
                counts[kind] += len(lines)
                text = lines[0] if len(lines) == 1 else f"{lines[0]} (and {len(lines) - 1} more)"
                print(f"seed {cuts[cut]}: {kind.upper()} {text}"[:500], flush=True)
    shutil.rmtree(base, ignore_errors=True)
    for kind in ("unexpected", "wedged"):
        if counts[kind]:
            print(f"{counts[kind]} {kind}")
    print(f"{arguments.cuts} cuts, {counts['zeros']} zeros, {counts['torn']} torn, {counts['missing']} missing; "
          f"{checked} fsynced versions checked")
    sys.exit(1 if any(counts.values()) else 0)


main()
