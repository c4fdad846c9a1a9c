"""The work of the fault loop: what the server has before it, and one case for each kind of change."""

import functools
import os
import random

from fault_work import Case

KIB, MIB = 1 << 10, 1 << 20


@functools.cache
def content(name, size):
    return random.Random(name).randbytes(size)


# The server's tree before the work begins; None is a folder.
ON_SERVER = {
    "appended": content("appended", 3 * KIB),
    "overwritten": content("overwritten", 100 * KIB),
    "rewritten": content("rewritten", 20 * KIB),
    "cut": content("cut", 50 * KIB),
    "saved": content("saved", 8 * KIB),
    "from": content("from", 9 * KIB),
    "onto": content("onto", 7 * KIB),
    "unlinked": content("unlinked", 1 * KIB),
    "emptied": None,
    "moved": None,
    "moved/one": content("one", 5 * KIB),
    "moved/inner": None,
    "moved/inner/two": content("two", 6 * KIB),
    "attributes": content("attributes", 2 * KIB),
    "source": content("source", 100 * KIB),
    "read": content("read", 200 * KIB),
    "edited big": content("edited big", 9 * MIB),
}


def create(case):
    case.write("created", [(0, content("created", 5 * KIB))])


def append(case):
    pieces = [(None, content("more", 2 * KIB)), (None, content("still more", 3 * KIB))]
    case.write("appended", pieces, os.O_APPEND)


def overwrite(case):
    file = case.open("overwritten", os.O_RDWR)
    if file is not None:
        file.write(1000, content("a", 500))
        file.sync()
        file.write(95 * KIB, content("b", 20 * KIB))
        file.close()
    case.read("overwritten")


def rewrite(case):
    case.write("rewritten", [(0, content("c", 10 * KIB)), (10 * KIB, content("d", 5 * KIB))])


def overwrite_new(case):
    case.write("new", [(0, content("e", 30 * KIB))])
    if case.failures == 0:
        pieces = [(10 * KIB, content("f", 10 * KIB)), (25 * KIB, content("g", 10 * KIB))]
        case.write("new", pieces, 0)


def cut(case):
    case.truncate("cut", 10 * KIB)
    case.truncate("cut", 30 * KIB)
    case.read("cut")


def holes(case):
    file = case.open("holes", os.O_RDWR | os.O_CREAT)
    if file is not None:
        file.write(10 * KIB, content("h", 5 * KIB))
        file.truncate(30 * KIB)
        file.close()
    case.truncate("holes", 40 * KIB)


def save(case):
    case.write("saved.tmp", [(0, content("i", 9 * KIB))])
    if case.failures == 0:
        case.rename("saved.tmp", "saved")


def rename(case):
    case.rename("from", "to")
    case.rename("to", "onto")


def unlink(case):
    case.remove("unlinked")


def temporary(case):
    case.write("temporary", [(0, content("j", 4 * KIB))])
    case.remove("temporary")


def unlink_open(case):
    file = case.open("open", os.O_RDWR | os.O_CREAT)
    if file is not None:
        file.write(0, content("k", 4 * KIB))
        case.remove("open")
        file.write(4 * KIB, content("l", 4 * KIB))
        file.close()


def folders(case):
    case.make("made")
    case.make("made/inner")
    case.write("made/inner/file", [(0, content("m", 3 * KIB))])
    case.make("made/empty")
    case.remove("made/empty", os.rmdir)
    case.remove("emptied", os.rmdir)


def move(case):
    case.write("moved/inner/three", [(0, content("n", 3 * KIB))])
    case.rename("moved", "moved away")
    case.write("moved away/inner/two", [(0, content("o", 3 * KIB))])


def link(case):
    case.call("symlink link", lambda: os.symlink("created", case.at("link")),
              lambda tree: {**tree, "link": ("link to", "created")})


def attributes(case):
    path = case.at("attributes")
    case.call("chmod", lambda: os.chmod(path, 0o600),
              lambda tree: {**tree, "attributes@mode": ("mode", 0o600)})
    case.call("utimens", lambda: os.utime(path, ns=(5_000_000_001, 6_000_000_002)),
              lambda tree: {**tree, "attributes@time": ("time", 6_000_000_002)})
    case.call("setxattr", lambda: os.setxattr(path, "user.test", b"value"),
              lambda tree: {**tree, "attributes@extended": ("extended", b"value")})


def copy(case):
    copy_range(case, "source", "copied", ON_SERVER["source"])
    # So large that the copy waits for it.
    bytes = content("p", 5 * MIB)
    case.write("original", [(0, bytes)])
    if case.failures == 0:
        copy_range(case, "original", "copied too", bytes)


def copy_range(case, source, target, bytes):
    original = case.open(source, os.O_RDONLY)
    file = original and case.open(target, os.O_RDWR | os.O_CREAT)
    if file:
        file.write(0, bytes, lambda rest, at: os.copy_file_range(
            original.file, file.file, len(rest), at, at))
        file.close()
    if original:
        original.close()


def big(case):
    case.write("big", [(at * 3 * MIB, content(at, 3 * MIB)) for at in range(3)])


def edit_big(case):
    pieces = [(5 * MIB, content("q", 100)), (9 * MIB, content("r", 1000))]
    case.write("edited big", pieces, 0)


def only_read(case):
    case.read("read")


# By name: the calls, and the names in the root folder that belong to it.
CASES = {
    "create": (create, "created"),
    "append": (append, "appended"),
    "overwrite": (overwrite, "overwritten"),
    "rewrite": (rewrite, "rewritten"),
    "overwrite new": (overwrite_new, "new"),
    "cut": (cut, "cut"),
    "holes": (holes, "holes"),
    "save": (save, "saved", "saved.tmp"),
    "rename": (rename, "from", "to", "onto"),
    "unlink": (unlink, "unlinked"),
    "temporary": (temporary, "temporary"),
    "unlink open": (unlink_open, "open"),
    "folders": (folders, "made", "emptied"),
    "move": (move, "moved", "moved away"),
    "link": (link, "link"),
    "attributes": (attributes, "attributes"),
    "copy": (copy, "source", "original", "copied", "copied too"),
    "big": (big, "big"),
    "edit big": (edit_big, "edited big"),
    "read": (only_read, "read"),
}


def all_cases(mount, note, goes_on):
    return [(play, Case(mount, name, names, ON_SERVER, note, goes_on))
            for name, (play, *names) in CASES.items()]
