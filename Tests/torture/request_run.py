#!/usr/bin/env python3
"""One run: a mount, processes that ask hostile things of it, and a checker of the mount beside them.

    request_run.py BIN_DIR FOLDER SEED SECONDS KINDS OPTIONS

KINDS is `kernel`, `control` or both with a comma, OPTIONS what the mount gets as `-o`. Ends with 0, and writes what it has found to result.json. Which
requests are made is up to kernel_requests.py and control_requests.py; what must be true of the mount all the time is here.
"""

import glob
import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

from bed import Broken, Client, Emulator, Mount, abort_below, crash_line
from system_calls import last_calls

HERE = os.path.dirname(os.path.realpath(__file__))
KERNEL_WORKERS = 4
# Seconds for a call on the mount; a status; a read of the canary; until everything is sent; and the end of a mount.
CALL_LIMIT, STATUS_LIMIT, CANARY_LIMIT, SYNC_LIMIT, END_LIMIT = 60, 5, 60, 120, 60
# 128 cached contents with 3 each, 128 conversations, the files that the workers have open, the database, connections.
DESCRIPTOR_LIMIT = 700
# The bytes that the mount's state and cache may take; the server keeps every revision.
DISK_LIMIT = 6 << 30
# Names of the workers by kind.
KINDS = {"kernel": range(KERNEL_WORKERS), "control": range(10, 11)}


def content_of(path):
    """The text of a file, which need not exist."""
    if not os.path.exists(path):
        return ""
    with open(path, errors="replace") as file:
        return file.read()


def occupied(folder):
    """The bytes that a folder's files have on the disk; files may go during it."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


class Run:
    def __init__(self, binaries, folder, seed, seconds, kinds, options, memory):
        self.binaries, self.folder, self.seed, self.seconds, self.kinds = binaries, folder, seed, seconds, kinds
        self.memory_limit = memory << 20
        self.options = ["-o", options] if options else []
        self.failures = []
        self.peak = self.descriptors = self.longest_status = 0
        self.workers = {}
        self.emulator = Emulator(binaries, folder, ["token", "other"])
        self.client = Client(self.emulator, "other")
        self.mount = Mount(binaries, self.emulator, "a", "token")
        self.mount.environment["DBXFS_LOG_LEVEL"] = "info"
        self.canary = self.content("canary", (4 << 20) + 12345)

    def content(self, name, size):
        return random.Random(f"{name} {self.seed}").randbytes(size)

    def fail(self, text):
        if text not in self.failures:
            self.failures.append(text)

    # The beginning

    def begin(self):
        self.client.call("files/create_folder_v2", path="/w")
        for name, size in (("remote-1", 100), ("remote-2", 5 << 20)):
            self.client.upload("/w/" + name, self.content(name, size))
        self.mount.start(*self.options)
        self.pid = self.mount.process.pid
        # Written here and sent, so that it is read back from the cache and from the server.
        with open(self.mount.root + "/canary", "wb") as file:
            file.write(self.canary)
        done, text = self.mount.sync(SYNC_LIMIT)
        if not done:
            raise Broken(f"sync before anything else: {text}")
        self.socket = glob.glob(glob.escape(self.mount.folder) + "/state/run/*.sock")[0]

    def start_workers(self):
        for kind in self.kinds:
            for number in KINDS[kind]:
                target = self.mount.root if kind == "kernel" else self.socket
                with open(f"{self.folder}/worker-{number}.log", "wb") as output:
                    self.workers[number] = subprocess.Popen(
                        [sys.executable, f"{HERE}/{kind}_requests.py", target, self.folder, str(number), str(self.seed),
                         str(self.seconds)], stdout=output, stderr=output, start_new_session=False)

    # The checks at all times

    def look_at_process(self):
        if not self.mount.is_alive():
            raise Broken(f"the mount's process has ended with {self.mount.process.poll()}")
        with open(f"/proc/{self.pid}/status") as file:
            numbers = {line.split(":")[0]: line.split()[1] for line in file if line.startswith("Vm")}
        # The most that it ever had, also between two statuses.
        self.peak = max(self.peak, int(numbers.get("VmHWM", 0)) << 10)
        if self.peak > self.memory_limit:
            self.fail(f"more than {self.memory_limit >> 20} MiB of memory")
        try:
            self.descriptors = max(self.descriptors, len(os.listdir(f"/proc/{self.pid}/fd")))
        except PermissionError:
            pass  # Another user's than root may not look there.
        if self.descriptors > DESCRIPTOR_LIMIT:
            self.fail(f"more than {DESCRIPTOR_LIMIT} open descriptors")
        if sum(map(occupied, self.mount.state_folders)) > DISK_LIMIT:
            raise Broken(f"more than {DISK_LIMIT >> 30} GiB of the disk are used")

    def connect(self, end):
        """Connects to the mount's socket. An address has room for 107 bytes, and the path may be longer."""
        folder = os.open(os.path.dirname(self.socket), os.O_PATH)
        try:
            end.connect(f"/proc/self/fd/{folder}/{os.path.basename(self.socket)}")
        finally:
            os.close(folder)

    def ask_status(self):
        """The status, as a well-behaved client asks for it. At the limit of connections, the mount closes the oldest that
        has not asked yet, which may be this one: it asks again."""
        start = time.monotonic()
        while (seconds := time.monotonic() - start) < STATUS_LIMIT:
            self.look_at_process()
            try:
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
                    end.settimeout(STATUS_LIMIT - seconds)
                    self.connect(end)
                    end.sendall(b'{"command":"status"}\n')
                    line = b""
                    while not line.endswith(b"\n") and (piece := end.recv(1 << 16)):
                        line += piece
                status = json.loads(line)["status"]
                if status["pid"] != self.pid:
                    raise Broken(f"the status is of process {status['pid']} instead of {self.pid}")
                self.longest_status = max(self.longest_status, time.monotonic() - start)
                return status
            except (OSError, ValueError, KeyError):
                # Until the status is there, or the limit.
                time.sleep(0.02)
        self.fail(f"no status in {STATUS_LIMIT} s")
        return None

    def command(self, *arguments, limit=60):
        """Runs dbxfs; its exit code, None without an end, and what it said."""
        try:
            done = subprocess.run([self.binaries + "/dbxfs", *arguments], env=self.mount.environment, timeout=limit,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            return None, "no end"
        return done.returncode, done.stdout.strip()[-500:]

    def look_at_canary(self):
        """Whether an untouched file has its bytes. A process of its own reads it, which may hang."""
        reader = subprocess.Popen(["sha256sum", self.mount.root + "/canary"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            text = reader.communicate(timeout=CANARY_LIMIT)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            raise Broken(f"the canary cannot be read in {CANARY_LIMIT} s") from None
        if text.split()[:1] != [hashlib.sha256(self.canary).hexdigest()]:
            self.fail(f"the canary is another one: {text.strip()}")

    def look_at_tree(self):
        """Whether everything that is listed can be looked at and read."""
        try:
            done = subprocess.run([sys.executable, HERE + "/whole_tree.py", self.mount.root + "/w"], timeout=SYNC_LIMIT,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            self.fail(f"the tree cannot be read in {SYNC_LIMIT} s")
            return
        if done.returncode != 0:
            self.fail(f"the tree in the end: {done.stdout.strip()[-500:]}")

    def look_at_workers(self):
        """Those that are still at work. One that has been in the same call for too long hangs."""
        running = 0
        for number, worker in self.workers.items():
            calls = f"{self.folder}/worker-{number}.calls"
            if worker.poll() is not None:
                continue
            running += 1
            if os.path.exists(calls) and time.time() - os.stat(calls).st_mtime > CALL_LIMIT + 5:
                call = last_calls(calls)[-1]
                worker.send_signal(signal.SIGKILL)
                raise Broken(f"hang: worker {number} is in a call for more than {CALL_LIMIT} s: {call}")
        return running

    def watch(self):
        """Looks after the mount until all workers have ended."""
        turn = 0
        while self.look_at_workers():
            self.look_at_process()
            self.ask_status()
            if turn % 8 == 4:
                self.look_at_canary()
            if turn % 16 == 0:
                # While two hundred talk to the mount, a command may be told that no process listens.
                codes = [self.command("status", self.mount.root)[0] for _ in range(1 if turn == 0 else 3)]
                if 0 not in codes:
                    self.fail(f"dbxfs status ended with {codes}")
            turn += 1
            # The pace of the questions.
            time.sleep(0.4)

    # The end

    def ask_until_the_end(self):
        """From now on, others ask on and on, as monitors do, until no answer comes."""
        def ask(message):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
                try:
                    self.connect(end)
                    end.settimeout(END_LIMIT)
                    end.sendall(message)
                    while end.recv(1 << 16):
                        end.sendall(message)
                except OSError:
                    pass  # The end.

        for command in (b"status", b"pins", b"conflicts"):
            threading.Thread(target=ask, args=(b'{"command":"%s"}\n' % command,), daemon=True).start()
        # The questions wait for their answers by then; nothing shows it.
        time.sleep(0.2)

    def settle(self):
        # A setting of a request must not keep the rest from being sent.
        code, text = self.command("set", self.mount.root, "bwlimit_up=none", "bwlimit_down=none", "write_delay=none",
                                  "cache_size=1G", "log_level=info")
        if code != 0:
            self.fail(f"dbxfs set ended with {code}: {text}")
        code, text = self.command("sync", self.mount.root, "--timeout", str(SYNC_LIMIT), limit=SYNC_LIMIT + 30)
        if code != 0:
            self.fail(f"dbxfs sync ended with {code}: {text}")
        self.look_at_canary()
        self.look_at_tree()
        code, text = self.command("cache", "clear", self.mount.root)
        if code != 0:
            self.fail(f"dbxfs cache clear ended with {code}: {text}")
        self.look_at_canary()
        code, text = self.command("status", self.mount.root)
        if code != 0:
            self.fail(f"dbxfs status ended with {code}: {text}")
        self.look_at_process()
        if "control" in self.kinds:
            self.ask_until_the_end()
        code, text = self.command("unmount", self.mount.root, limit=END_LIMIT)
        if code != 0:
            self.fail(f"dbxfs unmount ended with {code}: {text}")
        try:
            code = self.mount.process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            code = None
        if code != 0:
            self.fail(f"the mount's process ended with {code}")

    def collect(self):
        """The counts of the workers, and what they have found."""
        counts = {kind: {} for kind in self.kinds}
        for kind in self.kinds:
            for number in KINDS[kind]:
                name = f"{self.folder}/worker-{number}"
                text = content_of(name + ".json")
                self.failures += [f"worker {number}: {line}" for line in content_of(name + ".failures").splitlines()]
                if not text:
                    said = " ".join(content_of(name + ".log").split()[-30:])
                    self.fail(f"worker {number} did not come to its end: {said}")
                    continue
                for call, results in json.loads(text)["calls"].items():
                    for result, count in results.items():
                        found = counts[kind].setdefault(call, {})
                        found[result] = found.get(result, 0) + count
        return counts

    def stop(self):
        for worker in self.workers.values():
            if worker.poll() is None:
                worker.kill()
        # Every process that waits for the mount goes on: nothing is sure to end else.
        abort_below(self.mount.root)
        if self.mount.is_alive():
            self.mount.kill()
        for worker in self.workers.values():
            worker.wait()

    def run(self):
        try:
            self.begin()
            self.start_workers()
            self.watch()
            self.settle()
        except (Broken, OSError) as error:
            self.fail(f"{type(error).__name__}: {error}" if isinstance(error, OSError) else str(error))
        finally:
            self.stop()
        counts = self.collect() if self.workers else {}
        logs = [self.mount.folder + "/dbxfs.log", *glob.glob(glob.escape(self.mount.folder) + "/state/default/*.log*")]
        if line := crash_line(filter(os.path.exists, logs)):
            self.fail(f"the log has a crash: {line}")
        return {"failures": self.failures, "counts": counts, "peak": self.peak, "descriptors": self.descriptors,
                "status": self.longest_status}


def main():
    binaries, folder, seed, seconds, kinds, options, memory = sys.argv[1:]
    result = Run(binaries, folder, int(seed), int(seconds), kinds.split(","), options, int(memory)).run()
    for calls in glob.glob(glob.escape(folder) + "/worker-*.calls"):
        with open(calls + ".txt", "w") as file:
            file.write("\n".join(last_calls(calls)) + "\n")
    with open(folder + "/result.json", "w") as file:
        json.dump(result, file, indent=1)


main()
