#!/usr/bin/env python3
"""Reads everything below a folder: all that is listed has attributes and can be read.

    whole_tree.py FOLDER

A name may change between the listing and the stat, because the server has its say: then it has to be gone from the
next listing. Of large files the beginning is read.
"""

import errno
import os
import stat
import sys
import time

PATIENCE = 20
PART = 1 << 20
# The bytes read of a file: some have holes of terabytes.
MOST = 16 << 20


def look(path):
    """Reads a file, or the target of a link; returns whether it is a folder."""
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        os.readlink(path)
    elif stat.S_ISREG(mode):
        file = os.open(path, os.O_RDONLY)
        try:
            left = MOST
            while left > 0 and (part := os.read(file, PART)):
                left -= len(part)
        finally:
            os.close(file)
    return stat.S_ISDIR(mode)


def walk(folder, wrong):
    for name in os.listdir(folder):
        path = folder + b"/" + name
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if look(path):
                    walk(path, wrong)
                break
            except OSError as error:
                if error.errno != errno.ENOENT:
                    wrong.append(f"{path!r}: {error.strerror}")
                    break
                if name not in os.listdir(folder):
                    break
                if time.monotonic() > end:
                    wrong.append(f"{path!r} is listed beside {os.listdir(folder)!r}: {error.strerror}")
                    break
            time.sleep(0.2)


def main():
    wrong = []
    walk(os.fsencode(sys.argv[1]), wrong)
    if wrong:
        sys.exit(f"{len(wrong)} wrong: " + "; ".join(wrong[:5]))


main()
