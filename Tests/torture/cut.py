#!/usr/bin/env python3
"""One power cut: work, the cut, and what the server has in the end.

    cut.py BIN_DIR FOLDER SEED

Each content consists of records that say whose they are, of which version and where in it, so that no two
contents have a record in common, and none has a zero.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

from bed import Broken, Client, Emulator, Mount, content_hash

RECORD = 64
BIG = 6 << 20
IMAGE = 384 << 20
SYNC_LIMIT = 60


def records(name, version, start, end):
    """The part of a version between two offsets, both multiples of a record's size."""
    lines = (f"{name} version {version} at {place} ".ljust(RECORD - 1, "-") + "\n"
             for place in range(start, end, RECORD))
    return "".join(lines).encode()


class File:
    """A file and all contents that it has had completely."""

    def __init__(self, path):
        self.path = path
        self.content = b""
        # The hashes of the versions; none is the file that is not there yet.
        self.versions = [None]
        # The version that was on the disk for certain, by its place in `versions`.
        self.flushed = 0
        # The write under way, until the call that ends it has returned.
        self.becoming = None
        # The temporary file that the last flushed content has come from, by a rename that may not be on the disk,
        # and which version it is.
        self.came_from = None

    def change(self, content):
        self.becoming = content

    def complete(self):
        """All calls that write the version have returned."""
        self.content, self.becoming = self.becoming, None
        self.versions.append(content_hash(self.content))

    def flush(self):
        """An fsync has returned."""
        self.flushed = len(self.versions) - 1

    def may_be(self, content):
        """Whether the file can have this because the cut was in the middle of its being written."""
        if self.becoming is None:
            return False
        return all(content[place:place + RECORD] in
                   (self.content[place:place + RECORD], self.becoming[place:place + RECORD])
                   for place in range(0, len(content), RECORD))


class Work:
    """The calls of programs on the mount until it is gone."""

    def __init__(self, root, seed, note):
        self.root = root
        self.random = random.Random(f"powercut {seed}")
        self.note = note
        self.files = {}
        self.count = 0

    def run(self):
        try:
            while True:
                kind = self.random.choice(["create"] * 5 + ["rewrite"] * 4 + ["save"] * 5 + ["append"] * 4
                                          + ["patch"] * 4 + ["folder"])
                getattr(self, kind)()
                # The pace of a user, drawn.
                time.sleep(self.random.choice([0, 0.002, 0.01, 0.03]))
        except OSError as error:
            self.note(f"the work ends: {error}")

    # The common steps

    def version(self):
        self.count += 1
        return self.count

    def some(self, is_big=False):
        return self.files[self.random.choice(
            [path for path in sorted(self.files) if not path.endswith(".tmp")
             and (len(self.files[path].content) >= BIG) == is_big])]

    def size(self):
        return RECORD * self.random.choice([1, 20, 300, 1600, 4000])

    def folder(self):
        """A new folder with a file in it."""
        folder = f"/new{self.version()}"
        os.mkdir(self.root + folder)
        self.create(folder)

    def add(self, path):
        file = self.files[path] = File(path)
        return file

    def write(self, file, flags, parts, content):
        """Writes parts at their offsets, flushes perhaps, and closes."""
        file.change(content)
        descriptor = os.open(self.root + file.path, os.O_WRONLY | flags, 0o644)
        try:
            for place, part in parts:
                while part:
                    count = os.pwrite(descriptor, part[:self.random.choice([4096, 100_000, 1 << 20])], place)
                    place, part = place + count, part[count:]
            flushes = self.random.random() < 0.2
            if flushes:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        file.complete()
        if flushes:
            file.flush()
        self.note(f"version {len(file.versions) - 1} of {file.path}: {len(content)} bytes, flushed {flushes}")

    def flush_folder(self, path):
        descriptor = os.open(self.root + path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.note(f"flushed the folder {path}")

    # The kinds

    def create(self, folder=None):
        version = self.version()
        path = f"{folder or self.random.choice(['', '/d1', '/d2'])}/f{version}"
        content = records(path, version, 0, self.size())
        self.write(self.add(path), os.O_CREAT | os.O_EXCL, [(0, content)], content)
        if self.random.random() < 0.1:
            self.flush_folder(os.path.dirname(path))

    def rewrite(self):
        file = self.some()
        content = records(file.path, self.version(), 0, self.size())
        self.write(file, os.O_TRUNC, [(0, content)], content)

    def append(self):
        file = self.some()
        place = len(file.content)
        part = records(file.path, self.version(), place, place + self.size())
        self.write(file, os.O_APPEND, [(place, part)], file.content + part)

    def patch(self):
        """Some blocks of a big file."""
        file = self.some(is_big=True)
        version = self.version()
        content = bytearray(file.content)
        parts = []
        for _ in range(self.random.choice([1, 1, 3])):
            start = RECORD * self.random.randrange(len(content) // RECORD)
            end = min(len(content), start + RECORD * self.random.choice([1, 64, 1024, 16384]))
            parts.append((start, records(file.path, version, start, end)))
            content[start:end] = parts[-1][1]
        self.write(file, 0, parts, bytes(content))

    def save(self):
        """A temporary file that is renamed over another, with all, some or none of what that should be done with."""
        file = self.some()
        version = self.version()
        temporary = self.add(f"{os.path.dirname(file.path).rstrip('/')}/{version}.tmp")
        content = records(file.path, version, 0, self.size())
        self.write(temporary, os.O_CREAT | os.O_EXCL, [(0, content)], content)
        # There is nothing between the two contents: the cut finds one of them.
        file.versions.append(temporary.versions[-1])
        was_flushed, temporary.flushed = temporary.flushed, 0
        if was_flushed:
            file.came_from = (temporary.path, len(file.versions) - 1)
        os.rename(self.root + temporary.path, self.root + file.path)
        file.content = content
        self.note(f"version {len(file.versions) - 1} of {file.path} by {temporary.path}")
        if self.random.random() < 0.3:
            self.flush_folder(os.path.dirname(file.path))
            if was_flushed:
                file.flush()


class Cut:
    def __init__(self, binaries, folder, seed):
        self.folder = folder
        self.random = random.Random(f"cut {seed}")
        self.journal = open(folder + "/history", "w")
        self.disk = folder + "/disk"
        os.mkdir(self.disk)
        self.emulator = Emulator(binaries, folder, ["token", "other"])
        self.client = Client(self.emulator, "other")
        self.mount = Mount(binaries, self.emulator, "m", "token", state=self.disk)
        self.work = Work(self.mount.root, seed, self.note)
        self.delay = "write_delay=" + self.random.choice(["0.2s", "0.5s", "1s", "1s", "2s"])

    def note(self, text):
        self.journal.write(f"{time.time():.3f} {text}\n")
        self.journal.flush()

    def run(self):
        self.make_disk()
        for number in range(14):
            self.upload(f"{['', '/d1', '/d2'][number % 3]}/s{number}", RECORD * 1600)
        for number in range(3):
            self.upload(f"/big{number}", BIG)
        self.mount.start("-o", self.delay)
        self.note(f"mounted with {self.delay}")
        worker = threading.Thread(target=self.work.run, daemon=True)
        worker.start()
        # The power is cut at a drawn moment.
        time.sleep(self.random.uniform(0.8, 4))
        self.cut()
        worker.join(20)
        self.mount.kill()
        self.exchange_disks()
        self.mount.start("-o", "write_delay=0s", seconds=60)
        done, text = self.mount.sync(SYNC_LIMIT)
        self.note(f"sync: {done} {text}")
        wrong = self.check()
        if not done:
            wrong["wedged"].append(f"sync: {text}")
        self.mount.kill()
        return wrong

    def make_disk(self):
        with open(self.folder + "/image", "wb") as image:
            image.truncate(IMAGE)
        self.must("mkfs.ext4", "-q", "-F", self.folder + "/image")
        self.must("mount", "-o", "loop", self.folder + "/image", self.disk)

    def must(self, *command):
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if result.returncode != 0:
            raise Broken(f"{' '.join(command)}: {result.stdout} {result.stderr}")
        return result.stdout

    def upload(self, path, size):
        file = self.work.add(path)
        file.change(records(path, 0, 0, size))
        file.complete()
        self.client.upload(path, file.content)

    # The cut

    def cut(self):
        """Copies the disk at one moment; bytes only in memory do not get there."""
        device = os.path.basename(self.must("findmnt", "-n", "-o", "SOURCE", self.disk).strip())
        # From here on no program is started: it would close the worker's files, and wait for the stopped ones.
        os.kill(self.mount.process.pid, signal.SIGSTOP)
        for _ in range(20):
            before = self.writes(device)
            self.copy_image()
            # The kernel writes by itself, too: a copy during which it did is none of one moment.
            if before[1] == 0 and self.writes(device) == before:
                break
        else:
            raise Broken("the disk is never at rest")
        # Acknowledged and unfinished writes are those of before the process was stopped, because
        # no call has returned since.
        self.note("cut")
        self.had = self.emulator.tree()
        self.mount.kill_process()

    def copy_image(self):
        """Copies what the image has, and leaves its holes."""
        with open(self.folder + "/image", "rb") as source, open(self.folder + "/image.cut", "wb") as target:
            target.truncate(IMAGE)
            end = 0
            while True:
                try:
                    start = os.lseek(source.fileno(), end, os.SEEK_DATA)
                except OSError:
                    return
                end = os.lseek(source.fileno(), start, os.SEEK_HOLE)
                while start < end:
                    part = os.pread(source.fileno(), min(1 << 20, end - start), start)
                    start += os.pwrite(target.fileno(), part, start)

    def writes(self, device):
        """How much has been written to a disk, in sectors, and how many requests are on their way."""
        with open(f"/sys/block/{device}/stat") as stat:
            fields = stat.read().split()
        return int(fields[6]), int(fields[8])

    def exchange_disks(self):
        for _ in range(50):
            if subprocess.run(["umount", self.disk], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                break
            # The kernel may still write; fifty tries are the limit.
            time.sleep(0.1)
        else:
            raise Broken("the disk is in use")
        os.remove(self.folder + "/image")
        self.must("mount", "-o", "loop", self.folder + "/image.cut", self.disk)

    # The result

    def check(self):
        wrong = {"zeros": [], "torn": [], "missing": [], "unexpected": [], "wedged": []}
        self.checked = 0
        tree = {path: digest for path, digest in self.emulator.tree().items() if digest}
        for path, digest in tree.items():
            file = self.work.files.get(path)
            content = self.client.download(path) if file is None or digest not in file.versions else None
            if content is not None and 0 in content:
                wrong["zeros"].append(f"{path}: {len(content)} bytes, {content.count(0)} of them zeros")
            elif file is None:
                wrong["unexpected"].append(path)
            elif content is not None and not file.may_be(content):
                count = len(file.versions) - 1
                wrong["torn"].append(f"{path}: {len(content)} bytes that are none of its {count} versions")
        for path, file in self.work.files.items():
            self.check_version(file, tree, wrong)
        return wrong

    def check_version(self, file, tree, wrong):
        """Whether a file that is whole is as new as it must be."""
        digest = tree.get(file.path)
        least = file.flushed
        if file.came_from and tree.get(file.came_from[0]) != file.versions[file.came_from[1]]:
            # Its content is not under the temporary name: it must be under the other.
            least = max(least, file.came_from[1])
        if self.had.get(file.path) in file.versions:
            least = max(least, file.versions.index(self.had.get(file.path)))
        if file.flushed > 0 or file.came_from:
            self.checked += 1
        if file.path.endswith(".tmp") and digest is None and file.flushed == 0:
            return
        if digest in file.versions and file.versions.index(digest) < least:
            wrong["missing"].append(f"{file.path}: is version {file.versions.index(digest) or 'none'}, version "
                                    f"{file.flushed} was flushed, and version {least} must be there")


def main():
    binaries, folder, seed = sys.argv[1:]
    cut = Cut(binaries, folder, int(seed))
    try:
        wrong = cut.run()
    except Broken as error:
        wrong = {"wedged": [str(error)]}
    for kind, lines in wrong.items():
        for line in lines:
            cut.note(f"{kind}: {line}")
    with open(folder + "/result.json", "w") as file:
        json.dump({"checked": getattr(cut, "checked", 0),
                   "wrong": {kind: lines for kind, lines in wrong.items() if lines}}, file)


main()
