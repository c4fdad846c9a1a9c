#!/usr/bin/env python3
"""Sets a file's times to any `timespec`: utime.py FILE SECONDS NANOSECONDS. touch(1) parses years, not numbers."""

import ctypes
import os
import sys


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_int64), ("nanoseconds", ctypes.c_int64)]


path, seconds, nanoseconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
times = (Timespec * 2)(Timespec(seconds, nanoseconds), Timespec(seconds, nanoseconds))
libc = ctypes.CDLL(None, use_errno=True)
if libc.utimensat(-100, os.fsencode(path), times, 0) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
