#!/usr/bin/env python3
"""Replaces a file by the API while readers look at it through a mount: changing.py MOUNTPOINT PATH READERS

Each open must have one version from beginning to end. For a single reader, its size too is that of the version; where
several processes open the file at the same moment, one of them may be told the size of the version before.
"""

import json
import mmap
import os
import platform
import subprocess
import sys
import time
import urllib.request

SIZES = [17000, 5000, 50000, 20000, 1, 300000, 0, 4096]
CHANGES = 100


def version(number):
    return bytes([65 + number % 26]) * (SIZES[number % len(SIZES)] + number)


def upload(path, content):
    request = urllib.request.Request(
        os.environ["ENDPOINT"] + "/2/files/upload", data=content, method="POST",
        headers={
            "Authorization": "Bearer " + os.environ["TOKEN2"],
            "Content-Type": "application/octet-stream",
            "Dropbox-API-Arg": json.dumps({"path": path, "mode": "overwrite"})})
    urllib.request.urlopen(request).read()


def maps_always():
    """Whether the kernel maps files that are read past its pages."""
    major, minor = platform.release().split(".")[:2]
    return (int(major), int(minor.split("-")[0])) >= (6, 6)


def look(path, is_alone, is_mapped):
    """Reads the file once: its fault, or None."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        size = os.fstat(descriptor).st_size
        content = b""
        while piece := os.read(descriptor, 1 << 16):
            content += piece
        if content not in VERSIONS:
            return f"{len(content)} bytes, {len(content.rstrip(bytes(1)))} without zeros: no version"
        if is_alone and len(content) != size:
            return f"{len(content)} bytes, and the size was {size}"
        if is_mapped and is_alone and size:
            with mmap.mmap(descriptor, 0, mmap.MAP_SHARED, mmap.PROT_READ) as mapped:
                if mapped[:] != content:
                    return "the mapping has other bytes"
    finally:
        os.close(descriptor)


def read(path, stop, is_alone):
    looks, is_mapping = 0, maps_always()
    while not os.path.exists(stop):
        looks += 1
        if problem := look(path, is_alone, is_mapping and looks % 3 == 0):
            sys.exit(problem)
    print(looks, "looks")


def main():
    mountpoint, path, readers = sys.argv[1], sys.argv[2], int(sys.argv[3])
    stop = os.environ["WORK"] + "/stop"
    if os.path.exists(stop):
        os.remove(stop)
    upload(path, version(0))
    while not os.path.exists(mountpoint + path):
        time.sleep(0.1)
    arguments = [sys.executable, __file__, "read", mountpoint + path, stop, str(readers)]
    processes = [subprocess.Popen(arguments) for _ in range(readers)]
    for number in range(1, CHANGES):
        upload(path, version(number))
        time.sleep(0.05)
    while os.path.getsize(mountpoint + path) != len(version(CHANGES - 1)):
        time.sleep(0.1)
    open(stop, "w").close()
    sys.exit(max(process.wait(30) for process in processes))


VERSIONS = {version(number) for number in range(CHANGES)}
if sys.argv[1] == "read":
    read(sys.argv[2], sys.argv[3], sys.argv[4] == "1")
else:
    main()
