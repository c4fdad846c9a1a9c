#!/usr/bin/env python3
"""watch.py PATH…: prints the inotify events of files and folders, a line each: the number of the path among the arguments, the
kinds, and the name in a folder if it has one. It prints `ready` first, and ends when it is killed."""
import ctypes
import os
import struct
import sys

KINDS = {
    0x1: "ACCESS", 0x2: "MODIFY", 0x4: "ATTRIB", 0x8: "CLOSE_WRITE", 0x10: "CLOSE_NOWRITE", 0x20: "OPEN", 0x40: "MOVED_FROM",
    0x80: "MOVED_TO", 0x100: "CREATE", 0x200: "DELETE", 0x400: "DELETE_SELF", 0x800: "MOVE_SELF", 0x2000: "UNMOUNT",
    0x4000: "Q_OVERFLOW", 0x8000: "IGNORED", 0x40000000: "ISDIR",
}
# What a file manager or a synchronizer watches; not reads.
WATCHED = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800

libc = ctypes.CDLL(None, use_errno=True)
# Root's too: a process without capabilities, as a mount's is, sees the watches of such ones alone.
LINUX_CAPABILITY_VERSION_3 = 0x20080522
if libc.capset(struct.pack("Ii", LINUX_CAPABILITY_VERSION_3, 0), bytes(24)) != 0:
    sys.exit(f"capset: {os.strerror(ctypes.get_errno())}")
watcher = libc.inotify_init1(0)
paths = {}
for number, path in enumerate(sys.argv[1:]):
    watch = libc.inotify_add_watch(watcher, os.fsencode(path), WATCHED)
    if watch < 0:
        sys.exit(f"{path}: {os.strerror(ctypes.get_errno())}")
    paths[watch] = number
print("ready", flush=True)
while True:
    events = os.read(watcher, 1 << 16)
    lines = []
    while events:
        watch, mask, _, length = struct.unpack_from("iIII", events)
        name = os.fsdecode(events[16:16 + length].rstrip(b"\0"))
        events = events[16 + length:]
        kinds = ",".join(kind for bit, kind in KINDS.items() if mask & bit)
        lines.append(" ".join(filter(None, [str(paths.get(watch, "?")), kinds, name])))
    print("\n".join(lines), flush=True)
