"""Calls the C library with any arguments, keeps the last calls, and knows which errors each call may have.

Not responsible for which calls are made. What a call may fail with is in `ERRORS`, with the reason; anything else
is a failure of the filesystem. EIO, ENOSYS and ENOTCONN are in no row: nothing here is broken, everything basic is
there, and the mount stays.
"""

import ctypes
import os
import sys
import time

from errno import (E2BIG, EACCES, EAGAIN, EBADF, EBUSY, ECONNABORTED, EDEADLK, EEXIST, EFAULT, EFBIG, EILSEQ, EINTR, EINVAL, EISDIR,
                   ELOOP, EMFILE, ENAMETOOLONG, ENODATA, ENODEV, ENOENT, ENOLCK, ENOMEM, ENOTCONN, ENOTDIR, ENOTEMPTY, ENOTTY,
                   ENXIO, EOPNOTSUPP, EOVERFLOW, EPERM, EPIPE, ERANGE, ESPIPE, ESTALE, EXDEV)

from hostile_values import name_of

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
BUFFER = ctypes.create_string_buffer(1 << 20)
BAD_ADDRESS = 1

# What finding a file by its path may fail with. EACCES: as another user than root; and for root, too, in folders that
# all users may write to (fs.protected_regular, fs.protected_symlinks).
PATH = {
    ENOENT: "nothing is there", ENOTDIR: "a file is in the way", ELOOP: "links lead in circles, or may not be followed",
    ENAMETOOLONG: "the name or path is too long", EACCES: "modes, or a folder that all users may write to",
    EINVAL: "arguments that cannot be",
}
# What making a name may fail with besides.
NAME = {
    **PATH, EEXIST: "the name is taken, or Dropbox would take it for another one", EILSEQ: "the name is no UTF-8",
    EPERM: "Dropbox has no such thing", EISDIR: "a folder is there, or the path ends with a slash",
    EBUSY: "the name is . or .., or the top folder is meant",
}
OPEN = {
    EBADF: "not open, not open for this, or no such file", EINVAL: "arguments that cannot be", EISDIR: "it is a folder",
    EPERM: "the descriptor's mode or seal forbids it",
}
# Of a folder that is open nothing is kept once it is removed.
GONE = "the open folder was removed"
UNREAD = "nobody reads the FIFO any more"
RANGE = {**OPEN, EFBIG: "a file is not so long", EOVERFLOW: "the numbers have no sum", EOPNOTSUPP: "no such mode here",
         ENODEV: "no regular file", ENXIO: "behind the end", ESPIPE: "no offset there"}
ATTRIBUTE = {
    **PATH, ENODATA: "there is none", EOPNOTSUPP: "no such namespace here", EPERM: "not for links, or not to be set",
    ERANGE: "the name or the buffer has not the right length", E2BIG: "the value is too long", EEXIST: "it is there already",
    EBADF: "not open, or by its path only",
}
ERRORS = {
    "openat": {**NAME, EOPNOTSUPP: "no O_TMPFILE here", ENXIO: "nobody reads the FIFO", EFBIG: "too long to be opened",
               EOVERFLOW: "too long to be opened"},
    "close": OPEN,
    "pread": {**RANGE, EAGAIN: "it would wait"}, "pwrite": {**RANGE, EAGAIN: "it would wait"},
    "preadv2": {**RANGE, EAGAIN: "it would wait"}, "pwritev2": {**RANGE, EAGAIN: "it would wait", EPIPE: UNREAD},
    "read": {**OPEN, EAGAIN: "the FIFO is empty"}, "write": {**RANGE, EAGAIN: "the FIFO is full", EPIPE: UNREAD},
    "lseek": RANGE,
    "ftruncate": RANGE, "truncate": {**PATH, **RANGE}, "fallocate": RANGE,
    "copy_file_range": {**RANGE, EXDEV: "across filesystems"},
    "sendfile": {**RANGE, EAGAIN: "it would wait", EPIPE: UNREAD},
    "mmap": {**RANGE, EACCES: "the descriptor's mode", EAGAIN: "locked", ENOMEM: "too much memory",
             ENODEV: "not to be mapped now"},
    "munmap": {EINVAL: "no mapping"}, "msync": {EINVAL: "arguments that cannot be", ENOMEM: "no mapping", EBUSY: "locked"},
    "madvise": {EINVAL: "arguments that cannot be", ENOMEM: "no mapping", EBADF: "no file", EAGAIN: "busy",
                EPERM: "no such advice", EOPNOTSUPP: "no such advice", EACCES: "no such advice"},
    "utimensat": {**PATH, EPERM: "not the owner", EBADF: "no such descriptor"},
    "futimens": {**OPEN, ENOENT: GONE},
    "fchmodat": {**PATH, EPERM: "not the owner", EOPNOTSUPP: "links have no modes"},
    "fchmod": {**OPEN, ENOENT: GONE},
    "fchownat": {**PATH, EPERM: "not the owner", EOVERFLOW: "no such user", EBADF: "no such descriptor"},
    "fchown": {**OPEN, ENOENT: GONE},
    "renameat2": {**NAME, ENOTEMPTY: "the folder is not empty", EXDEV: "between what is sent and what is not"},
    "linkat": {**NAME, EXDEV: "across mounts", EBADF: "no such descriptor"},
    "symlinkat": NAME, "mknodat": NAME, "mkdirat": NAME,
    "unlinkat": {**NAME, ENOTEMPTY: "the folder is not empty"},
    "readlinkat": {**PATH, EBADF: "no such descriptor"},
    "getdents64": {**OPEN, ENOTDIR: "no folder", ENOENT: "the folder is removed"},
    "setxattr": ATTRIBUTE, "lsetxattr": ATTRIBUTE, "fsetxattr": ATTRIBUTE,
    "getxattr": ATTRIBUTE, "lgetxattr": ATTRIBUTE, "fgetxattr": ATTRIBUTE,
    "listxattr": ATTRIBUTE, "llistxattr": ATTRIBUTE, "flistxattr": ATTRIBUTE,
    "removexattr": ATTRIBUTE, "lremovexattr": ATTRIBUTE, "fremovexattr": ATTRIBUTE,
    "statx": {**PATH, EBADF: "no such descriptor"}, "statfs": PATH, "fstatfs": OPEN,
    "faccessat": {**PATH, EBADF: "no such descriptor"},
    "ioctl": {**OPEN, ENOENT: GONE, ENOTTY: "not this kind of file", EOPNOTSUPP: "no such request here", EXDEV: "across filesystems",
              ENODEV: "no device", ENOTDIR: "no folder", ENOMEM: "an argument asks the kernel for too much",
              ESTALE: "the kernel opens the file anew, and it has no name any more"},
    "flock": {**OPEN, EAGAIN: "somebody has it"},
    "fcntl": {**OPEN, EAGAIN: "somebody has it", EACCES: "somebody has it", EDEADLK: "two wait for each other",
              EOVERFLOW: "the numbers have no sum", ENOLCK: "too many locks", EBUSY: "the FIFO holds more than that",
              ENOMEM: "a FIFO of two gigabytes"},
    "fsync": OPEN, "fdatasync": OPEN, "syncfs": OPEN,
    "sync_file_range": {**OPEN, ESPIPE: "no file"}, "posix_fadvise": {**OPEN, ESPIPE: "a FIFO"}, "readahead": OPEN,
    "name_to_handle_at": {**PATH, EOPNOTSUPP: "no handles here", EOVERFLOW: "the handle is longer", EBADF: "no such descriptor"},
    "open_by_handle_at": {**PATH, **OPEN, ESTALE: "no such file any more", EPERM: "root's only", EOPNOTSUPP: "no handles here",
                          ENXIO: "a socket"},
    "inotify_init1": {EMFILE: "too many of them"},
    "inotify_add_watch": {**PATH, EBADF: "no such descriptor", EEXIST: "watched already"},
    "inotify_rm_watch": {EINVAL: "no such watch", EBADF: "no such descriptor"},
}
LONG = {"pread", "pwrite", "preadv2", "pwritev2", "read", "write", "lseek", "copy_file_range", "sendfile", "readlinkat", "getdents64",
        "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr", "mmap", "readahead"}


class Ring:
    """The last calls of a process in a file of fixed size, which is written to at once: a reader sees a call that has
    not ended, and by the time of the file, since when."""

    SLOTS, WIDTH = 200, 400

    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self.number = 0

    def begin(self, text):
        self.number += 1
        self.put(f"{self.number} {time.time():.3f} {text}", " ...")

    def end(self, text, result):
        self.put(f"{self.number} {time.time():.3f} {text}", f" = {result}")

    def put(self, text, end):
        line = text[:self.WIDTH - 40].encode("ascii", "backslashreplace")[:self.WIDTH - 40] + end.encode()
        place = self.number % self.SLOTS * self.WIDTH
        os.pwrite(self.file, line[:self.WIDTH - 1].ljust(self.WIDTH - 1) + b"\n", place)


def last_calls(path):
    """The lines of a ring in their order."""
    with open(path, errors="replace") as file:
        lines = [line.rstrip() for line in file if line.strip("\0 \n")]
    return sorted(lines, key=lambda line: int(line.lstrip("\0").split(" ", 1)[0]))


class SystemCalls:
    """Makes calls and judges how they end."""

    MOST_FAILURES = 50
    WAITS = {EAGAIN: "nothing is there yet"}

    def __init__(self, ring, failures, is_interrupted):
        self.ring = ring
        self.failures = failures
        self.failed = 0
        self.counts = {}
        # Whether signals come at any time: then every call may end with EINTR.
        self.is_interrupted = is_interrupted

    def call(self, name, *arguments, also=(), faults=False):
        """Makes a call. It may end with the errors of its row and with `also`, with EFAULT only if it gets a bad address.
        Returns its result, -1 if it has failed."""
        function = getattr(LIBC, name)
        function.restype = ctypes.c_ssize_t if name in LONG else ctypes.c_int
        text = f"{name}({', '.join(map(shown, arguments))})"
        self.ring.begin(text)
        ctypes.set_errno(0)
        result = function(*map(passed, arguments))
        number = ctypes.get_errno() if result == -1 else 0
        # posix_fadvise(2) returns its error.
        if name == "posix_fadvise" and result > 0:
            result, number = -1, result
        ended = name_of(number) if result == -1 else result
        self.ring.end(text, ended)
        counted = self.counts.setdefault(name, {})
        counted[name_of(number) if number else "ok"] = counted.get(name_of(number) if number else "ok", 0) + 1
        allowed = number in ERRORS[name] or number in also or number == EFAULT and faults
        if number and not allowed and not (number == EINTR and self.is_interrupted):
            self.fail(f"{text} = {ended}: no error that this call may have")
        if number in (ENOTCONN, ECONNABORTED):
            sys.exit("the mount has gone")
        return result

    def fail(self, text):
        self.failed += 1
        if self.failed <= self.MOST_FAILURES:
            os.write(self.failures, text[:2000].encode("ascii", "backslashreplace") + b"\n")


def passed(argument):
    return ctypes.c_int64(argument) if isinstance(argument, int) else argument


def shown(argument):
    if isinstance(argument, bytes):
        return repr(argument)[1:] if len(argument) <= 60 else f"{repr(argument[:40])[1:]}...{len(argument)}"
    if isinstance(argument, int):
        return str(argument) if -4096 < argument < 65536 else hex(argument)
    if isinstance(argument, ctypes.Array):
        return "buffer" if argument is BUFFER else str(list(argument))[:80].replace("\n", " ")
    return type(argument).__name__
