"""An emulated account, mounts of it, and a client of its API, for programs that attack the data.

Not responsible for the work on them, nor for the checks. Everything that is started here is
in the process group of the caller, so that all of it ends with that group.
"""

import ctypes
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2
RENAME_EXCHANGE = 2
AT_FDCWD = -100
CONNECTIONS = "/sys/fs/fuse/connections"
BLOCK = 4 << 20
# By these a Swift program says that it has crashed.
CRASHES = ["Fatal error", "Crash:", "Assertion failed", "Precondition failed", "AddressSanitizer", "Simultaneous accesses"]


class Broken(Exception):
    """The history cannot go on: the text says why."""


def content_hash(content):
    """The hash by which the API names a content."""
    digests = (hashlib.sha256(content[place:place + BLOCK]).digest()
               for place in range(0, len(content), BLOCK))
    return hashlib.sha256(b"".join(digests)).hexdigest()


def exchange(first, second):
    """renameat2(2) with RENAME_EXCHANGE."""
    result = LIBC.renameat2(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE)
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), first)


# The kernel's mounts. Reading mountinfo asks no filesystem anything, so that nothing here can hang.

def unescaped(path):
    """A path as it is: the table has spaces, tabs, ends of lines and backslashes in octal."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), path)


def mounts_below(folder):
    """The numbers of the connections and the places of all mounts of dbxfs in a folder."""
    found = []
    with open("/proc/self/mountinfo") as mounts:
        for line in mounts:
            fields = line.split()
            path = unescaped(fields[4])
            if " - fuse.dbxfs " in line and (path + "/").startswith(folder + "/"):
                found.append((fields[2].split(":")[1], path))
    return found


def detach(path):
    if LIBC.umount2(os.fsencode(path), MNT_DETACH) != 0:
        subprocess.run(["timeout", "-k", "2", "10", "fusermount3", "-u", "-z", "--", path],
                       stderr=subprocess.DEVNULL, check=False)


def abort_below(folder):
    """Ends the connections of all mounts in a folder: every process that waits for them goes on with an error."""
    left = mounts_below(folder)
    connections, own = CONNECTIONS, None
    if left and not os.listdir(CONNECTIONS):
        # For this moment, and at a place of its own.
        connections = own = tempfile.mkdtemp()
        LIBC.mount(b"none", os.fsencode(own), b"fusectl", 0, None)
    for number, path in left:
        try:
            with open(f"{connections}/{number}/abort", "w") as file:
                file.write("1")
        except OSError:
            pass
        detach(path)
    if own:
        LIBC.umount2(os.fsencode(own), MNT_DETACH)
        os.rmdir(own)


def end_on_sigterm():
    """Makes SIGTERM end this program as Ctrl-C does, so that it ends its mounts first."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def run_group(command, folder, seconds):
    """Runs a program in a process group of its own, and ends it, all that it has started, and its mounts if it
    takes longer. Returns its status and output; None for the status if it took too long."""
    with open(folder + "/output", "w+") as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            abort_below(folder)
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
            abort_below(folder)
        output.seek(0)
        return status, output.read()


def crash_line(paths):
    """The first line of a crash, and where it is."""
    for path in paths:
        with open(path, errors="replace") as file:
            for line in file:
                if any(crash in line for crash in CRASHES):
                    return f"{os.path.basename(path)}: {line.strip()}"
    return None


class Emulator:
    """A running emulator with a token for each client."""

    def __init__(self, binaries, folder, tokens, options=()):
        self.folder = folder
        self.log = folder + "/requests.log"
        command = [binaries + "/dropbox-emulator", "--state", folder + "/dropbox", "--port", "0",
                   "--port-file", folder + "/port", "--request-log", self.log, "--exit-with-parent", *options]
        for token in tokens:
            command += ["--token", token]
        with open(folder + "/emulator.log", "wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        end = time.monotonic() + 30
        while not os.path.exists(folder + "/port"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise Broken("the emulator does not listen")
            time.sleep(0.01)
        with open(folder + "/port") as file:
            self.address = "http://127.0.0.1:" + file.read().strip()

    def admin(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/admin{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def settings(self, **values):
        self.admin("POST", "/settings", values)

    def tree(self):
        """All entries: the content hash by path, None for a folder."""
        entries = self.admin("GET", "/tree")["entries"]
        return {entry["path"]: entry.get("content_hash") for entry in entries}


class Refused(Exception):
    """The API has answered with an error of the route: nothing was done."""


class Client:
    """Calls of the API. `Refused` means that nothing was done; any other error, that it may have been."""

    def __init__(self, emulator, token):
        self.emulator = emulator
        self.token = token

    def send(self, route, argument, content=None):
        headers = {"Authorization": "Bearer " + self.token}
        if content is None and route != "files/download":
            headers["Content-Type"] = "application/json"
            content = json.dumps(argument).encode()
        else:
            headers["Content-Type"] = "application/octet-stream"
            headers["Dropbox-API-Arg"] = json.dumps(argument)
        request = urllib.request.Request(f"{self.emulator.address}/2/{route}", data=content or b"",
                                         headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code == 409:
                raise Refused(f"{route}: {text}") from None
            raise OSError(f"{route}: {error.code} {text}") from None

    def call(self, route, **argument):
        return json.loads(self.send(route, argument))

    def download(self, path):
        return self.send("files/download", {"path": path}, b"")

    def upload(self, path, content, mode="add"):
        return json.loads(self.send("files/upload", {"path": path, "mode": mode}, content))

    def list(self, path, **options):
        """All entries of a folder, in the order of their paths."""
        page = self.call("files/list_folder", path=path, **options)
        entries = page["entries"]
        while page["has_more"]:
            page = self.call("files/list_folder/continue", cursor=page["cursor"])
            entries += page["entries"]
        return entries


class Mount:
    """A mount of the account, as on a machine of its own."""

    def __init__(self, binaries, emulator, name, token, state=None):
        self.binaries = binaries
        self.name = name
        self.token = token
        self.folder = f"{emulator.folder}/{name}"
        self.root = self.folder + "/mnt"
        state = state or self.folder
        os.makedirs(self.root)
        self.state_folders = [state + "/state", state + "/cache"]
        self.environment = {
            **os.environ, "DBXFS_ACCESS_TOKEN": token, "DBXFS_ENDPOINT": emulator.address,
            "DBXFS_STATE_DIR": state + "/state", "DBXFS_CACHE_DIR": state + "/cache",
            "DBXFS_LOG_LEVEL": "debug", "HOME": self.folder, "LANG": "C.UTF-8",
        }
        self.process = None

    def start(self, *options, seconds=30):
        """Mounts, and returns once the mount answers."""
        with open(self.folder + "/dbxfs.log", "ab") as output:
            self.process = subprocess.Popen(
                [self.binaries + "/dbxfs", "mount", "--foreground", self.root, *options],
                env=self.environment, stdout=output, stderr=output)
        end = time.monotonic() + seconds
        while not mounts_below(self.root):
            if not self.is_alive():
                with open(self.folder + "/dbxfs.log", errors="replace") as log:
                    raise Broken(f"{self.name} does not mount: {log.read()[-1000:]}")
            if time.monotonic() > end:
                raise Broken(f"{self.name} does not mount in {seconds} s")
            time.sleep(0.01)
        os.stat(self.root)

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """As a power cut for the process: no handler of it runs."""
        self.kill_process()
        detach(self.root)

    def kill_process(self):
        """The same, and the mount stays: calls there fail, and nothing gets into the folder below."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def sync(self, seconds):
        """Whether everything is on the server before the time is over."""
        end = time.monotonic() + seconds
        while True:
            try:
                result = subprocess.run(
                    [self.binaries + "/dbxfs", "sync", self.root, "--timeout", str(seconds)],
                    env=self.environment, timeout=seconds + 10, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True)
            except subprocess.TimeoutExpired:
                return False, "no answer"
            # The mount is there a moment before it takes commands.
            if "no process listens" not in result.stdout or not self.is_alive() or time.monotonic() > end:
                return result.returncode == 0, result.stdout.strip()
            time.sleep(0.05)

    def tree(self):
        """All entries of the mount: the content hash by path, None for a folder."""
        found = {}

        def fail(error):
            raise error

        for folder, folders, files in os.walk(self.root, onerror=fail):
            place = folder[len(self.root):]
            for name in folders:
                found[f"{place}/{name}"] = None
            for name in files:
                with open(f"{folder}/{name}", "rb") as file:
                    found[f"{place}/{name}"] = content_hash(file.read())
        return found

