#!/usr/bin/env python3
"""Kills the mount's process in the middle of random work, again and again.   crash_rounds.py ROUNDS [SEED]

After each kill the next mount must show everything that was acknowledged, and of the call that was
interrupted its state before or after, or a beginning of what it wrote. During that, requests and replies
are lost, upload sessions forgotten and cursors reset. In the end all of it is on the server, once, and
nothing else.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.request

MOUNT, DBXFS, ADMIN = os.environ["MNT"], os.environ["DBXFS"], os.environ["ADMIN"]
HISTORY = os.environ["WORK"] + "/history"
FAULTS = [
    {"kind": "reset_after", "probability": 0.05},
    {"kind": "reset_before", "probability": 0.05},
    {"kind": "server_error", "status": 503, "probability": 0.05},
    {"kind": "error_after", "status": 500, "probability": 0.03},
    {"kind": "rate_limited", "reason": "too_many_requests", "retry_after": 1, "probability": 0.02},
    {"kind": "too_many_write_operations", "probability": 0.05},
    {"kind": "cursor_reset", "route": "files/list_folder/continue", "probability": 0.1},
    {"kind": "cursor_reset", "route": "files/list_folder/longpoll", "probability": 0.1},
    {"kind": "route_error", "route": "files/upload_session/append_v2", "error": {".tag": "not_found"},
     "probability": 0.05},
    {"kind": "route_error", "route": "files/upload_session/finish", "probability": 0.1,
     "error": {".tag": "lookup_failed", "lookup_failed": {".tag": "not_found"}}},
]


def note(text):
    """Writes the history of this run, to explain a failure."""
    with open(HISTORY, "a") as history:
        history.write(f"{time.time():.3f} {text}\n")


class Killed(Exception):
    """The mount is gone, in the middle of a call."""


class Tree:
    """The acknowledged tree: names and bytes, None for a folder."""

    def __init__(self, generator):
        self.random = generator
        self.entries = {}
        # What may be instead of `entries` while a call runs: other trees, and a path whose bytes may
        # be any beginning of these.
        self.others = []
        self.torn = None

    # The calls

    def files(self):
        return [path for path, content in self.entries.items() if content is not None]

    def folders(self):
        return [path for path, content in self.entries.items() if content is None]

    def new_name(self):
        folder = self.random.choice(self.folders() + ["", ""])
        return f"{folder}/{self.random.choice('abcdefghijkl')}{self.random.randrange(4)}"

    def bytes(self):
        size = self.random.choice([0, 10, 1000, 1000, 5000, 100_000, 100_000, 3_000_000, 9_000_000])
        if self.random.random() < 0.01:
            # So big that it is sent while it is written.
            return self.random.randbytes(35_000_000 + self.random.randrange(10_000_000))
        return self.random.randbytes(size and self.random.randrange(size))

    def step(self):
        kind = self.random.choice(
            ["write"] * 5 + ["append", "save", "save", "rename", "rename", "unlink", "mkdir", "rmdir",
                             "truncate", "move folder"])
        if kind == "write":
            path = self.new_name()
            if path not in self.folders():
                self.write(path, self.bytes())
        elif kind == "mkdir":
            path = self.new_name()
            if path not in self.entries and path.count("/") < 4:
                self.change(path, lambda: os.mkdir(MOUNT + path), {**self.entries, path: None})
        elif kind == "move folder" and self.folders():
            self.move_folder(self.random.choice(self.folders()), self.new_name())
        elif kind == "rmdir" and self.folders():
            path = self.random.choice(self.folders())
            if not any(other.startswith(path + "/") for other in self.entries):
                self.change(path, lambda: os.rmdir(MOUNT + path), self.without(path))
        elif self.files():
            self.change_file(kind, self.random.choice(self.files()))

    def change_file(self, kind, path):
        old = self.entries[path]
        if kind == "append":
            self.write(path, self.bytes(), mode="ab", before=old)
        elif kind == "save":
            temporary = path + ".tmp"
            if temporary not in self.entries:
                self.write(temporary, self.bytes())
                self.rename(temporary, path)
        elif kind == "rename":
            target = self.new_name()
            if target not in self.folders() and target != path:
                self.rename(path, target)
        elif kind == "unlink":
            self.change(path, lambda: os.unlink(MOUNT + path), self.without(path))
        elif kind == "truncate":
            size = self.random.randrange(len(old) + 1)
            after = {**self.entries, path: old[:size]}
            self.change(path, lambda: os.truncate(MOUNT + path, size), after)

    def write(self, path, content, mode="wb", before=b""):
        created = {**self.entries, path: before}

        def call():
            with open(MOUNT + path, mode, buffering=0) as file:
                place = 0
                while place < len(content):
                    place += file.write(content[place:place + 70_000])

        self.change(path, call, {**self.entries, path: before + content}, created,
                    torn=(path, before + content, len(before)))

    def rename(self, source, target):
        after = self.without(source)
        after[target] = self.entries[source]
        self.change(source, lambda: os.rename(MOUNT + source, MOUNT + target), after)

    def move_folder(self, source, target):
        if target in self.entries or (target + "/").startswith(source + "/"):
            return
        after = {}
        for path, content in self.entries.items():
            inside = path == source or path.startswith(source + "/")
            after[target + path[len(source):] if inside else path] = content
        self.change(source, lambda: os.rename(MOUNT + source, MOUNT + target), after)

    def without(self, path):
        return {other: content for other, content in self.entries.items() if other != path}

    def change(self, path, call, after, *between, torn=None):
        note(f"{path}: {sorted(after.keys() - self.entries.keys())} comes, "
             f"{sorted(self.entries.keys() - after.keys())} goes")
        self.others, self.torn = [after, *between], torn
        try:
            call()
        except OSError as error:
            if os.path.ismount(MOUNT) and is_alive():
                raise SystemExit(f"{path}: {error}")
            raise Killed from error
        self.entries, self.others, self.torn = after, [], None

    # The present tree

    def settle(self):
        """Takes the present tree for the truth, if it is one of those possible."""
        found = read_tree()
        for possible in [self.entries, *self.others]:
            if self.is_like(found, possible):
                self.entries, self.others, self.torn = found, [], None
                return
        names = sorted(found.keys() | self.entries.keys())
        wrong = [f"{name}: {describe(found, name)}, and was {describe(self.entries, name)}"
                 for name in names if found.get(name, 0) != self.entries.get(name, 0)]
        with open(HISTORY) as history:
            print("".join(history.readlines()[-100:]))
        raise SystemExit("lost or torn: " + "; ".join(wrong))

    def is_like(self, found, possible):
        if self.torn is None or self.torn[0] not in possible or self.torn[0] not in found:
            return found == possible
        path, whole, least = self.torn
        content = found[path]
        if content is None or {**found, path: None} != {**possible, path: None}:
            return False
        return content == possible[path] or len(content) >= least and whole.startswith(content)


def describe(tree, name):
    if name not in tree:
        return "nothing"
    return "a folder" if tree[name] is None else f"{len(tree[name])} bytes"


def read_tree():
    tree = {}
    for folder, folders, files in os.walk(MOUNT, onerror=lambda error: sys.exit(str(error))):
        place = folder[len(MOUNT):]
        for name in folders:
            tree[f"{place}/{name}"] = None
        for name in files:
            with open(f"{folder}/{name}", "rb") as file:
                tree[f"{place}/{name}"] = file.read()
    return tree


# The mount and its server

process = None


def is_alive():
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as stat:
        return stat.read().rsplit(")", 1)[1].split()[0] != "Z"


def mount(delay):
    global process
    subprocess.run([DBXFS, "mount", MOUNT, "-o", f"write_delay={delay}"], check=True)
    status = subprocess.run([DBXFS, "status", "--json", MOUNT], check=True, capture_output=True)
    process = json.loads(status.stdout)["pid"]


def admin(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    urllib.request.urlopen(urllib.request.Request(ADMIN + path, data=data, method=method)).read()


def one_round(tree, generator, number):
    delay = generator.choice(["0s", "0.3s", "1h"])
    mount(delay)
    note(f"round {number}, mounted with a delay of {delay}")
    tree.settle()
    admin("DELETE", "/faults")
    if number % 2:
        for fault in FAULTS:
            admin("POST", "/faults", {"route": "files/*", "seed": number, **fault})
    if number % 5 == 3:
        admin("POST", "/cursors/reset", {})
    killer = threading.Timer(generator.random(), lambda: os.kill(process, signal.SIGKILL))
    killer.start()
    try:
        while True:
            tree.step()
            # Now and then something has been sent when the process ends.
            if generator.random() < 0.05:
                time.sleep(0.1)
    except Killed:
        note("killed")
    killer.join()


def main():
    rounds = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print(f"seed {seed}", flush=True)
    generator = random.Random(seed)
    tree = Tree(generator)
    for number in range(rounds):
        one_round(tree, generator, number)
    admin("DELETE", "/faults")
    mount("0s")
    tree.settle()
    subprocess.run([DBXFS, "sync", MOUNT, "--timeout", "120"], check=True)
    tree.settle()
    print(f"{rounds} rounds, {len(tree.entries)} names in the end")


main()
