"""Random calls on one mount of the scenario `storm`, and its contents.

Run as a program, `storm_work.py worker|reader NAME ROOT`, it works on the mount at ROOT until there is
a file `stop`, and fails at the first thing that is not as it was promised. Not responsible for workers that
hang: storm.py reads the time of the last line of NAME.history, which has every call.
"""

import errno
import fcntl
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time

WORK = os.environ["WORK"]
STOP = WORK + "/stop"

NAMES = ["red", "green", "blue.txt", "grey.txt", "über"]
KNOWN = {*NAMES, *(name.upper() for name in NAMES)}
# Folders with rules of their own: where nothing is lost, and where only one worker does anything.
APART = re.compile(r"/?(keep|own-\w+)")
# Names that one worker makes and no other: while a file is written, for a rename, and in `keep`.
UNIQUE = re.compile(r"[tck]-\w+-\d+|\.dbxfs-rename-\d+-\d+(-.*)?")
CONFLICTED = re.compile(r" \([^()]+'s conflicted copy \d{4}-\d\d-\d\d\)( \(\d+\))?")
# The failures of a worker that is not alone.
RACES = {errno.ENOENT, errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR, errno.EBUSY,
         errno.ESTALE}
RACE_TEXTS = tuple(os.strerror(number) for number in RACES)


class Broken(Exception):
    """Something is not as it was promised."""


# A content is one record or several, each of them a line `storm TOKEN PREVIOUS LENGTH` and bytes that
# follow from its token. PREVIOUS is the token of the record before it, or `-`.

def body(token, length):
    return hashlib.shake_128(token.encode()).digest(length)


def tokens_in(content, where):
    """Returns the tokens of all records, which must be whole and follow on each other."""
    tokens, place = [], 0
    while place < len(content) or not tokens:
        line = content[place:place + 200].partition(b"\n")[0]
        match = re.fullmatch(rb"storm (\S+) (\S+) (\d+)", line)
        if match is None:
            raise Broken(f"{where}: no record at {place} of {len(content)} bytes, after "
                         f"{tokens[-1:]}, but {line[:80]}")
        token, previous, length = match[1].decode(), match[2].decode(), int(match[3])
        if previous != (tokens[-1] if tokens else "-"):
            raise Broken(f"{where}: {token} was written after {previous}, not after {tokens[-1:]}")
        place += len(line) + 1
        found, wanted = content[place:place + length], body(token, length)
        if found != wanted:
            same = len(os.path.commonprefix([found, wanted]))
            raise Broken(f"{where}: {token} at {place} has {length} bytes; of {len(found)} bytes "
                         f"the first {same} are right; {len(content)} bytes in all")
        place += length
        tokens.append(token)
    return tokens


class Writer:
    """Chooses at random, makes contents, and notes what it does."""

    def __init__(self, name):
        self.name = name
        self.random = random.Random(f"{os.environ['STORM_SEED']} {name}")
        self.count = 0
        self.history, self.written, self.kept = (
            open(f"{WORK}/{name}.{kind}", "a", buffering=1) for kind in ("history", "written", "kept"))

    def note(self, text):
        self.history.write(f"{time.time():.3f} {text}\n")

    def unique(self, kind):
        self.count += 1
        return f"{kind}-{self.name}-{self.count}"

    def choose(self, weights):
        return self.random.choices(list(weights), list(weights.values()))[0]

    def name_like(self, name):
        """The same name in the other case."""
        return name.upper() if name.islower() else name.lower()

    def record(self, previous="-"):
        """Returns a token and a record of it: mostly small, seldom of more than one block."""
        token = self.unique("x")
        size = self.choose({100: 70, 5000: 20, 200_000: 9, 6_000_000: 1 if previous == "-" else 0})
        length = self.random.randrange(4_200_000 if size > 4_200_000 else 0, size)
        self.written.write(token + "\n")
        self.note(f"{token} has {length} bytes")
        return token, f"storm {token} {previous} {length}\n".encode() + body(token, length)


class Visitor(Writer):
    """A worker on a mount."""

    def __init__(self, name, root):
        super().__init__(name)
        self.root = root
        # The folder where no other worker does anything, and the contents that must be in it.
        self.place, self.mine = f"/own-{name}", {}

    def work(self, weights):
        while not os.path.exists(STOP):
            kind = self.choose(weights)
            try:
                getattr(self, kind)()
            except OSError as error:
                if error.errno not in RACES:
                    raise Broken(f"{kind}: {error}") from error
                self.note(f"{kind}: {errno.errorcode[error.errno]}")
            time.sleep(self.random.random() * 0.02)

    # Where

    def list(self, folder):
        """Returns names in a folder, and whether they are folders."""
        self.note(f"list {folder}")
        with os.scandir(self.root + folder) as entries:
            found = [(entry.name, entry.is_dir()) for entry in entries]
        names = sorted(name for name, _ in found)
        if len(set(names)) < len(names):
            raise Broken(f"{folder} has a name twice: {names}")
        for name in names:
            original = CONFLICTED.sub("", name)
            if original not in KNOWN and not UNIQUE.fullmatch(original) and not APART.fullmatch(name):
                raise Broken(f"{folder} has {name!r}, which nobody made")
        return found

    def folder(self, top=""):
        """`top`, or a folder below it."""
        folder = top
        for _ in range(self.random.randrange(4)):
            names = [name for name, is_folder in self.list(folder)
                     if is_folder and not APART.fullmatch(name)]
            if not names:
                break
            folder += "/" + self.random.choice(names)
        return folder

    def some(self, folders, top=""):
        """A path of a file, or of a folder. Files of this mount that are being written are left alone."""
        place = self.folder(top)
        names = [name for name, is_folder in self.list(place)
                 if is_folder == folders and not APART.fullmatch(name) and not name.startswith("t-")]
        if not names:
            raise FileNotFoundError(errno.ENOENT, "nothing", place)
        return f"{place}/{self.random.choice(names)}"

    def target(self):
        name = self.random.choice(NAMES)
        return f"{self.folder()}/{name.upper() if self.random.random() < 0.1 else name}"

    # Looking

    def read(self):
        path = self.some(False, self.random.choice(["", "", "/keep"]))
        self.note(f"read {path}")
        with open(self.root + path, "rb", buffering=0) as file:
            # A worker that writes in place on this mount holds the lock during that.
            fcntl.flock(file, fcntl.LOCK_SH)
            self.pause()
            content = read_all(file, self.random.choice([700, 65536, 1 << 20]))
            self.note(f"read {len(content)} bytes")
            tokens_in(content, path)
            if self.pause():
                file.seek(0)
                if read_all(file, 1 << 17) != content:
                    raise Broken(f"{path} became another one while it was open")
        self.note(f"closed {path}")

    def pause(self):
        """Waits now and then, so that others can change open files."""
        if waits := self.random.random() < 0.3:
            # The pace of a user, drawn.
            time.sleep(self.random.random() * 0.5)
        return waits

    def find(self):
        self.run("find", self.root)

    def list_all(self):
        self.run("ls", "-lR", self.root)

    def run(self, *command):
        self.note(" ".join(command))
        result = subprocess.run(command, capture_output=True, text=True, errors="replace")
        for line in result.stderr.splitlines():
            if not line.endswith(RACE_TEXTS):
                raise Broken(f"{' '.join(command)}: {line}")
        self.note("done")

    # Changing something

    def save(self, path):
        """Writes a file beside the target, and renames it over that."""
        temporary = os.path.dirname(path) + "/" + self.unique("t")
        token, content = self.record()
        self.note(f"write {token} to {temporary}")
        try:
            with open(self.root + temporary, "xb", buffering=0) as file:
                write_all(file, content)
                if self.random.random() < 0.1:
                    os.fsync(file.fileno())
            self.rename(temporary, path)
        except OSError:
            os.unlink(self.root + temporary)
            raise
        return [token]

    def append(self, path):
        self.note(f"append to {path}")
        with open(self.root + path, "r+b", buffering=0, opener=appending) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = read_all(file, 1 << 20)
            tokens = tokens_in(before, path)
            token, content = self.record(tokens[-1])
            write_all(file, content)
            self.note(f"{token} at {len(before)}")
        self.note(f"closed {path}")
        return [*tokens, token]

    def overwrite(self, path):
        token, content = self.record()
        self.note(f"overwrite {path} with {token}")
        with open(self.root + path, "r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.ftruncate(file.fileno(), 0)
            write_all(file, content)
        self.note(f"closed {path}")
        return [token]

    def rename(self, source, target):
        if (target + "/").startswith(source + "/"):
            return
        self.note(f"rename {source} to {target}")
        try:
            os.rename(self.root + source, self.root + target)
        except OSError as error:
            # A folder into one that has just been moved into it.
            if error.errno != errno.EINVAL:
                raise
        self.note("renamed")

    def unlink(self, path):
        self.note(f"unlink {path}")
        os.unlink(self.root + path)
        self.note("unlinked")

    def make_folder(self, path):
        self.note(f"mkdir {path}")
        os.mkdir(self.root + path)

    # Changing anything, where all workers do

    def change(self):
        kind = self.choose({"save": 20, "append": 8, "overwrite": 8, "rename": 10, "rename folder": 5,
                            "case": 3, "unlink": 8, "mkdir": 8, "rmdir": 3, "rm": 1})
        if kind == "save":
            self.save(self.target())
        elif kind in ("append", "overwrite", "unlink"):
            getattr(self, kind)(self.some(False))
        elif kind.startswith("rename"):
            self.rename(self.some(kind == "rename folder"), self.target())
        elif kind == "case":
            place, name = self.some(self.random.random() < 0.3).rsplit("/", 1)
            if name in KNOWN:
                self.rename(f"{place}/{name}", f"{place}/{self.name_like(name)}")
        elif kind == "mkdir":
            self.make_folder(self.target())
        elif kind == "rmdir":
            path = self.some(True)
            self.note(f"rmdir {path}")
            os.rmdir(self.root + path)
        else:
            self.run("rm", "-r", "--", self.root + self.some(True))

    def keep(self):
        """Something that loses nothing, in a folder where no worker does anything else."""
        new = "/keep/" + self.unique("k")
        kind = self.choose({"append": 12, "save": 3, "move": 3, "mkdir": 1, "move folder": 1})
        if kind == "append":
            self.kept.write(self.append(self.some(False, "/keep"))[-1] + "\n")
        elif kind == "save":
            self.kept.write(self.save(f"{self.folder('/keep')}/{self.unique('k')}")[0] + "\n")
        elif kind == "mkdir":
            self.make_folder(new)
        else:
            self.rename(self.some(kind == "move folder", "/keep"), new)

    def own(self):
        """Something where no other worker does anything: it works, and is to be seen at once."""
        if not self.mine and not os.path.exists(self.root + self.place):
            self.make_folder(self.place)
        path, other = (f"{self.place}/{name}" for name in self.random.sample(NAMES, 2))
        kind = self.choose({"save": 4, "append": 4, "overwrite": 2, "rename": 3, "unlink": 1})
        try:
            if path not in self.mine or kind == "save":
                self.mine[path] = self.save(path)
            elif kind == "rename":
                self.rename(path, other)
                self.mine[other] = self.mine.pop(path)
            elif kind == "unlink":
                self.unlink(path)
                del self.mine[path]
            else:
                self.mine[path] = getattr(self, kind)(path)
            found = {}
            for name in os.listdir(self.root + self.place):
                with open(f"{self.root}{self.place}/{name}", "rb", buffering=0) as file:
                    path = f"{self.place}/{name}"
                    found[path] = tokens_in(read_all(file, 1 << 20), path)
        except OSError as error:
            raise Broken(f"where nobody else is: {error}") from error
        if found != self.mine:
            raise Broken(f"here is {found}, and should be {self.mine}")


def appending(path, flags):
    return os.open(path, flags | os.O_APPEND)


def read_all(file, piece):
    pieces = []
    while data := file.read(piece):
        pieces.append(data)
    return b"".join(pieces)


def write_all(file, content):
    place = 0
    while place < len(content):
        place += file.write(content[place:place + 100_000])


def main():
    kind, name, root = sys.argv[1:]
    visitor = Visitor(name, root)
    looking = {"read": 20, "find": 1, "list_all": 1}
    visitor.work(looking if kind == "reader" else {"change": 75, "keep": 20, "own": 10, **looking})
    with open(f"{WORK}/{name}.own", "w") as file:
        json.dump(visitor.mine, file)


if __name__ == "__main__":
    main()
