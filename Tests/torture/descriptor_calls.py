"""System calls on open files: reading, writing, sizes, ranges, copies, mappings, locks.

Not responsible for paths (path_calls.py), but for opening. Each method makes one call, or a few that belong together.
Memory of a mapping is touched by the kernel only, which copies from it and to it: behind the end of a file that is an
error of the call, and not a signal.
"""

import ctypes
import os

from hostile_values import MODES, USERS
from path_calls import times
from system_calls import AT_FDCWD, BAD_ADDRESS, BUFFER

O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NONBLOCK = os.O_CREAT, os.O_EXCL, os.O_TRUNC, os.O_APPEND, os.O_NONBLOCK
OPEN_FLAGS = [O_CREAT, O_CREAT, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, os.O_DIRECT, os.O_DIRECT, os.O_PATH, os.O_TMPFILE,
              os.O_DIRECTORY, os.O_NOFOLLOW, os.O_NOATIME, os.O_SYNC, os.O_DSYNC, os.O_NOCTTY, os.O_CLOEXEC, 1 << 30, 1 << 31]
SEEK_DATA, SEEK_HOLE = 3, 4
# KEEP_SIZE, PUNCH_HOLE, COLLAPSE_RANGE, ZERO_RANGE, INSERT_RANGE, UNSHARE_RANGE and what cannot go together.
ALLOCATIONS = [0, 0, 1, 3, 3, 2, 8, 16, 16, 17, 32, 64, 1 << 7, 1 << 30, 0xffffffff]
MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE, MAP_SYNC = 1, 2, 3, 0x80000
# FS_IOC_GETFLAGS, SETFLAGS, FSGETXATTR, FSSETXATTR, FICLONE, FICLONERANGE, FIDEDUPERANGE, FIEMAP, FIBMAP, FIGETBSZ,
# FIONREAD, FIOQSIZE, FITRIM, TCGETS, GETVERSION, fscrypt's and fsverity's, BLKGETSIZE64, and one of FUSE's own devices.
REQUESTS = [0x80086601, 0x40086602, 0x801c581f, 0x401c5820, 0x40049409, 0x4020940d, 0xc0189436, 0xc020660b, 1, 2,
            0x541b, 0x5460, 0xc0185879, 0x5401, 0x80087601, 0x800c6613, 0x40806685, 0x80081272, 0x8004e500]
# What waits is not among the commands, nor leases, which let others wait, nor what sends signals.
LOCKS = [5, 6, 36, 37]
COMMANDS = [1, 2, 3, 4, 4, 9, 11, 1025, 1031, 1032, 1034, 1035, 1036, 1037, 1038, 99, -1]
MOST_OPEN = 8


class Opened:
    """An open file; `is_huge` if it may be of any size."""

    def __init__(self, number, is_huge):
        self.number, self.is_huge = number, is_huge


class DescriptorCalls:
    """Calls on files that are open, a few at a time."""

    def __init__(self, calls):
        self.calls = calls
        self.values = None
        self.open_files = []
        # This process's own files for copies.
        self.memory = os.memfd_create("memory")
        os.ftruncate(self.memory, 1 << 20)

    def table(self):
        """How often each of them comes."""
        return {
            self.open: 14, self.open_huge: 3, self.close: 4, self.read: 6, self.write: 10, self.vector: 3, self.seek: 5,
            self.truncate: 5, self.allocate: 6, self.copy: 5, self.send: 3, self.map: 6, self.list: 4, self.lock: 4,
            self.control: 2, self.request: 3, self.flush: 4, self.advise: 2, self.set: 3, self.attributes: 2, self.look: 2,
        }

    def file(self):
        """One of the open files; now and then none."""
        if not self.open_files or self.values.chance(0.02):
            return Opened(self.values.of([-1, 9999, AT_FDCWD, 1 << 31]), False)
        return self.values.of(self.open_files)

    def memory_at(self):
        """Where bytes are; now and then nowhere, and whether that is so."""
        return (BAD_ADDRESS, True) if self.values.chance(0.01) else (BUFFER, False)

    def keep(self, number, is_huge):
        if number < 0:
            return
        self.open_files.append(Opened(number, is_huge))
        if len(self.open_files) > MOST_OPEN:
            self.calls.call("close", self.open_files.pop(0).number)

    def open(self):
        path = self.values.path()
        flags = self.values.of([0, 1, 2, 2, 2, 3]) | O_NONBLOCK
        flags |= O_CREAT if self.values.chance(0.5) else self.values.bits(OPEN_FLAGS)
        self.keep(self.calls.call("openat", AT_FDCWD, path, flags, self.values.of(MODES)), False)

    def open_huge(self):
        flags = self.values.of([O_CREAT, O_CREAT, 0, O_TRUNC, os.O_DIRECT, O_APPEND]) | 2
        self.keep(self.calls.call("openat", AT_FDCWD, self.values.huge_path(), flags, 0o600), True)

    def close(self):
        if self.open_files:
            file = self.open_files.pop(self.values.of(range(len(self.open_files))))
            self.calls.call("close", file.number)

    def close_all(self):
        for file in self.open_files:
            self.calls.call("close", file.number)
        self.open_files = []

    def read(self):
        file = self.file()
        buffer, faults = self.memory_at()
        self.calls.call("pread", file.number, buffer, self.values.count(), self.values.offset(True), faults=faults)

    def write(self):
        file = self.file()
        buffer, faults = self.memory_at()
        if self.values.chance(0.2):
            self.calls.call("write", file.number, buffer, min(self.values.count(), 4097), faults=faults)
        else:
            self.calls.call("pwrite", file.number, buffer, self.values.count(), self.values.offset(file.is_huge), faults=faults)

    def vector(self):
        """preadv2(2) and pwritev2(2) with any flags."""
        file = self.file()
        pieces = (ctypes.c_uint64 * 8)()
        for index in range(4):
            pieces[2 * index] = ctypes.addressof(BUFFER) + index * 131073
            pieces[2 * index + 1] = self.values.of([0, 1, 4096, 65536])
        number = self.values.of([0, 1, 2, 4, -1, 1025])
        flags = self.values.bits([1, 2, 4, 8, 16, 32, 64, 1 << 30], 2)
        name = self.values.of(["preadv2", "pwritev2"])
        # More pieces than there are: the kernel finds any addresses behind them.
        number = number if number <= 4 else self.values.of([1025, 1 << 30])
        self.calls.call(name, file.number, pieces, number, self.values.offset(file.is_huge), flags)

    def seek(self):
        file = self.file()
        # Where O_APPEND is not set, the next write(2) goes there: it must stay small.
        whence = self.values.of([0, 1, 2, SEEK_DATA, SEEK_HOLE, SEEK_DATA, SEEK_HOLE, 5, -1, 1 << 31])
        self.calls.call("lseek", file.number, self.values.offset(file.is_huge), whence)

    def truncate(self):
        file = self.file()
        self.calls.call("ftruncate", file.number, self.values.size(file.is_huge))

    def allocate(self):
        file = self.file()
        self.calls.call("fallocate", file.number, self.values.of(ALLOCATIONS), self.values.offset(file.is_huge),
                        self.values.size(file.is_huge))

    def copy(self):
        """copy_file_range(2). Of a huge file a little only: where it cannot be cloned, its bytes are copied."""
        source, target = self.file(), self.file()
        count = self.values.of([0, 1, 4096, 65536]) if source.is_huge else self.values.size()
        places = [(ctypes.c_int64 * 1)(self.values.offset(file.is_huge)) if self.values.chance(0.7) else None
                  for file in (source, target)]
        self.calls.call("copy_file_range", source.number, places[0], target.number, places[1], count,
                        self.values.of([0] * 9 + [1, -1]))

    def send(self):
        source, target = self.file(), self.file()
        place = (ctypes.c_int64 * 1)(self.values.offset(source.is_huge)) if self.values.chance(0.7) else None
        count = self.values.of([0, 1, 4096, 65536])
        if self.values.chance(0.5):
            self.calls.call("sendfile", self.memory, source.number, place, count)
            os.lseek(self.memory, 0, os.SEEK_SET)
        else:
            self.calls.call("sendfile", target.number, source.number, place, count)

    def map(self):
        """Maps a file, and copies from the memory and to it, while the file changes its size."""
        file = self.file()
        size = self.values.of([1, 4096, 4097, 65536, 1 << 20, 0])
        place = self.values.of([0, 0, 0, 4096, 1, 1 << 20, 1 << 40, -4096])
        protection = self.values.of([1, 2, 3, 3, 3, 0, 7])
        sharing = self.values.of([MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE,
                                  MAP_SHARED_VALIDATE | MAP_SYNC, 0])
        address = self.calls.call("mmap", 0, size, protection, sharing, file.number, place)
        if address == -1:
            return
        for _ in range(self.values.of([1, 3, 6])):
            inside = address + self.values.of([0, 0, min(4096, size - 1), size - 1])
            # The memory behind the mapping is this process's own.
            count = min(self.values.of([1, 4096]), address + size - inside)
            step = self.values.of(["load", "store", "store", "cut", "flush", "advise", "into itself"])
            if step == "load":
                self.calls.call("pwrite", self.memory, inside, count, 0, faults=True)
            elif step == "store":
                self.calls.call("pread", self.memory, inside, count, 0, faults=True)
            elif step == "into itself":
                # The page to be written is the page to be read.
                self.calls.call("pwrite", file.number, inside, count, self.values.of([0, 1, 4096]), faults=True)
            elif step == "cut":
                self.calls.call("ftruncate", file.number, self.values.of([0, 1, 4096, 4097, 65536]))
            elif step == "flush":
                self.calls.call("msync", address, size, self.values.of([1, 4, 2, 6, 5, 8]))
            else:
                self.calls.call("madvise", address, size, self.values.of([0, 1, 3, 4, 8, 9, 20, 21, 22, 23, -1]),
                                faults=True)
        self.calls.call("munmap", address, size)

    def list(self):
        """Folders, from places that a listing never had."""
        path = self.values.folder() if self.values.chance(0.9) else self.values.path()
        descriptor = self.calls.call("openat", AT_FDCWD, path, os.O_DIRECTORY | O_NONBLOCK)
        for _ in range(self.values.of([1, 2, 4])):
            self.calls.call("getdents64", descriptor, BUFFER, self.values.of([0, 1, 24, 64, 300, 4096, 1 << 20]))
            if self.values.chance(0.5):
                self.calls.call("lseek", descriptor, self.values.number(64), self.values.of([0, 0, 0, 1, 2, 3, 4]))
        if descriptor >= 0:
            self.calls.call("close", descriptor)

    def lock(self):
        file = self.file()
        if self.values.chance(0.5):
            self.calls.call("flock", file.number, self.values.of([4 | 1, 4 | 2, 8, 4 | 8, 4, 4 | 32]))
            return
        # A `struct flock`: kind and whence, begin, length, process.
        kind = self.values.of([0, 1, 2, 3, 0xffff]) | self.values.of([0, 1, 2, 3]) << 16
        lock = (ctypes.c_int64 * 4)(kind, self.values.offset(True), self.values.offset(True), self.values.of([0, 0, 1, -1]))
        self.calls.call("fcntl", file.number, self.values.of(LOCKS), lock)

    def control(self):
        file = self.file()
        command = self.values.of(COMMANDS)
        flags = self.values.bits([O_APPEND, os.O_DIRECT, os.O_NOATIME])
        # A FIFO whose calls may wait would wait for the other end.
        argument = flags | O_NONBLOCK if command == 4 else self.values.of([0, 1, -1, 1 << 31])
        self.calls.call("fcntl", file.number, command, argument, also=self.calls.WAITS, faults=command > 1030)

    def request(self):
        file = self.file()
        number = self.values.of(REQUESTS) if self.values.chance(0.7) else self.values.number(32)
        # The clone of a file into itself, or an address.
        argument = self.file().number if number == 0x40049409 else BUFFER
        if self.values.chance(0.1):
            argument = 0
        ctypes.memset(BUFFER, self.values.of([0, 0, 1, 255]), 4096)
        self.calls.call("ioctl", file.number, number, argument, faults=argument != BUFFER)

    def flush(self):
        file = self.file()
        name = self.values.of(["fsync", "fsync", "fdatasync", "fdatasync", "sync_file_range", "syncfs"])
        if name == "sync_file_range":
            self.calls.call(name, file.number, self.values.offset(True), self.values.offset(True), self.values.of([0, 1, 2, 7, 8]))
        else:
            self.calls.call(name, file.number)

    def advise(self):
        file = self.file()
        if self.values.chance(0.5):
            self.calls.call("readahead", file.number, self.values.offset(), self.values.offset())
        else:
            self.calls.call("posix_fadvise", file.number, self.values.offset(True), self.values.offset(True),
                            self.values.of([0, 1, 2, 3, 4, 5, 6]))

    def set(self):
        file = self.file()
        kind = self.values.of(["fchmod", "fchown", "futimens"])
        if kind == "fchmod":
            self.calls.call(kind, file.number, self.values.of(MODES))
        elif kind == "fchown":
            self.calls.call(kind, file.number, self.values.of(USERS), self.values.of(USERS))
        else:
            self.calls.call(kind, file.number, times(self.values))

    def attributes(self):
        file = self.file()
        name = self.values.of([b"user.x", b"user.dropbox.id", b"security.capability", b"trusted.x"])
        kind = self.values.of(["fsetxattr", "fgetxattr", "flistxattr", "fremovexattr"])
        size = self.values.of([0, 1, 4096, 65536])
        if kind == "flistxattr":
            self.calls.call(kind, file.number, BUFFER, size)
        elif kind == "fremovexattr":
            self.calls.call(kind, file.number, name)
        else:
            self.calls.call(kind, file.number, name, BUFFER, size, *([self.values.of([0, 1, 2])] if "set" in kind else []))

    def look(self):
        file = self.file()
        if self.values.chance(0.5):
            self.calls.call("fstatfs", file.number, BUFFER)
        else:
            self.calls.call("statx", file.number, b"", 0x1000, 0x7ff, BUFFER)
