"""Where the fault loop's rounds take place: an emulated account and a mount that knows it, as copies of
a template, and their visible state."""

import glob
import json
import mmap
import os
import shutil
import sqlite3
import struct
import subprocess
import time
import urllib.request

from fault_cases import ON_SERVER
from fault_work import Broken, read

MOUNT, DBXFS, WORK, TOOLS = (os.environ[name] for name in ("MNT", "DBXFS", "WORK", "TOOLS"))
TEMPLATE, ROUND = WORK + "/template", WORK + "/round"


class Page:
    """What nth_call.c shares with its watcher."""

    FIELDS = ["armed", "count", "at", "action", "error", "hits"]

    def __init__(self, path):
        self.path = path
        with open(path, "w+b") as file:
            file.truncate(4096)
            self.memory = mmap.mmap(file.fileno(), 4096)

    def __getitem__(self, name):
        return struct.unpack_from("q", self.memory, 8 * self.FIELDS.index(name))[0]

    def __setitem__(self, name, value):
        struct.pack_into("q", self.memory, 8 * self.FIELDS.index(name), value)

    @property
    def call(self):
        return self.memory[48:304].split(b"\0")[0].decode().replace(WORK, "")


class Bed:
    """One emulator and one mount at a time, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.state, self.cache = folder + "/state", folder + "/cache"
        self.emulator = self.process = None
        os.makedirs(folder, exist_ok=True)
        self.page = Page(folder + "/page")
        self.environment = {**os.environ, "DBXFS_STATE_DIR": self.state,
                            "DBXFS_CACHE_DIR": self.cache, "NTH_CALL": self.page.path}
        self.start_emulator()

    @classmethod
    def copy(cls, knows_account):
        """A copy of the template, where the mount knows the account or nothing."""
        shutil.rmtree(ROUND, ignore_errors=True)
        for name in ["dropbox", "state"] if knows_account else ["dropbox"]:
            shutil.copytree(f"{TEMPLATE}/{name}", f"{ROUND}/{name}")
        return cls(ROUND)

    @classmethod
    def make_template(cls):
        bed = cls(TEMPLATE)
        try:
            for path, content in ON_SERVER.items():
                command = ["mkdir"] if content is None else ["upload"]
                bed.run([TOOLS + "/dropbox.py", *command, "/" + path], input=content or b"")
            bed.mount()
            bed.unmount()
        finally:
            bed.close()

    # The server

    # One for all emulators: what a state folder keeps is one server's.
    port = "0"

    def start_emulator(self):
        tokens = ["--token", os.environ["TOKEN"], "--token", os.environ["TOKEN2"]]
        self.emulator = subprocess.Popen(
            [os.environ["EMULATOR"], *os.environ["EMULATOR_OPTIONS"].split(), "--port", Bed.port, "--state", self.folder + "/dropbox",
             "--exit-with-parent", *tokens], stdout=subprocess.PIPE)
        address = self.emulator.stdout.readline().decode().split()[-1]
        Bed.port = address.split(":")[-1]
        self.environment.update(DBXFS_ENDPOINT=address, ENDPOINT=address, ADMIN=address + "/admin")

    def admin(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.environment["ADMIN"] + path, data=data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    # The mount

    def run(self, command, limit=60, **options):
        """Runs a program that must succeed; returns what it writes."""
        result = self.outcome(command, limit, **options)
        if result.returncode != 0:
            text = result.stdout.decode() + result.stderr.decode()
            raise Broken(f"{' '.join(command)}: {result.returncode}: {text.strip()}")
        return result.stdout.decode()

    def outcome(self, command, limit=60, **options):
        try:
            return subprocess.run(command, env=self.environment, capture_output=True,
                                  timeout=limit, **options)
        except subprocess.TimeoutExpired:
            raise Broken(f"{' '.join(command)}: no end after {limit} s") from None

    def mount(self):
        self.run([DBXFS, "mount", MOUNT, "-o", "write_delay=0s"])

    def mount_with_faults(self, delay):
        """Mounts with nth_call.c loaded. Returns whether it is mounted; it may have refused to."""
        environment = {**self.environment, "LD_PRELOAD": WORK + "/nth_call.so"}
        with open(self.folder + "/mount.log", "ab") as log:
            self.process = subprocess.Popen(
                [DBXFS, "mount", "--foreground", MOUNT, "-o", f"write_delay={delay}"],
                env=environment, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while self.is_running():
            if (self.status() or {}).get("pid") == self.process.pid:
                return True
            if time.monotonic() > end:
                raise Broken("the mount neither answers nor ends")
            time.sleep(0.02)
        return False

    def status(self):
        """The status of the mount, or None."""
        result = self.outcome([DBXFS, "status", "--json", MOUNT])
        return json.loads(result.stdout) if result.returncode == 0 else None

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def sync(self, limit):
        """Returns why not everything is on the server, or None."""
        command = [DBXFS, "sync", MOUNT, "--timeout", str(limit)]
        result = self.outcome(command, limit + 30)
        return None if result.returncode == 0 else result.stderr.decode().strip()

    def unmount(self):
        self.run([DBXFS, "unmount", MOUNT], 100)
        self.wait_for_end()

    def unmount_somehow(self):
        """Returns its faults."""
        result = self.outcome([DBXFS, "unmount", MOUNT], 100)
        self.wait_for_end()
        return result.stderr.decode().strip() if result.returncode else None

    def wait_for_end(self):
        if self.process is not None:
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                raise Broken("the process does not end") from None
            self.process = None

    def close(self):
        self.kill()
        if os.path.ismount(MOUNT) or is_dead(MOUNT):
            self.outcome([DBXFS, "unmount", MOUNT, "--lazy", "--timeout", "0"])
        self.emulator.terminate()
        self.emulator.wait()
        self.emulator.stdout.close()

    # The state after the fault

    def check_leftovers(self):
        """After the last unmount: a sound database, and no staging file."""
        staging = [path for path in glob.glob(self.state + "/*/staging/*")]
        if staging:
            raise Broken(f"left over: {staging}")
        for path in glob.glob(self.state + "/*/tree.sqlite"):
            database = sqlite3.connect(path)
            answer = database.execute("PRAGMA integrity_check").fetchall()
            database.close()
            if answer != [("ok",)]:
                raise Broken(f"the database is damaged: {answer[:3]}")


def is_dead(path):
    try:
        os.stat(path)
    except OSError:
        return True
    return False


def read_tree():
    """Paths on the mount, and their content."""
    def fail(error):
        raise error

    tree = {}
    for folder, folders, files in os.walk(MOUNT, onerror=fail):
        for name in folders + files:
            path = f"{folder}/{name}"
            key = path[len(MOUNT) + 1:]
            if os.path.islink(path):
                tree[key] = ("link to", os.readlink(path))
            else:
                tree[key] = None if name in folders else read(path)
    if "attributes" in tree:
        tree.update(facts(MOUNT + "/attributes", "attributes@"))
    return tree


def facts(path, prefix):
    """What differs from a new file of the account."""
    status = os.stat(path)
    found = {}
    if status.st_mode & 0o777 != 0o644:
        found[prefix + "mode"] = ("mode", status.st_mode & 0o777)
    if status.st_mtime_ns % 1_000_000_000:
        found[prefix + "time"] = ("time", status.st_mtime_ns)
    for name in os.listxattr(path):
        if name == "user.test":
            found[prefix + "extended"] = ("extended", os.getxattr(path, name))
    return found
