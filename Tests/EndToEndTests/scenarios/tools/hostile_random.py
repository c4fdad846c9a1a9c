"""What the mode `random` of hostile.py makes of an answer: another status, a piece of it, other bytes, other values.

A seed decides the change of the n-th answer; the requests decide which one that is.
"""

import json
import random

STATUSES = [200, 204, 206, 304, 400, 403, 404, 409, 416, 422, 429, 500, 502, 503]
VALUES = [None, True, False, 0, -1, 1.5, 1e308, 1 << 31, 1 << 63, -(1 << 63), 1 << 64, "", " ", "/", "..", "/..", "a/b", "\0",
          "\ud800", "id:", "dbid:other", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2020-13-01", [], {}, [[]], [None],
          {".tag": ""}, {".tag": "reset"}, {".tag": "file"}, {".tag": "folder"}, {".tag": "deleted"}]
# Mounts do as they are told here, for an hour: that is no fault, and the test would see nothing until its end.
OBEYED = {"backoff"}


class Mutator:
    def __init__(self, seed, percent):
        self.random = random.Random(seed)
        self.percent = percent

    def change(self, status, headers, body):
        """The answer that is given, and how many of its bytes: fewer than it says end the connection."""
        if self.random.randrange(100) >= self.percent:
            return status, headers, body, len(body)
        way = self.random.randrange(8)
        if way == 0:
            status = self.random.choice(STATUSES)
            headers = headers + [("Retry-After", str(self.random.choice([0, 1, 2, -1, "soon", "1.5"])))]
        elif way == 1:
            return status, headers, body, self.random.randrange(len(body) + 1)
        elif way == 2:
            body = body[:self.random.randrange(len(body) + 1)]
        elif way == 3:
            body = self.damaged(body)
        elif way == 4:
            body = self.random.randbytes(self.random.choice([0, 1, 100, 100_000]))
        else:
            body = self.other_values(body)
        headers = [(name, self.header(value) if name.lower() == "dropbox-api-result" else value) for name, value in headers]
        return status, headers, body, len(body)

    def header(self, value):
        """A header's value has one line, in ASCII."""
        return self.other_values(value.encode()).decode("ascii", "replace").replace("\n", " ").replace("\r", " ")

    def damaged(self, body):
        body = bytearray(body)
        for _ in range(self.random.randrange(1, 8) if body else 0):
            body[self.random.randrange(len(body))] = self.random.randrange(256)
        return bytes(body)

    def other_values(self, body):
        """The same document, and some of its values are others. A text that is no document becomes damaged."""
        try:
            document = json.loads(body)
        except ValueError:
            return self.damaged(body)
        for _ in range(self.random.randrange(1, 4)):
            document = self.other_value(document)
        return json.dumps(document).encode()

    def other_value(self, document):
        holder = {"document": document}
        places = [(holder, "document")]
        index = 0
        while index < len(places) and index < 10_000:
            inside = places[index][0][places[index][1]]
            keys = inside.keys() if isinstance(inside, dict) else range(len(inside)) if isinstance(inside, list) else ()
            places += [(inside, key) for key in keys if key not in OBEYED]
            index += 1
        where, key = self.random.choice(places)
        way = self.random.randrange(6)
        if way == 0 and where is not holder:
            del where[key]
        elif way == 1:
            where[key] = "x" * self.random.choice([256, 5000, 1_000_000])
        elif way == 2 and isinstance(where[key], list) and where[key]:
            where[key] = where[key] * self.random.choice([2, 3, 100])
        elif way == 3:
            other, other_key = self.random.choice(places)
            where[key] = json.loads(json.dumps(other[other_key]))
        else:
            where[key] = self.random.choice(VALUES)
        return holder["document"]
