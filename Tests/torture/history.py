#!/usr/bin/env python3
"""One history: what two mounts and another client did to one account, and whether all of it is kept.

    history.py BIN_DIR FOLDER SEED FAULTS REFUSE_IDS FOLDING

Steps come one after the other; the mounts send and apply deltas at the same time. Which steps, by
whom, and after which pause depends on the seed alone; a step picks its files out of what its actor sees.

Every content that is written has tokens, unique words. A token that was acknowledged must be in some file on
the server in the end, unless an actor has replaced or removed it knowingly: the actor had read it at that path
right before. An actor that reads a file on a mount and then removes it may meet another file, if the mount
gets a delta in between. The request log tells whether it can have: such a loss is doubtful, not certain.
"""

import errno
import json
import random
import re
import sys
import time

from api_actor import ApiActor
from bed import Broken, Client, Emulator, Mount, Refused, content_hash
from mount_actor import MountActor
from tokens import Ledger, doubts, tokens_of

ROUTES = ["files/upload", "files/upload_session/finish", "files/move_v2", "files/delete_v2",
          "files/create_folder_v2", "files/list_folder", "files/list_folder/continue", "files/download",
          "files/get_metadata", "files/*"]
FAULTS = [
    {"kind": "reset_before"}, {"kind": "reset_after"}, {"kind": "reset_after"},
    {"kind": "server_error", "status": 503}, {"kind": "error_after", "status": 500},
    {"kind": "rate_limited", "reason": "too_many_requests", "retry_after": 0},
    {"kind": "rate_limited", "reason": "too_many_write_operations", "retry_after": 1},
    {"kind": "too_many_write_operations"},
]
# How often each kind of step comes, for an actor on a mount and for the client of the API.
KINDS = {
    "write": 12, "create": 18, "save": 10, "append": 12, "rename": 10, "rename over": 4, "exchange": 4,
    "case": 5, "case of folder": 3, "mkdir": 8, "rm -r": 2, "rmdir": 3, "move folder": 10,
    "move folder into new": 5, "move out and remove": 3, "unlink": 6, "hold": 4, "write held": 5,
}
WORLD = {"fault": 8, "cursor reset": 1, "kill": 5, "late deltas": 5, "latency": 3, "settle": 2}
# Seconds for a mount to have sent everything, and for all to agree, once no fault is injected: a name between two moves
# is given 30 s before another mount makes the second one.
SYNC_LIMIT = 45
AGREE_LIMIT = 45


# The marks of aliases, which a mount has where only the server knows that two names are one.
ALIAS = re.compile(r" \((Case|Unicode Encoding|Whitespace|Name) Conflict( \d+)?\)")


def shown(path, server, there):
    """A path of the server as a mount has it that shows own names in place of aliases."""
    before = after = ""
    for part in path.split("/")[1:]:
        own = ALIAS.sub("", part)
        is_own = f"{after}/{part}" not in there and f"{after}/{own}" in there and f"{before}/{own}" not in server
        before, after = f"{before}/{part}", f"{after}/{own if is_own else part}"
    return after


class History:
    def __init__(self, binaries, folder, seed, with_faults, refuse_ids, folding):
        self.binaries, self.folder, self.seed = binaries, folder, seed
        self.with_faults = with_faults
        self.random = random.Random(f"torture {seed}")
        self.journal = open(folder + "/history", "w")
        self.kills = self.faults = 0
        options = ["--folding", folding] if folding else []
        self.emulator = Emulator(binaries, folder, ["token-a", "token-b", "token-c", "token-x"], options)
        self.emulator.settings(longpoll_jitter_seconds=0, refuse_ids=refuse_ids)
        self.ledger = Ledger(seed, self.note)
        # The views of mounts are compared by name, so that none may have names of its own.
        self.options = [["-o", "names=strict,write_delay=" + self.random.choice(["0s", "0s", "0.1s", "0.3s", "1s"])]
                        for _ in range(2)]
        self.mounts = [Mount(binaries, self.emulator, name, "token-" + name) for name in "ab"]
        self.api = ApiActor(Client(self.emulator, "token-x"), self.ledger, bool(folding))
        self.actors = [MountActor(mount, self.ledger, bool(folding)) for mount in self.mounts]

    def note(self, text):
        self.journal.write(f"{time.time():.3f} {text}\n")
        self.journal.flush()

    # The beginning

    def begin(self):
        for path in ["/p/a", "/p/b", "/p/q/c", "/p/q/d", "/r/a", "/r/s/b", "/a", "/b"]:
            self.api.create(path)
        for mount, options in zip(self.mounts, self.options):
            self.note(f"{mount.name} mounts with {options}")
            mount.start(*options)
        self.slow_down(random.Random(f"latency {self.seed}"))

    def slow_down(self, generator):
        """How long requests take, and how late mounts get deltas."""
        writes = generator.choice([0, 0, 10, 30, 100])
        late = generator.choice([0, 0, 200, 800, 3000])
        self.note(f"writes take {writes} ms, news are {late} ms late")
        by_route = {route: writes for route in ROUTES if "list" not in route and "*" not in route}
        after = generator.random() < 0.3
        self.emulator.settings(latency_ms={} if after else by_route, longpoll_delay_ms=late,
                               latency_after_ms=by_route if after else {})

    # The steps

    def step(self, number):
        # A generator for each step: what one step needs does not change the next.
        generator = random.Random(f"{self.seed} {number}")
        time.sleep(generator.choice([0, 0, 0, 0.003, 0.005, 0.01, 0.02, 0.05]))
        who = generator.choice(["a"] * 9 + ["b"] * 9 + ["x"] * 8 + ["world"] * 3)
        if who == "world":
            return self.change_world(generator)
        kind = generator.choices(list(KINDS), KINDS.values())[0]
        actor = {"a": self.actors[0], "b": self.actors[1], "x": self.api}[who]
        self.note(f"step {number}: {who} {kind}")
        try:
            actor.act(kind, generator)
        except (OSError, Refused) as error:
            self.note(f"  {type(error).__name__}: {error}")
            for mount in self.mounts:
                if not mount.is_alive():
                    raise Broken(f"died: {mount.name} at step {number}") from None
            if getattr(error, "errno", None) == errno.ENOTCONN:
                raise Broken(f"died: {who} is not connected at step {number}") from None

    def change_world(self, generator):
        kind = generator.choices(list(WORLD), WORLD.values())[0]
        if kind == "kill":
            number = generator.randrange(2)
            self.note(f"kill {self.mounts[number].name}")
            self.actors[number].forget_held()
            self.mounts[number].kill()
            self.kills += 1
            # The time without a mount is drawn.
            time.sleep(generator.choice([0, 0, 0.1]))
            self.mounts[number].start(*self.options[number])
        elif kind == "late deltas":
            late = generator.choice([0, 0, 300, 1500, 5000])
            self.note(f"news are {late} ms late")
            self.emulator.settings(longpoll_delay_ms=late)
        elif kind == "latency":
            self.slow_down(generator)
        elif kind == "settle":
            # A part of the history: time for uploads and deltas.
            time.sleep(generator.choice([0.2, 0.4]))
        elif not self.with_faults:
            pass
        elif kind == "cursor reset":
            self.note("cursors are reset")
            self.emulator.admin("POST", "/cursors/reset", {})
        else:
            fault = {"route": generator.choice(ROUTES), "count": generator.choice([1, 1, 1, 2, 3]),
                     **generator.choice(FAULTS)}
            self.note(f"fault {json.dumps(fault)}")
            self.emulator.admin("POST", "/faults", fault)

    # The end

    def settle(self):
        self.faults = sum(fault["hits"] for fault in self.emulator.admin("GET", "/faults")["faults"])
        self.emulator.admin("DELETE", "/faults")
        self.emulator.settings(longpoll_delay_ms=0, latency_ms=0, latency_after_ms=0)
        self.note("settle")
        for actor in self.actors:
            actor.close_held()
        # One mount's change may be a delta that another has to answer: twice.
        for _ in range(2):
            for mount in self.mounts:
                done, text = mount.sync(SYNC_LIMIT)
                self.note(f"sync of {mount.name}: {done} {text}")
                if not mount.is_alive():
                    raise Broken(f"died: {mount.name} in the end")
                if not done:
                    raise Broken(f"wedged: sync of {mount.name}: {text}")

    def differences(self, mount):
        """Where a mount is not what the server is, once it had some time."""
        end = time.monotonic() + AGREE_LIMIT
        while True:
            server = self.emulator.tree()
            try:
                there = mount.tree()
            except OSError as error:
                # A listed file may be gone when it is read.
                there = {str(error): None}
            server = {shown(path, server, there): digest for path, digest in server.items()}
            wrong = [f"{mount.name}: {path}: server {server.get(path, 'nothing')}, "
                     f"mount {there.get(path, 'nothing')}"
                     for path in sorted(server.keys() | there.keys())
                     if server.get(path, 0) != there.get(path, 0)]
            if not wrong or time.monotonic() > end:
                return wrong
            time.sleep(0.05)

    def check(self):
        """The lines that name faults, by kind."""
        wrong = {"diverged": [], "temporary": [], "lost": [], "doubtful": []}
        for mount in self.mounts:
            wrong["diverged"] += self.differences(mount)
        fresh = Mount(self.binaries, self.emulator, "c", "token-c")
        fresh.start()
        wrong["diverged"] += self.differences(fresh)
        tree = self.emulator.tree()
        wrong["temporary"] = [path for path in tree if ".dbxfs-rename" in path]
        contents = {path: self.api.client.download(path) for path, digest in tree.items() if digest}
        for path, content in contents.items():
            if content_hash(content) != tree[path]:
                wrong["diverged"].append(f"{path} has not the content of its hash")
        lost = sorted(self.ledger.required - tokens_of(b"".join(contents.values())))
        for token in lost:
            reason = doubts(token, self.ledger, self.emulator.log)
            wrong["doubtful" if reason else "lost"].append(f"{token} {reason or self.ledger.story(token)}")
        with open(self.folder + "/server", "w") as file:
            for path, digest in tree.items():
                tokens = sorted(tokens_of(contents.get(path, b"")))
                file.write(f"{path} {'folder' if digest is None else ' '.join(tokens)}\n")
        return wrong

    def run(self):
        self.begin()
        for number in range(self.random.randrange(120, 151)):
            self.step(number)
        self.settle()
        return self.check()


def main():
    binaries, folder, seed, with_faults, refuse_ids, folding = sys.argv[1:]
    history = History(binaries, folder, int(seed), with_faults == "1", refuse_ids == "1", folding)
    wrong = {}
    try:
        wrong = history.run()
    except Broken as error:
        wrong["wedged"] = [str(error)]
    for kind, lines in wrong.items():
        for line in lines:
            history.note(f"{kind}: {line}")
    result = {"tokens": len(history.ledger.acknowledged), "kills": history.kills, "faults": history.faults,
              "wrong": {kind: lines for kind, lines in wrong.items() if lines}}
    with open(folder + "/result.json", "w") as file:
        json.dump(result, file)


main()
