#!/usr/bin/env python3
"""Random answers to a real mount: a proxy changes what the emulator says, while programs read and write.

    answers.py BIN_DIR --seconds N --seed N [--keep FOLDER] [--memory MIB]

What the mount shows during that is up to the answers. It must live, answer a status, keep within its memory, hang no process,
and show a new change soon after the answers are true again; and it must unmount. Ends with 1 else, and keeps the folder.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from bed import Broken, Client, Emulator, Mount, abort_below, crash_line, end_on_sigterm, run_group

HERE = os.path.dirname(os.path.realpath(__file__))
PROXY = HERE + "/../EndToEndTests/scenarios/tools/hostile.py"
# Seconds for a call on the mount, which a server that is slow may hold up for a minute; for a status; until a change
# is seen once answers are true; for the end of a mount.
CALL_LIMIT, STATUS_LIMIT, HEARING_LIMIT, END_LIMIT = 100, 10, 180, 120
# Seconds of random answers before true ones. Half of the answers are changed in some of the spells, few in others.
SPELL = 40
PERCENTS = [2, 10, 50]
MARGIN = 900


class Run:
    def __init__(self, binaries, folder, seed, seconds, memory):
        self.folder, self.seed, self.memory = folder, seed, memory << 10
        self.end = time.monotonic() + seconds
        self.random = random.Random(seed)
        self.failures = []
        self.calls = self.spells = self.peak = 0
        self.is_over = False
        self.emulator = Emulator(binaries, folder, ["token", "other"])
        self.client = Client(self.emulator, "other")
        self.mode("plain")
        self.start_proxy()
        self.mount = Mount(binaries, self.emulator, "a", "token")
        self.mount.environment.update(DBXFS_ENDPOINT=self.address, DBXFS_LOG_LEVEL="info")

    def start_proxy(self):
        environment = {**os.environ, "ENDPOINT": self.emulator.address, "MODE": self.folder + "/mode",
                       "COUNTS": self.folder + "/counts"}
        with open(self.folder + "/proxy.log", "wb") as log:
            self.proxy = subprocess.Popen([sys.executable, PROXY], env=environment, stdout=subprocess.PIPE, stderr=log)
        self.address = self.proxy.stdout.readline().decode().strip()

    def mode(self, text):
        with open(self.folder + "/mode.new", "w") as file:
            file.write(text)
        os.rename(self.folder + "/mode.new", self.folder + "/mode")
        with open(self.folder + "/counts", "w"):
            pass

    # Work

    def work(self, number):
        """Calls on the mount, each in a process with a limit, until the run is over."""
        chance = random.Random(f"{self.seed} {number}")
        while not self.is_over:
            name = f"{self.mount.root}/w/{chance.randrange(12)}"
            command = chance.choice([
                ["ls", "-laR", self.mount.root], ["cat", name], ["stat", name], ["rm", "-rf", name],
                ["mv", "-f", name, f"{self.mount.root}/w/{chance.randrange(12)}"], ["mkdir", "-p", name + "d/e"],
                ["sh", "-c", f'head -c {chance.randrange(3_000_000)} /dev/urandom > "{name}"']])
            done = subprocess.run(["timeout", "-k", "5", str(CALL_LIMIT), *command], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False)
            self.calls += 1
            if done.returncode in (124, 137):
                self.failures.append(f"no end after {CALL_LIMIT} s: {' '.join(command)}")
                return
            # The pace of a user, drawn.
            time.sleep(chance.random() / 2)

    def change_remotely(self):
        name = f"/w/{self.random.randrange(12)}"
        try:
            if self.random.randrange(4) == 0:
                self.client.call("files/delete_v2", path=name)
            else:
                self.client.upload(name, self.random.randbytes(self.random.randrange(1 << 20)), "overwrite")
        except Exception as error:  # The tree is up to chance.
            return error
        return None

    # The checks

    def look(self):
        if not self.mount.is_alive():
            raise Broken(f"the mount's process has ended with {self.mount.process.poll()}")
        with open(f"/proc/{self.mount.process.pid}/status") as file:
            self.peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
        if self.peak > self.memory:
            raise Broken(f"{self.peak >> 10} MiB of memory")
        self.command("status", self.mount.root, limit=STATUS_LIMIT)

    def command(self, *arguments, limit, codes=(0,)):
        try:
            done = subprocess.run([self.mount.binaries + "/dbxfs", *arguments], env=self.mount.environment, timeout=limit,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            raise Broken(f"dbxfs {arguments[0]}: no end in {limit} s") from None
        if done.returncode not in codes:
            raise Broken(f"dbxfs {arguments[0]} ended with {done.returncode}: {done.stdout.strip()[-300:]}")

    def hear(self):
        """True answers again: what another client stores now has to be seen."""
        self.mode("plain")
        name = f"heard-{self.spells}"
        self.client.upload("/" + name, name.encode())
        end = time.monotonic() + HEARING_LIMIT
        while True:
            self.look()
            done = subprocess.run(["timeout", "-k", "5", str(CALL_LIMIT), "cat", f"{self.mount.root}/{name}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            if done.stdout == name.encode():
                return
            if time.monotonic() > end:
                raise Broken(f"{name} is not seen {HEARING_LIMIT} s after it was stored")
            time.sleep(0.5)

    def play(self):
        self.client.call("files/create_folder_v2", path="/w")
        self.mount.start()
        workers = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(3)]
        for worker in workers:
            worker.start()
        while time.monotonic() < self.end and not self.failures:
            self.spells += 1
            self.mode(f"random {self.seed * 1000 + self.spells} {self.random.choice(PERCENTS)}")
            until = min(time.monotonic() + SPELL, self.end)
            while time.monotonic() < until:
                self.change_remotely()
                self.look()
                time.sleep(1)
            self.hear()
        self.is_over = True
        for worker in workers:
            worker.join(CALL_LIMIT + 20)
        # 3: something is still queued, perhaps for good: the server may have said anything of it.
        self.command("unmount", self.mount.root, "--timeout", "30", limit=END_LIMIT, codes=(0, 3))
        self.mount.process.wait(END_LIMIT)

    def run(self):
        try:
            self.play()
        except (Broken, OSError, subprocess.TimeoutExpired) as error:
            self.failures.append(f"{type(error).__name__}: {error}")
        self.is_over = True
        abort_below(self.mount.root)
        if line := crash_line(filter(os.path.exists, [self.mount.folder + "/dbxfs.log"])):
            self.failures.append(f"the log has a crash: {line}")
        print(f"{self.spells} spells, {self.calls} calls, peak {self.peak >> 10} MiB, {len(self.failures)} failures")
        for failure in self.failures:
            print(failure[:600])
        return bool(self.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binaries", metavar="BIN_DIR")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--keep", default="answer-failures")
    parser.add_argument("--memory", type=int, default=250)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.folder:
        os._exit(Run(arguments.binaries, arguments.folder, arguments.seed, arguments.seconds, arguments.memory).run())
    end_on_sigterm()
    folder = os.path.realpath(tempfile.mkdtemp(prefix="dbxfs-answers-"))
    # All of it in a process group of its own, so that nothing outlives it.
    status, output = run_group([sys.executable, os.path.realpath(__file__), os.path.realpath(arguments.binaries), "--folder", folder,
                                "--seconds", str(arguments.seconds), "--seed", str(arguments.seed),
                                "--memory", str(arguments.memory)], folder, arguments.seconds + MARGIN)
    print(f"seed {arguments.seed}: " + ("no end\n" if status is None else "") + output.strip(), flush=True)
    if status != 0:
        kept = f"{os.path.realpath(arguments.keep)}/seed-{arguments.seed}"
        shutil.rmtree(kept, ignore_errors=True)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.move(folder, kept)
        sys.exit(1)
    shutil.rmtree(folder, ignore_errors=True)


main()
