#!/usr/bin/env python3
"""System calls on open files that the shell cannot make."""

import ctypes
import errno
import fcntl
import mmap
import os
import stat
import sys

os.chdir(sys.argv[1])


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def fails(code, function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        assert error.errno == code, f"{function.__name__}{arguments}: {error}"
    else:
        raise AssertionError(f"{function.__name__}{arguments} should fail with {code}")


# Unlinked while open: the handle goes on reading and writing.
write("doomed", b"still here")
file = open("doomed", "r+b", buffering=0)
os.unlink("doomed")
fails(errno.ENOENT, os.stat, "doomed")
assert file.read() == b"still here"
file.seek(0, os.SEEK_END)
file.write(b" and longer")
file.seek(0)
assert file.read() == b"still here and longer"
assert os.fstat(file.fileno()).st_size == 21
file.close()

# Another file renamed over an open one: the handle keeps the old content.
write("old", b"old content")
write("new", b"new content, longer")
file = open("old", "rb")
os.rename("new", "old")
assert file.read() == b"old content"
file.close()
assert read("old") == b"new content, longer"

# An open file renamed: the handle follows it.
write("before", b"x")
file = open("before", "ab", buffering=0)
os.mkdir("folder")
os.rename("before", "folder/after")
file.write(b"yz")
file.close()
assert read("folder/after") == b"xyz"

# Shared mappings write to the file, and other readers see it.
write("mapped", bytes(3 * 4096))
with open("mapped", "r+b") as file:
    with mmap.mmap(file.fileno(), 0) as memory:
        memory[0:5] = b"first"
        memory[4095:4099] = b"edge"
        memory[-4:] = b"last"
        memory.flush()
content = read("mapped")
assert len(content) == 3 * 4096
assert content[0:5] == b"first" and content[4095:4099] == b"edge" and content[-4:] == b"last"

# A mapping's pages go to their places, also where the handle appends. The kernel's own pages are right in any
# case, so it is not asked.
write("appended", b"." * 8192)
descriptor = os.open("appended", os.O_RDWR | os.O_APPEND)
with mmap.mmap(descriptor, 0) as memory:
    memory[0:5] = b"first"
    memory.flush()
os.close(descriptor)
direct = os.open("appended", os.O_RDONLY | os.O_DIRECT)
with mmap.mmap(-1, 16384) as pages:
    assert os.preadv(direct, [pages], 0) == 8192
    assert pages[0:6] == b"first.", pages[0:6]
os.close(direct)

# Truncation in both directions, and holes that read as zeros.
with open("sparse", "w+b", buffering=0) as file:
    file.write(b"head")
    file.truncate(10_000_000)
    file.seek(9_999_996)
    file.write(b"tail")
    file.seek(4)
    assert file.read(4096) == bytes(4096)
    assert os.lseek(file.fileno(), 0, os.SEEK_HOLE) <= 10_000_000
    assert os.lseek(file.fileno(), 0, os.SEEK_DATA) == 0
assert os.stat("sparse").st_size == 10_000_000
os.truncate("sparse", 2)
assert read("sparse") == b"he"
with open("reserved", "wb") as file:
    os.posix_fallocate(file.fileno(), 0, 70_000)
assert read("reserved") == bytes(70_000)

# Exclusive creation, and the errors that programs look for.
descriptor = os.open("exclusive", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
os.close(descriptor)
fails(errno.EEXIST, os.open, "exclusive", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
fails(errno.EISDIR, os.open, "folder", os.O_WRONLY)
fails(errno.ENOTDIR, os.stat, "exclusive/below")
fails(errno.ENOTEMPTY, os.rmdir, "folder")
fails(errno.EPERM, os.link, "exclusive", "hard link")
fails(errno.EPERM, os.mknod, "device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
fails(errno.ENOENT, os.rename, "missing", "anything")
fails(errno.EINVAL, os.rename, "folder", "folder/inside itself")

# RENAME_NOREPLACE.
libc = ctypes.CDLL(None, use_errno=True)
assert libc.renameat2(-100, b"exclusive", -100, b"mapped", 1) == -1
assert ctypes.get_errno() == errno.EEXIST
assert read("mapped") == content

# Locks between two handles of the same file.
first, second = open("log"), open("log")
fcntl.flock(first, fcntl.LOCK_EX)
fails(errno.EWOULDBLOCK, fcntl.flock, second, fcntl.LOCK_EX | fcntl.LOCK_NB)
fcntl.flock(first, fcntl.LOCK_UN)
fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)

# Times to the nanosecond; modes and owners are accepted and remembered.
os.utime("log", ns=(1_000_000_000_123_456_789, 1_500_000_000_987_654_321))
assert os.stat("log").st_mtime_ns == 1_500_000_000_987_654_321
os.chmod("log", 0o600)
assert os.stat("log").st_mode & 0o7777 == 0o600
os.chown("log", os.getuid(), os.getgid())

# Extended attributes: Dropbox's are readable, the user's are kept here.
os.setxattr("log", "user.note", b"remember")
assert os.getxattr("log", "user.note") == b"remember"
assert "user.note" in os.listxattr("log")
os.removexattr("log", "user.note")
fails(errno.ENODATA, os.getxattr, "log", "user.note")

# fsync of files and folders.
with open("log", "ab") as file:
    os.fsync(file.fileno())
folder = os.open("folder", os.O_RDONLY)
os.fsync(folder)
os.close(folder)

usage = os.statvfs(".")
assert usage.f_blocks >= usage.f_bfree > 0 and usage.f_namemax == 255, usage
