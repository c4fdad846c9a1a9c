"""What calls on a mount may have left there, from what they reported.

A case is a few calls in a place of their own. It keeps all trees that are possible: paths, and the content
there. None is a folder; a pair is a fact such as a link's target; a list has the versions of a file,
oldest first: the file is one of them, or a beginning of one with the rest of the version before. One
version means just these bytes.
"""

import os
import zlib


class Broken(Exception):
    """Something that must not be."""


class Case:
    """Calls that belong together, on some names in the root folder."""

    def __init__(self, mount, name, names, server, note, goes_on):
        self.mount, self.name, self.names = mount, name, names
        self.note, self.goes_on = note, goes_on
        self.failures = 0
        self.files = set()
        self.states = [{path: None if bytes is None else [bytes]
                        for path, bytes in server.items() if self.owns(path)}]

    def at(self, path):
        return f"{self.mount}/{path}"

    # Calls

    def call(self, text, call, after):
        """Makes a call that happens wholly or not at all. `after` makes the tree after it, or None where
        it cannot happen. Returns what the call returns; None if it failed."""
        if not self.goes_on():
            raise Interrupted
        afterwards = [state for state in map(after, self.states) if state is not None]
        try:
            result = call()
        except OSError as error:
            self.note(f"{self.name}: {text}: {error.strerror}")
            self.failures += 1
            self.states += [state for state in afterwards if state not in self.states]
            return None
        self.note(f"{self.name}: {text}: done")
        if not afterwards:
            raise Broken(f"{self.name}: {text} cannot have been done")
        self.states = afterwards
        return True if result is None else result

    def rename(self, source, target):
        def after(tree):
            if source not in tree:
                return None
            return {target + path[len(source):] if (path + "/").startswith(source + "/") else path: value
                    for path, value in tree.items() if path != target}

        self.call(f"rename {source} to {target}",
                  lambda: os.rename(self.at(source), self.at(target)), after)

    def remove(self, path, call=os.unlink):
        self.call(f"{call.__name__} {path}", lambda: call(self.at(path)),
                  lambda tree: {k: v for k, v in tree.items() if k != path} if path in tree else None)

    def make(self, path):
        self.call(f"mkdir {path}", lambda: os.mkdir(self.at(path)),
                  lambda tree: {**tree, path: None} if path not in tree else None)

    def truncate(self, path, size):
        self.call(f"truncate {path} to {size}", lambda: os.truncate(self.at(path), size),
                  lambda tree: resized(tree, path, size))

    def open(self, path, flags):
        def after(tree):
            if path in tree:
                return {**tree, path: [b""]} if flags & os.O_TRUNC else tree
            return {**tree, path: [b""]} if flags & os.O_CREAT else None

        file = self.call(f"open {path}", lambda: os.open(self.at(path), flags, 0o644), after)
        return None if file is None else OpenFile(self, path, file)

    def write(self, path, pieces, flags=os.O_CREAT | os.O_TRUNC):
        """Opens, writes pieces, given as offset and bytes, and closes."""
        file = self.open(path, os.O_RDWR | flags)
        if file is not None:
            for offset, bytes in pieces:
                file.write(offset, bytes)
            file.close()

    def read(self, path):
        """Reads a file, of which each version that is possible is right."""
        try:
            found = read(self.at(path))
        except OSError as error:
            self.note(f"{self.name}: read {path}: {error.strerror}")
            self.failures += 1
            return
        if not any(path in tree and fits(found, tree[path]) for tree in self.states):
            raise Broken(f"{self.name}: read of {path}: {text(found)}{self.possible()}")

    def abandon(self):
        """Closes files left open when the process ended."""
        for file in self.files:
            try:
                os.close(file)
            except OSError:
                pass

    # The present tree

    def settle(self, found):
        """Takes the present tree for the truth, if it is one of those possible."""
        mine = {path: value for path, value in found.items() if self.owns(path)}
        for tree in self.states:
            if tree.keys() == mine.keys() and all(fits(mine[path], tree[path]) for path in tree):
                self.states = [{path: [value] if isinstance(value, bytes) else value
                                for path, value in mine.items()}]
                return
        raise Broken(f"{self.name}: found {describe(mine)}{self.possible()}")

    def possible(self):
        return "\n  but could be " + "\n    or ".join(describe(tree) for tree in self.states[:8])

    def owns(self, path):
        return path.split("/")[0].split("@")[0] in self.names


class Interrupted(Exception):
    """The mount's process has ended."""


class OpenFile:
    def __init__(self, case, path, file):
        self.case, self.path, self.file = case, path, file
        case.files.add(file)
        self.is_whole = True

    def write(self, offset, bytes, write=None):
        """Writes at an offset; None appends. After a failure nothing more is written. `write` is another
        call that puts bytes at an offset."""
        done = 0
        while done < len(bytes) and self.is_whole:
            place = None if offset is None else offset + done
            rest = bytes[done:]
            try:
                done += self.write_some(place, rest, write)
            except Interrupted:
                if done > 0:
                    # The rest was on its way when the call returned.
                    self.case.states = [written(tree, self.path, place, rest)
                                        for tree in self.case.states]
                raise

    def write_some(self, offset, bytes, write):
        before = self.case.states

        def call():
            if write:
                return write(bytes, offset)
            if offset is None:
                return os.write(self.file, bytes)
            return os.pwrite(self.file, bytes, offset)

        count = self.case.call(f"write {len(bytes)} bytes to {self.path}", call,
                               lambda tree: written(tree, self.path, offset, bytes))
        if count is None:
            # A write that was cut short has written any beginning.
            self.is_whole = False
            self.case.states = [written(tree, self.path, offset, bytes) for tree in before]
            return 0
        if count < len(bytes):
            self.case.states = [written(tree, self.path, offset, bytes[:count]) for tree in before]
        return count

    def truncate(self, size):
        self.case.call(f"ftruncate {self.path} to {size}", lambda: os.ftruncate(self.file, size),
                       lambda tree: resized(tree, self.path, size))

    def sync(self):
        self.case.call(f"fsync {self.path}", lambda: os.fsync(self.file), self.kept)

    def close(self):
        def call():
            self.case.files.remove(self.file)
            os.close(self.file)

        self.case.call(f"close {self.path}", call, self.kept)

    def kept(self, tree):
        """Written content stays from now on."""
        if self.path not in tree:
            return tree
        return {**tree, self.path: tree[self.path][-1 if self.is_whole else -2:]}


def written(tree, path, offset, bytes):
    if path not in tree:
        return tree
    last = tree[path][-1]
    start = len(last) if offset is None else offset
    after = last[:start].ljust(start, b"\0") + bytes + last[start + len(bytes):]
    return {**tree, path: tree[path] + [after]}


def resized(tree, path, size):
    if path not in tree:
        return None
    return {**tree, path: [version[:size].ljust(size, b"\0") for version in tree[path]]}


def fits(found, value):
    if not isinstance(value, list):
        return found == value
    if not isinstance(found, bytes):
        return False
    if found in value:
        return True
    return any(is_mixed(found, new, old) for old, new in zip(value, value[1:]))


def is_mixed(found, new, old):
    same, differs = 0, min(len(found), len(new)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        if found[:middle] == new[:middle]:
            same = middle
        else:
            differs = middle
    return found[same:] == old[same:]


def describe(tree):
    return "{" + ", ".join(f"{path}: {text(value)}" for path, value in sorted(tree.items())) + "}"


def text(value):
    if isinstance(value, list):
        return " / ".join(map(text, value))
    if isinstance(value, bytes):
        return f"{len(value)} bytes ({zlib.crc32(value):08x})"
    return str(value or "a folder")


def read(path):
    with open(path, "rb", buffering=0) as file:
        return file.read()
