#!/usr/bin/env python3
"""Lets the n-th thing go wrong, for every n, and checks the state after it.

In a round, a local call that changes the disk fails or kills the mount's process (nth_call.c), or a
request fails, while the work of fault_cases.py is done; then the account is mounted again without
faults. Acknowledged content must be there; refused calls have happened wholly or not at all, or a
beginning of the write is there; all of it is on the server, once, and nothing is left over. A file whose flush
has failed, and is not repeated, is a problem that status names, and a copy of it takes its place.

FAULT_MODES     names of modes, below, with commas; all without it
FAULT_SAMPLE    how many n of each mode, of all that there are; without it, these:
FAULT_FROM, FAULT_TO, FAULT_STRIDE
                which n; without FAULT_TO, until no fault fires
FAULT_VARIANT   0 to 3: shifts which n has which variant, below
FAULT_LIE       to test the checks: `drop` or `change` spoils acknowledged content, `add` leaves a
                staging file; each round must fail then
"""

import errno
import functools
import os
import shutil
import sys
import threading
import time
import traceback

from fault_bed import MOUNT, ROUND, TOOLS, WORK, Bed, read_tree
from fault_cases import all_cases
from fault_work import Broken, Interrupted

# As in nth_call.c.
FAIL, FAIL_FROM, TEAR, KILL_BEFORE, KILL_IN, KILL_AFTER = range(1, 7)

# When faults are possible, and what they are. `work`: from the first change on the mount; `again`: when
# a mount that was killed with everything unsent is mounted again, and then; `first`: from the first
# mount of an account on.
MODES = {
    "fail": ("work", FAIL, errno.EIO),
    "full": ("work", FAIL_FROM, errno.ENOSPC),
    "tear": ("work", TEAR, errno.ENOSPC),
    "kill-before": ("work", KILL_BEFORE, 0),
    "kill-in": ("work", KILL_IN, 0),
    "kill-after": ("work", KILL_AFTER, 0),
    "again-fail": ("again", FAIL, errno.EIO),
    "again-full": ("again", FAIL_FROM, errno.ENOSPC),
    "again-kill": ("again", KILL_IN, 0),
    "first-fail": ("first", FAIL, errno.EIO),
    "first-full": ("first", FAIL_FROM, errno.ENOSPC),
    "first-kill": ("first", KILL_IN, 0),
    "request-error": ("work", {"kind": "server_error", "status": 500}, 0),
    "request-late-error": ("work", {"kind": "error_after", "status": 500}, 0),
    "request-reset": ("work", {"kind": "reset_before"}, 0),
    "request-lost": ("work", {"kind": "reset_after"}, 0),
}
# The mount's delay, and whether it ends by a kill, if something has fired during the work, or sends
# everything and is unmounted.
VARIANTS = [("1h", "kill"), ("0s", "send"), ("1h", "send"), ("0s", "kill")]
LIE = os.environ.get("FAULT_LIE")
# The problem in status of a file whose flush has failed.
REFUSED = "the disk did not take the content; copy the file"
# Seconds that a mount gets to send everything after one failure.
PATIENCE = 30


class Round:
    """One n of one mode."""

    def __init__(self, mode, n):
        self.phase, self.fault, self.error = MODES[mode]
        shift = int(os.environ.get("FAULT_VARIANT", 0))
        self.delay, self.end = VARIANTS[(n + shift) % len(VARIANTS)]
        self.n = n
        self.history = []
        self.problems = []
        self.bed = Bed.copy(knows_account=self.phase != "first")
        self.cases = all_cases(MOUNT, self.note, lambda: self.bed.is_running())
        self.has_fired = False
        self.watchdog = threading.Timer(150, self.end_hang)

    def note(self, text):
        self.history.append(f"{time.monotonic():.3f} {self.bed.page['count']} {text}")

    def end_hang(self):
        self.problems.append("something hung, and was killed")
        if self.bed.is_running():
            self.bed.process.kill()

    @property
    def is_local(self):
        return not isinstance(self.fault, dict)

    @property
    def kills(self):
        return self.is_local and self.fault >= KILL_BEFORE

    def run(self):
        self.watchdog.start()
        try:
            if self.phase == "again":
                self.bed.mount_with_faults("1h")
                self.work()
                self.bed.kill()
            if self.phase != "work":
                self.begin_faults()
            if self.bed.mount_with_faults(self.delay):
                if self.phase == "work":
                    self.begin_faults()
                if self.phase != "again":
                    self.work()
                self.look()
                self.send()
            elif not self.fired():
                raise Broken("it did not mount")
            self.finish()
            self.check()
        finally:
            self.watchdog.cancel()
            for _, case in self.cases:
                case.abandon()
            self.bed.close()

    # Faults

    def begin_faults(self):
        if not self.is_local:
            self.bed.admin("POST", "/stats/reset", {})
            if self.n > 0:
                self.bed.admin("POST", "/faults", {
                    "route": "files/*", "skip": self.n - 1, "count": 1, **self.fault})
            return
        page = self.bed.page
        page["at"], page["action"], page["error"] = self.n, self.fault, self.error
        page["armed"] = 1

    def fired(self):
        if self.is_local:
            return self.bed.page["hits"] > 0
        return any(fault["hits"] for fault in self.bed.admin("GET", "/faults")["faults"])

    def count(self):
        if self.is_local:
            return self.bed.page["count"]
        routes = self.bed.admin("GET", "/stats")["routes"]
        return sum(route["requests"] for name, route in routes.items() if name.startswith("files/"))

    def what(self):
        return self.bed.page.call if self.is_local else "a request"

    # Parts of a round

    def work(self):
        try:
            for play, case in self.cases:
                play(case)
        except Interrupted:
            self.note("the process has ended")

    def look(self):
        """Content read during the faults is right, too."""
        for _, case in self.cases:
            paths = {path for tree in case.states for path, value in tree.items()
                     if isinstance(value, list)}
            for path in sorted(paths):
                if not self.bed.is_running() or not os.path.isfile(case.at(path)):
                    continue
                try:
                    case.read(path)
                except Broken as error:
                    self.problems.append(f"before the end: {error}")

    def send(self):
        """A mount goes on after one failure, and when there is room again."""
        if not self.bed.is_running() or self.end == "kill" and self.fired():
            return
        if self.is_local and self.fault == FAIL_FROM:
            self.bed.sync(1)
            self.bed.page["armed"] = 0
            self.note("there is room again")
        problem = self.sync(PATIENCE)
        if problem and not (self.kills and self.fired()):
            self.problems.append(f"it does not go on: {problem}")

    def sync(self, limit):
        """Returns why not everything is on the server, or None."""
        problem = self.bed.sync(limit)
        if problem and self.replace_refused():
            problem = self.bed.sync(limit)
        return problem

    def replace_refused(self):
        """Does as status says of files whose bytes the disk may lack. Returns whether there were any."""
        problems = (self.bed.status() or {}).get("problems", [])
        paths = [MOUNT + "/" + problem["path"].lstrip("/") for problem in problems
                 if REFUSED in problem["reason"]]
        for path in paths:
            self.note(f"copied: {path}")
            shutil.copyfile(path, path + ".copy")
            os.rename(path + ".copy", path)
        return bool(paths)

    def finish(self):
        if self.fired() and self.kills:
            self.bed.wait_for_end()
        if self.bed.is_running() and not (self.end == "kill" and self.fired()):
            result = self.bed.unmount_somehow()
            if result and not self.fired():
                raise Broken(f"unmount: {result}")
        self.has_fired, self.total = self.fired(), self.count()
        self.bed.kill()
        self.bed.page["armed"] = 0
        if not self.is_local:
            self.bed.admin("DELETE", "/faults")
        if LIE:
            self.lie()

    def check(self):
        self.note("mounted again, without faults")
        self.bed.mount()
        self.settle()
        problem = self.sync(60)
        if problem:
            raise Broken(f"not everything can be sent: {problem}")
        self.settle()
        self.bed.run(["python3", TOOLS + "/compare.py", MOUNT])
        self.bed.unmount()
        self.bed.check_leftovers()

    def settle(self):
        found = read_tree()
        for _, case in self.cases:
            case.settle(found)
        foreign = [path for path in found if not any(case.owns(path) for _, case in self.cases)]
        if foreign:
            raise Broken(f"nobody made {foreign}")

    def lie(self):
        """Does what must be noticed."""
        tool = [TOOLS + "/dropbox.py"]
        if LIE == "drop":
            self.bed.run(tool + ["delete", "/read"])
        elif LIE == "change":
            self.bed.run(tool + ["upload", "/read"], input=b"changed")
        elif LIE == "add":
            os.makedirs(self.bed.state + "/default/staging/left", exist_ok=True)


def one_round(mode, n):
    """Returns the round, and whether it was wrong."""
    round = Round(mode, n)
    try:
        round.run()
    except Broken as error:
        round.problems.append(str(error))
    except OSError as error:
        round.problems.append(f"{error.strerror}: {traceback.format_exc()}")
    if round.problems:
        title = f"{mode} {n} ({round.delay}, {round.end}), {round.what()}:"
        text = "\n".join([title] + round.problems)
        with open(ROUND + "/history", "w") as file:
            file.write("\n".join(round.history) + f"\n{text}\n")
        kept = f"{WORK}/failed-{mode}-{n}"
        shutil.rmtree(kept, ignore_errors=True)
        os.rename(ROUND, kept)
        print(f"WRONG: {text}", flush=True)
    return round, bool(round.problems)


@functools.cache
def total(mode):
    """How many n there are, about: each run has its own number."""
    round, is_wrong = one_round(mode, 0)
    if is_wrong:
        raise SystemExit("wrong without any fault")
    return round.total


def sample(mode, size):
    """Some n, from the first to the last, and not the same in each mode."""
    phase, fault, _ = MODES[mode]
    # The times at which faults are possible count, and their sorts.
    like = next(name for name, (other, kind, _) in MODES.items()
                if other == phase and isinstance(kind, dict) == isinstance(fault, dict))
    shift = list(MODES).index(mode) * 0.37 % 1
    return [1 + int((i + shift) * total(like) / size) for i in range(size)]


def one_mode(mode):
    """Returns how many rounds were wrong."""
    begin = time.monotonic()
    size = int(os.environ.get("FAULT_SAMPLE", 0))
    if size:
        numbers = sample(mode, size)
    else:
        end = int(os.environ.get("FAULT_TO", sys.maxsize))
        numbers = range(int(os.environ.get("FAULT_FROM", 1)), end + 1,
                        int(os.environ.get("FAULT_STRIDE", 1)))
    hits = misses = problems = 0
    for n in numbers:
        round, is_wrong = one_round(mode, n)
        problems += is_wrong
        hits += round.has_fired
        # The two delays have their own numbers of calls.
        misses = 0 if round.has_fired else misses + 1
        if misses == 2 and not size:
            break
    print(f"{mode}: fired {hits} times up to {n}, {problems} wrong, "
          f"{time.monotonic() - begin:.0f} s", flush=True)
    return problems


def main():
    names = os.environ.get("FAULT_MODES") or ",".join(MODES)
    Bed.make_template()
    problems = sum(one_mode(mode) for mode in names.split(","))
    if problems:
        raise SystemExit(f"{problems} rounds were wrong; they are in {WORK}")


main()
