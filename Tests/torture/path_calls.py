"""System calls that take paths: names, kinds, modes, times, extended attributes.

Not responsible for open files (descriptor_calls.py). Each method makes one call, or a few that belong together.
"""

import ctypes
import os
import stat

from hostile_values import (ATTRIBUTES, FOLDERS, MODES, NANOSECONDS, SECONDS, USERS)
from system_calls import AT_FDCWD, BAD_ADDRESS, BUFFER

AT_SYMLINK_NOFOLLOW, AT_REMOVEDIR, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH = 0x100, 0x200, 0x400, 0x1000
RENAME_FLAGS = [0, 0, 0, 0, 1, 1, 2, 2, 4, 5, 3, 6, 7, 8, 1 << 31, 0xffffffff]
STATX_FLAGS = [0, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, 0x800, 0x2000, 0x4000, 0x6000, 0x8000, 1 << 31]
STATX_MASKS = [0, 0x7ff, 0xfff, 0x1fff, 0x2000, 0x4000, 0x10000, 1 << 31, 0xffffffff]
MASK = (1 << 64) - 1


class Handle(ctypes.Structure):
    """A `file_handle` of open_by_handle_at(2)."""

    SIZE = 128
    _fields_ = [("bytes", ctypes.c_uint32), ("kind", ctypes.c_int32), ("handle", ctypes.c_ubyte * SIZE)]


def times(values):
    """Two moments as utimensat(2) takes them, most of which cannot be."""
    numbers = [values.of(kind) for kind in (SECONDS, NANOSECONDS) * 2]
    return (ctypes.c_int64 * 4)(*numbers)


class PathCalls:
    """Calls on the node at a path."""

    def __init__(self, calls):
        self.calls = calls
        self.values = None

    def table(self):
        """How often each of them comes."""
        return {
            self.mkdir: 4, self.rmdir: 2, self.unlink: 6, self.rename: 8, self.rename_huge: 2, self.link: 2,
            self.symlink: 4, self.readlink: 3, self.mknod: 3, self.truncate: 3, self.chmod: 3, self.chown: 3, self.utime: 4,
            self.set_attribute: 5, self.get_attribute: 5, self.list_attributes: 2, self.remove_attribute: 3,
            self.statx: 5, self.statfs: 1, self.access: 2, self.watch: 1, self.open_by_handle: 2,
        }

    def address(self, path):
        """The path; now and then one that is not in memory, and whether it is."""
        return (BAD_ADDRESS, True) if self.values.chance(0.005) else (path, False)

    def mkdir(self):
        path = self.values.of(FOLDERS) if self.values.chance(0.5) else self.values.path()
        path, faults = self.address(path)
        self.calls.call("mkdirat", AT_FDCWD, path, self.values.of(MODES), faults=faults)

    def rmdir(self):
        path = self.values.of(FOLDERS[1:]) if self.values.chance(0.3) else self.values.path()
        self.calls.call("unlinkat", AT_FDCWD, path, AT_REMOVEDIR)

    def unlink(self):
        path = self.values.huge_path() if self.values.chance(0.15) else self.values.path()
        path, faults = self.address(path)
        flags = self.values.of([0] * 9 + [1, 0x100, 0xffffffff])
        self.calls.call("unlinkat", AT_FDCWD, path, flags, faults=faults)

    def rename(self):
        self.calls.call("renameat2", AT_FDCWD, self.values.path(), AT_FDCWD, self.values.path(),
                        self.values.of(RENAME_FLAGS))

    def rename_huge(self):
        # Among names that stay here only: elsewhere it would be sent.
        self.calls.call("renameat2", AT_FDCWD, self.values.huge_path(), AT_FDCWD, self.values.huge_path(),
                        self.values.of(RENAME_FLAGS))

    def link(self):
        flags = self.values.of([0, 0, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH, 1 << 31])
        self.calls.call("linkat", AT_FDCWD, self.values.path(), AT_FDCWD, self.values.path(), flags)

    def symlink(self):
        target, faults = self.address(self.values.target())
        self.calls.call("symlinkat", target, AT_FDCWD, self.values.path(), faults=faults)

    def readlink(self):
        size = self.values.of([0, 1, 5, 4096, 65536, -1])
        self.calls.call("readlinkat", AT_FDCWD, self.values.path(), BUFFER, size)

    def mknod(self):
        kind = self.values.of([0, stat.S_IFREG, stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK,
                               stat.S_IFDIR, stat.S_IFLNK, 0o170000, 0o30000])
        self.calls.call("mknodat", AT_FDCWD, self.values.path(), kind | self.values.of(MODES) & 0o7777,
                        self.values.of([0, 0x103, (1 << 32) - 1, -1]))

    def truncate(self):
        is_huge = self.values.chance(0.2)
        path = self.values.huge_path() if is_huge else self.values.path()
        self.calls.call("truncate", path, self.values.offset(is_huge))

    def chmod(self):
        flags = self.values.of([0, 0, 0, AT_SYMLINK_NOFOLLOW])
        self.calls.call("fchmodat", AT_FDCWD, self.values.path(), self.values.of(MODES), flags)

    def chown(self):
        flags = self.values.of([0, 0, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, 1 << 30])
        self.calls.call("fchownat", AT_FDCWD, self.values.path(), self.values.of(USERS), self.values.of(USERS), flags)

    def utime(self):
        moments = times(self.values)
        if self.values.chance(0.05):
            moments = None
        flags = self.values.of([0, 0, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH, 1 << 30])
        path = self.values.huge_path() if self.values.chance(0.1) else self.values.path()
        self.calls.call("utimensat", AT_FDCWD, path, moments, flags)

    def attribute(self):
        if self.values.chance(0.3):
            return self.values.of([b"user.x", b"user.y"])
        return self.values.of(ATTRIBUTES)

    def set_attribute(self):
        size = self.values.of([0, 0, 1, 10, 255, 4096, 65535, 65536, 65537, 1 << 20, -1])
        value, faults = (BAD_ADDRESS, True) if self.values.chance(0.02) else (BUFFER, False)
        flags = self.values.of([0, 0, 0, 1, 2, 3, 4, -1])
        self.calls.call(self.values.of(["setxattr", "lsetxattr"]), self.values.path(), self.attribute(), value, size, flags,
                        faults=faults)

    def get_attribute(self):
        size = self.values.of([0, 0, 1, 16, 4096, 65536, 1 << 20])
        self.calls.call(self.values.of(["getxattr", "lgetxattr"]), self.values.path(), self.attribute(), BUFFER, size)

    def list_attributes(self):
        size = self.values.of([0, 1, 16, 4096, 65536, 1 << 20])
        self.calls.call(self.values.of(["listxattr", "llistxattr"]), self.values.path(), BUFFER, size)

    def remove_attribute(self):
        self.calls.call(self.values.of(["removexattr", "lremovexattr"]), self.values.path(), self.attribute())

    def statx(self):
        path, faults = self.address(self.values.path())
        self.calls.call("statx", AT_FDCWD, path, self.values.of(STATX_FLAGS), self.values.of(STATX_MASKS), BUFFER, faults=faults)

    def statfs(self):
        self.calls.call("statfs", self.values.path(), BUFFER)

    def access(self):
        self.calls.call("faccessat", AT_FDCWD, self.values.path(), self.values.of([0, 1, 2, 4, 7, 8, -1]),
                        self.values.of([0, 0, 0x200, AT_SYMLINK_NOFOLLOW, 1 << 30]))

    def watch(self):
        if (notifier := self.calls.call("inotify_init1", 0x80000 | 0x800)) < 0:
            return
        mask = self.values.of([0xfff, 2, 0x100, 0, 0xffffffff, 0x1000000 | 0xfff])
        watch = self.calls.call("inotify_add_watch", notifier, self.values.path(), mask)
        self.calls.call("read", notifier, BUFFER, 4096, also=self.calls.WAITS)
        self.calls.call("inotify_rm_watch", notifier, watch if self.values.chance(0.8) else 77)
        self.calls.call("close", notifier)

    def open_by_handle(self):
        """The handle of a file, and handles a little different from it. Only for reading: it may be any file's."""
        handle = Handle(bytes=self.values.of([Handle.SIZE, Handle.SIZE, 0, 12, 129, (1 << 32) - 1]))
        found = ctypes.c_int()
        flags = self.values.of([0, AT_SYMLINK_FOLLOW, AT_EMPTY_PATH, 0x200, 1, 1 << 30])
        self.calls.call("name_to_handle_at", AT_FDCWD, self.values.path(), ctypes.byref(handle), ctypes.byref(found), flags)
        handle.bytes = min(handle.bytes, Handle.SIZE)
        for _ in range(self.values.of([0, 0, 1, 4])):
            handle.handle[self.values.of(range(24))] = self.values.of(range(256))
        if self.values.chance(0.2):
            handle.kind = self.values.of([0, 1, 0x81, 0x82, 0xff, -1])
        top = self.calls.call("openat", AT_FDCWD, b".", 0o200000)
        # A FIFO would wait for its other end.
        flags = os.O_NONBLOCK | self.values.of([0, 0o10000000])
        descriptor = self.calls.call("open_by_handle_at", top, ctypes.byref(handle), flags)
        if descriptor >= 0:
            self.calls.call("pread", descriptor, BUFFER, 4096, 0)
            self.calls.call("close", descriptor)
        self.calls.call("close", top)
