#!/usr/bin/env python3
"""A process that says hostile things to the control socket of a mount, until its time is over.

    control_requests.py SOCKET FOLDER NUMBER SEED SECONDS

Into FOLDER go the last things said (worker-NUMBER.calls), answers that were not as they have to be
(worker-NUMBER.failures), and the counts (worker-NUMBER.json). A request must be answered by a line of JSON, or the
connection closed, within `LIMIT` seconds; requests that wait for something are given up. What would stop the mount from
sending or fetching, such as a limit of one byte per second, is not among the requests: it would be obeyed.
"""

import json
import os
import random
import select
import socket
import sys
import time

from system_calls import Ring

# Seconds for an answer, on a busy machine.
LIMIT = 60
COMMANDS = ["status", "sync", "finish", "hurry", "new-login", "cache-clear", "cache-verify", "pin", "unpin", "pins", "conflicts",
            "set", "revisions", "link", "restore"]
# These are answered when something has happened, which may be never.
WAITING = {"sync", "finish", "pin"}
# A client that has asked for the mount's end is told of it then, and is remembered so long: a few in all are as many as there are users.
FINISHES = 8
FIELDS = ["timeout", "paths", "includesPinned", "settings", "limit", "revision", "command", "other"]
PATHS = ["", "/", "..", "/..", "/../..", "/w", "/w/a", "/w/b", "/w/d", "/w/remote-1", "w/a", "/w/a/x", "//w", "/w/", "/w/\0", "/w/\n",
         "/w/\u202e", "/w/\ud800", "/w/\u00e9", "/" + "x" * 256, "/" + "x/" * 2000, "/" + "x" * 300000, "/w/.~small", "/nothing"]
NUMBERS = [0, 1, -1, 0.5, 1e-320, -1e308, 1e308, 2**31, 2**53, 2**63 - 1, 2**63, -2**63, 2**64, 10**400, "1", True, None]
# Values that slow nothing down.
SETTINGS = {
    "bwlimit_up": ["none", "0", "50M", "9223372036854775807", "9223372036854775808", "-1", "1e30", "", "x", "\0"],
    "bwlimit_down": ["none", "0", "50M", "8E", "99999999999999999999T", "-0", "nan", None],
    "cache_size": ["0", "1", "1M", "20G", "9223372036854775807", "-1", "16E", "", "x"],
    "write_delay": ["0", "none", "1s", "0.1s", "-1", "1e9", "1e400", "nan", "inf", "99999999999999999999h", "x"],
    "log_level": ["info", "debug", "warning", "x", "", "\u202e"],
    "mount": ["x"], "": [""], "x" * 70000: ["y"],
}
GARBAGE = [b"", b"\n", b"\n" * 1000, b"null\n", b"[]\n", b"{}\n", b"0\n", b'"status"\n', b"true\n", b"{", b"}\n", b"\0" * 100 + b"\n",
           b"\xff\xfe\n", b"\xef\xbb\xbf{}\n", b'{"command":"status"\n', b"{'command':'status'}\n", b'{"command":"\xff"}\n',
           b'{"command":"\\ud800"}\n', b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n",
           b"\xff\xff\xff\xff{\"command\":\"status\"}\n", b"\x00\x00\x00\x14{\"command\":\"status\"}\n",
           b"9223372036854775807\n", b'18446744073709551616:{"command":"status"}\n', b"1e999999999\n", b"-" * 1000 + b"\n",
           b'{"command":"status","command":"pins"}\n', b'{"command":"status"}' * 10 + b"\n", b"status\n"]


class Talker:
    """Asks a mount's socket."""

    def __init__(self, path, ring, failures):
        # An address of a socket has room for 107 bytes, and a path may be longer.
        os.chdir(os.path.dirname(path))
        self.name = os.path.basename(path)
        self.ring, self.failures = ring, failures
        self.failed = 0
        self.finishes = 0
        self.counts = {}
        self.unread = []
        self.generator = None

    # The requests

    def of(self, values):
        return self.generator.choice(values)

    def deep(self):
        depth = self.of([10, 100, 511, 512, 513, 10000, 200000])
        opening, closing = self.of([("[", "]"), ('{"a":', "}"), ("[{\"command\":", "}]")])
        inner = opening * depth + "1" + (closing * depth if self.of([True, True, False]) else "")
        return self.of([inner, '{"command":"status","other":' + inner + "}", '{"command":"pin","paths":' + inner + "}"])

    def value(self):
        """Anything in the place of a field's value."""
        return self.of([
            lambda: self.of(NUMBERS), lambda: self.of(PATHS), lambda: [self.of(PATHS)], lambda: [], lambda: {},
            lambda: [self.of(PATHS)] * self.of([2, 100, 3000]), lambda: [None, 1, {}], lambda: "x" * self.of([1000, 500000]),
            lambda: [{"name": "x"}], lambda: None, lambda: self.of([True, False]),
        ])()

    def request(self):
        """A request with a command, and fields that fit it or do not."""
        command = self.of(COMMANDS)
        if command == "finish":
            self.finishes += 1
            command = "finish" if self.finishes <= FINISHES else "status"
        fields = {"command": command}
        if command in ("pin", "unpin", "conflicts", "revisions", "link", "restore"):
            fields["paths"] = [self.of(PATHS)] * self.of([1, 1, 1, 0, 2])
        if command == "set":
            fields["settings"] = []
            for _ in range(self.of([0, 1, 1, 1, 3])):
                name = self.of(list(SETTINGS))
                fields["settings"].append({"name": name, "value": self.of(SETTINGS[name])})
        if command in WAITING:
            fields["timeout"] = self.of(NUMBERS)
        for _ in range(self.of([0, 0, 1, 2, 4])):
            name = self.of(FIELDS)
            # A command of another type is none; `settings` are made above only.
            if name not in ("command", "settings") or self.of(range(4)) == 0:
                fields[name] = self.of([0, [], None, {}, "x", ["x"]]) if name in ("command", "settings") else self.value()
            if fields and self.of(range(12)) == 0:
                fields.pop(self.of(list(fields)), None)
        return fields, (json.dumps(fields) + "\n").encode("utf-8", "surrogatepass")

    # How it is said

    def connect(self):
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # Waits where many others want in. With a time limit, it would be refused at once (EAGAIN).
        end.connect(self.name)
        end.settimeout(LIMIT)
        return end

    def fail(self, text):
        self.failed += 1
        if self.failed <= 50:
            os.write(self.failures, text[:2000].encode("ascii", "backslashreplace") + b"\n")

    def say(self, kind, message, waits=False, closes=True):
        """Says something, and reads until there is a line or the end."""
        text = f"{kind} {message[:250]!r}{f'...{len(message)}' if len(message) > 250 else ''}"
        self.ring.begin(text)
        start = time.monotonic()
        result = "nothing"
        try:
            with self.connect() as end:
                if waits:
                    end.settimeout(self.of([0.01, 0.3, 1]))
                end.sendall(message)
                if closes:
                    end.shutdown(socket.SHUT_WR)
                line = b""
                while not line.endswith(b"\n"):
                    if not (piece := end.recv(1 << 16)):
                        break
                    line += piece
                result = "closed" if not line else "answered"
                for answer in filter(None, line.split(b"\n")):
                    if not isinstance(json.loads(answer), dict):
                        raise ValueError("not an object")
        except TimeoutError:
            result = "given up" if waits else "no answer"
        except (BrokenPipeError, ConnectionResetError):
            result = "closed"
        except ConnectionRefusedError:
            result = "refused"
        except ValueError as error:
            result = f"no JSON: {error}"
        seconds = time.monotonic() - start
        self.ring.end(text, f"{result} after {seconds:.3f} s")
        key = result.split(":")[0]
        self.counts.setdefault(kind, {})[key] = self.counts.setdefault(kind, {}).get(key, 0) + 1
        if key not in ("closed", "answered", "given up") or seconds > LIMIT:
            self.fail(f"{text}: {result} after {seconds:.1f} s")

    def ask(self):
        fields, message = self.request()
        command = fields.get("command")
        kind = command if command in COMMANDS else "no command"
        self.say(kind, message, waits=kind in WAITING)

    def ask_with_deep(self):
        self.say("deep", self.deep().encode() + b"\n")

    def talk_garbage(self):
        garbage = self.of(GARBAGE)
        if self.of([True, False, False]):
            garbage = self.generator.randbytes(self.of([1, 16, 1000, 70000])) + self.of([b"", b"\n"])
        self.say("garbage", garbage)

    def flood_line(self):
        """A line that is too long, with and without its end."""
        length = self.of([(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
        message = self.of([b"x" * length, b'{"command":"status","other":"' + b"x" * length + b'"}\n', b" " * length + b"\n"])
        self.say("long line", message)

    def leave(self):
        """A part of a request, and the end."""
        _, message = self.request()
        self.say("half", message[:self.generator.randrange(len(message))])

    def dribble(self):
        """A request byte by byte, and another one behind it."""
        text = b'{"command":"status"}\n' * 2
        with self.connect() as end:
            try:
                for place in range(len(text)):
                    end.sendall(text[place:place + 1])
                    # Each byte arrives by itself.
                    time.sleep(0.001)
            except OSError:
                pass
        self.count("dribble")

    def count(self, kind):
        self.counts.setdefault(kind, {})["done"] = self.counts.setdefault(kind, {}).get("done", 0) + 1

    def never_read(self):
        """Asks as much as is taken, and reads nothing. The connection stays for some time."""
        self.ring.begin("never read")
        end = self.connect()
        try:
            end.setblocking(False)
            line = b'{"command":"%s"}\n' % self.of([b"status", b"pins", b"conflicts", b"sync"])
            while select.select([], [end], [], 0.05)[1] and end.send(line * 100):
                pass
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            pass
        self.unread.append(end)
        while len(self.unread) > 10:
            self.unread.pop(0).close()
        self.ring.end("never read", "done")
        self.count("never read")

    def crowd(self):
        """Two hundred connections at once, of which some say something."""
        self.ring.begin("crowd")
        ends = []
        for _ in range(200):
            end = self.connect()
            try:
                if self.of(range(4)) == 0:
                    end.sendall(self.of([b"{", b'{"command":"status"}\n', b"\n", b'{"command":"sync"}\n']))
            except OSError:
                pass
            ends.append(end)
        # The connections stay open for a drawn time.
        time.sleep(self.of([0, 0, 0.1, 0.5]))
        for end in ends:
            end.close()
        self.ring.end("crowd", "done")
        self.count("crowd")

    def step(self, generator):
        self.generator = generator
        table = {self.ask: 60, self.ask_with_deep: 5, self.talk_garbage: 12, self.flood_line: 2, self.leave: 8, self.dribble: 2,
                 self.never_read: 3, self.crowd: 0.5}
        generator.choices(list(table), table.values())[0]()


def main():
    path, folder, number, seed, seconds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    name = f"{folder}/worker-{number}"
    failures = os.open(name + ".failures", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    talker = Talker(path, Ring(name + ".calls"), failures)
    end = time.monotonic() + seconds
    step = 0
    while time.monotonic() < end:
        step += 1
        talker.step(random.Random(f"{seed} {number} {step}"))
    with open(name + ".json", "w") as file:
        json.dump({"calls": talker.counts, "failed": talker.failed}, file)


main()
