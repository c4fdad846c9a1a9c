#!/usr/bin/env python3
"""Lets several mounts of one account and another client change the same few names at once.

Each mount has a worker, which changes things at random, and a reader (storm_work.py); this process is the
other client, and never touches a mount itself, so that it can tell of one that hangs. Every content says
what it is: readers must see one of them, whole, through one handle, and listings must show known names,
once. In the end all mounts agree with the server. In the folder `keep` no worker deletes or replaces
anything, so there every content that was acknowledged must still be, in some file; in `own-WORKER` only
that one does anything, so it must be as it left it. Which of two changes wins elsewhere is not looked
at: that is what the simulation and the unit tests are for.

STORM_CHANGES   how many changes the other client makes, 500 without it
STORM_SECONDS   goes on for so long instead
STORM_MOUNTS    3 without it
STORM_SEED      decides what all workers try; how it falls together is the machine's business
"""

import json
import os
import random
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.request

WORK, TOOLS, DBXFS, ADMIN = (os.environ[name] for name in ("WORK", "TOOLS", "DBXFS", "ADMIN"))
SEED = os.environ.setdefault("STORM_SEED", str(random.randrange(1 << 30)))

from storm_work import APART, KNOWN, NAMES, STOP, Broken, Writer, tokens_in  # noqa: E402

# Seconds that a call on a mount may take.
PATIENCE = 60
# The last one has the delay that users have.
# The views of mounts are compared by name, so that none may have names of its own.
OPTIONS = [["-o", "names=strict" + more] for more in (",write_delay=0s", ",write_delay=0.3s", "")]
# The most memory that a mount may take, in KiB.
MEMORY = 200 << 10


class Client(Writer):
    """Changes the account by way of the API."""

    def __init__(self):
        super().__init__("client")
        # Paths, and whether they are folders, as they were some changes ago.
        self.entries = {}
        self.changes = 0

    def call(self, route, argument, content=None):
        """Returns the answer; None if the request is refused."""
        self.note(f"{route} {json.dumps(argument)}")
        headers = {"Authorization": "Bearer " + os.environ["TOKEN2"]}
        if content is None and route != "files/download":
            headers["Content-Type"] = "application/json"
            content = json.dumps(argument).encode()
        else:
            headers["Content-Type"] = "application/octet-stream"
            headers["Dropbox-API-Arg"] = json.dumps(argument)
        request = urllib.request.Request(f"{os.environ['ENDPOINT']}/2/{route}", data=content or b"",
                                         headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code != 409:
                raise Broken(f"{route}: {error.code} {text}") from None
            self.note(f"refused: {text}")
            return None

    def look(self):
        with urllib.request.urlopen(ADMIN + "/tree", timeout=PATIENCE) as answer:
            tree = json.load(answer)["entries"]
        self.entries = {entry["path"]: "content_hash" not in entry for entry in tree}

    def some(self, folders, top=None):
        """A path that there was: in one folder, or where everything is allowed."""
        paths = [path for path, is_folder in self.entries.items() if is_folder == folders and
                 (path.startswith(top + "/") if top else not APART.match(path))]
        return self.random.choice(paths) if paths else None

    def target(self):
        folder = self.random.random() < 0.7 and self.some(True) or ""
        while folder.count("/") > 3:
            folder = folder.rsplit("/", 1)[0]
        return f"{folder}/{self.random.choice(NAMES)}"

    # What it does

    def change(self):
        if self.changes % 10 == 0:
            self.look()
        self.changes += 1
        if self.random.random() < 0.2:
            return self.keep()
        crowd = 1 + len(self.entries) // 60
        kind = self.choose({"add": 15, "edit": 25, "mkdir": 8, "move": 12, "move folder": 6,
                            "delete": 4 * crowd, "delete folder": crowd, "replace": 4, "case": 4})
        of_folder = self.random.random() < 0.5 if kind in ("replace", "case") else "folder" in kind
        path = self.target() if kind in ("add", "mkdir") else self.some(of_folder)
        if path is None:
            return
        if kind in ("add", "edit"):
            self.upload(path, "add" if kind == "add" else "overwrite")
        elif kind == "mkdir":
            self.call("files/create_folder_v2", {"path": path})
        elif kind.startswith("move"):
            self.move(path, self.target())
        elif kind.startswith("delete"):
            self.call("files/delete_v2", {"path": path})
        elif kind == "replace":
            self.replace(path, of_folder)
        else:
            self.change_case(path)

    def upload(self, path, mode, previous="-", before=b""):
        """Returns the token, if it was taken."""
        token, record = self.record(previous)
        return self.call("files/upload", {"path": path, "mode": mode}, before + record) and token

    def move(self, source, target):
        return self.call("files/move_v2", {"from_path": source, "to_path": target})

    def replace(self, path, is_folder):
        """A file becomes a folder of its name with something in it, or the other way round."""
        if not self.call("files/delete_v2", {"path": path}):
            return
        if is_folder:
            self.upload(path, "add")
        elif self.call("files/create_folder_v2", {"path": path}):
            self.upload(f"{path}/{self.random.choice(NAMES)}", "add")

    def change_case(self, path):
        """Dropbox takes that only by way of another name."""
        place, name = path.rsplit("/", 1)
        between = f"{place}/{self.unique('c')}"
        if name in KNOWN and self.move(path, between):
            self.move(between, f"{place}/{self.name_like(name)}")

    def keep(self):
        """Something that loses nothing."""
        new = "/keep/" + self.unique("k")
        kind = self.choose({"append": 6, "add": 3, "move": 3, "mkdir": 1, "move folder": 1})
        path, token = self.some(kind == "move folder", "/keep"), None
        if kind == "add":
            token = self.upload(new, "add")
        elif kind == "mkdir":
            self.call("files/create_folder_v2", {"path": new})
        elif kind == "append" and path:
            token = self.append(path)
        elif path:
            self.move(path, new)
        if token:
            self.kept.write(token + "\n")

    def append(self, path):
        metadata = self.call("files/get_metadata", {"path": path})
        revision = metadata and json.loads(metadata).get("rev")
        before = revision and self.call("files/download", {"path": "rev:" + revision})
        if not before:
            return None
        mode = {".tag": "update", "update": revision}
        return self.upload(path, mode, tokens_in(before, path)[-1], before)


class Mount:
    """A mount, as on a machine of its own, and those who work on it."""

    def __init__(self, number):
        self.number = number
        self.folder = f"{WORK}/mount{number}"
        self.root = self.folder + "/mnt"
        self.environment = {**os.environ, "DBXFS_STATE_DIR": self.folder + "/state",
                            "DBXFS_CACHE_DIR": self.folder + "/cache"}
        self.children = {}
        os.makedirs(self.root)

    def run(self, command, limit):
        try:
            return subprocess.run(command, env=self.environment, timeout=limit, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            raise Broken(f"{' '.join(command)}: no end after {limit} s") from None

    def must(self, command, limit):
        result = self.run(command, limit)
        if result.returncode != 0:
            raise Broken(f"{' '.join(command)}: {result.returncode}: {result.stdout.strip()}")
        return result.stdout

    def mount(self):
        options = OPTIONS[self.number % len(OPTIONS)]
        self.must([DBXFS, "mount", self.root, *options], 60)

    def status(self):
        return json.loads(self.must([DBXFS, "status", "--json", self.root], 60))

    def start(self):
        for kind in ("worker", "reader"):
            name = f"{kind}{self.number}"
            command = [sys.executable, TOOLS + "/storm_work.py", kind, name, self.root]
            with open(f"{WORK}/{name}.out", "wb") as output:
                self.children[name] = subprocess.Popen(
                    command, env=self.environment, stdout=output, stderr=output)

    def is_working(self):
        """Whether a worker works on it; fails if one has failed, or hangs."""
        for name, child in self.children.items():
            if child.poll():
                with open(f"{WORK}/{name}.out") as output:
                    raise Broken(f"{output.read()}\n{last_lines(name)}")
            history = f"{WORK}/{name}.history"
            if child.returncode is None and os.path.exists(history) \
                    and time.time() - os.stat(history).st_mtime > PATIENCE:
                # First, because the mount may not even answer this question.
                print(f"{name} hangs:\n{last_lines(name)}", flush=True)
                raise Broken(f"{name} hangs on {self.status()}")
        return any(child.returncode is None for child in self.children.values())

    def unmount(self):
        with open(f"/proc/{self.status()['pid']}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
        if peak > MEMORY:
            raise Broken(f"{self.root} has taken {peak >> 10} MiB of memory")
        self.must([DBXFS, "unmount", self.root], 100)

    def abandon(self):
        """Ends the processes left of it. A worker that hangs on a mount ends only when its connection is aborted."""
        for child in self.children.values():
            child.kill()
        with open("/proc/self/mountinfo") as mounts:
            numbers = [line.split()[2].split(":")[1] for line in mounts if f" {self.root} " in line]
        for number in numbers:
            command = [DBXFS, "unmount", "--lazy", "--timeout", "0", self.root]
            subprocess.run(["timeout", "-k", "5", "30", *command], env=self.environment, check=False)
            abort = f"/sys/fs/fuse/connections/{number}/abort"
            if os.path.exists(abort):
                with open(abort, "w") as file:
                    file.write("1")


def last_lines(name, count=15):
    with open(f"{WORK}/{name}.history") as history:
        return "".join(history.readlines()[-count:])


def storm(mounts, client):
    """The time during which all workers change everything."""
    for mount in mounts:
        mount.mount()
    for mount in mounts:
        mount.start()
    seconds = float(os.environ.get("STORM_SECONDS") or 0)
    changes = int(os.environ.get("STORM_CHANGES") or 500)
    start = time.monotonic()
    while time.monotonic() < start + seconds if seconds else client.changes < changes:
        client.change()
        for mount in mounts:
            mount.is_working()
        # Many at once, and now and then time to settle.
        time.sleep(1 if client.random.random() < 0.01 else client.random.random() * 0.02)
    print(f"{client.changes} changes in {time.monotonic() - start:.0f} s", flush=True)
    open(STOP, "w").close()
    while any([mount.is_working() for mount in mounts]):
        time.sleep(0.1)


def settle(mounts):
    """Until all agree: one mount's change may be a delta that another one has to answer."""
    start = time.monotonic()
    while True:
        for mount in mounts:
            mount.must([DBXFS, "sync", mount.root, "--timeout", "180"], 200)
        results = [mount.run([TOOLS + "/compare.py", mount.root], 100) for mount in mounts]
        if all(result.returncode == 0 for result in results):
            break
        if time.monotonic() > start + 60:
            for mount in mounts:
                found = mount.run(["find", mount.root, "-printf", "%i %y %P\\n"], 100)
                with open(mount.folder + "/found", "w") as file:
                    file.write(found.stdout)
            raise Broken("\n".join(f"{mount.root}: {result.stdout}"
                                   for mount, result in zip(mounts, results)))
        time.sleep(0.5)
    print(f"settled in {time.monotonic() - start:.0f} s", flush=True)


def check_server(client):
    """A worker has written all content there, and all that must be there is."""
    client.look()
    contents = {path: tokens_in(client.call("files/download", {"path": path}), path)
                for path, is_folder in client.entries.items() if not is_folder}
    found = {token: path for path, tokens in contents.items() for token in tokens}
    if unknown := found.keys() - noted("written"):
        raise Broken(f"nobody wrote {[(token, found[token]) for token in unknown]}")
    saved = {token for path, tokens in contents.items() if path.startswith("/keep/") for token in tokens}
    kept = noted("kept")
    if lost := kept - saved:
        raise Broken(f"lost, of {len(kept)} that were to be kept: {sorted(lost)}")
    own = {}
    for path in files("own"):
        with open(path) as file:
            own.update(json.load(file))
    there = {path: tokens for path, tokens in contents.items() if path.startswith("/own-")}
    if there != own:
        raise Broken(f"in folders with one owner is {there}, and should be {own}")
    copies = sum("conflicted copy" in path for path in client.entries)
    print(f"{len(client.entries)} entries, {copies} conflicted copies, {len(found)} contents on the "
          f"server; nothing lost of {len(kept)} and {len(own)}", flush=True)


def files(kind):
    return [f"{WORK}/{name}" for name in os.listdir(WORK) if name.endswith("." + kind)]


def noted(kind):
    tokens = set()
    for path in files(kind):
        with open(path) as file:
            tokens.update(file.read().split())
    return tokens


def main():
    print(f"seed {SEED}", flush=True)
    client = Client()
    mounts = [Mount(number) for number in range(int(os.environ.get("STORM_MOUNTS") or 3))]
    try:
        client.call("files/create_folder_v2", {"path": "/keep"})
        storm(mounts, client)
        settle(mounts)
        check_server(client)
        for mount in mounts:
            mount.unmount()
    except (Broken, OSError) as error:
        traceback.print_exc()
        print(f"the last changes of the other client:\n{last_lines('client', 30)}")
        sys.exit(f"seed {SEED}: {error}")
    finally:
        for mount in mounts:
            mount.abandon()


main()
