#!/usr/bin/env python3
"""A hostile server: a proxy in front of the emulator at ENDPOINT that changes answers as the file MODE says.

Prints its address. Modes, one a line, with what they need behind them:
  plain            answers as they are
  entries FILE     the next page of changes has these entries as well, once
  listing FILE     first pages of listings have these entries as well
  sizes            files named "claims N ..." have N bytes
  retry SECONDS    the next five requests that change something are refused: too many, wait so long
  later SECONDS    downloads are refused: too many, wait so long
  values           listings and pages of changes have millions of values, in few bytes
  strings N SIZE [PIECE]  pages have N folders whose names have SIZE bytes, or their paths names of PIECE bytes, and are
                   never the last one
  account FILE     the owner of a token is the one in FILE
  bomb             archives are few bytes that become a gigabyte
  endless          archives never end, and nothing in them is wanted
  spin             longpolls end at once, and there is no change
  random SEED PERCENT  so many answers in a hundred, but to whose the token is, are what hostile_random.py makes of them
  more             pages of changes are empty and never the last one
Each route that is asked for is counted in the file COUNTS, a line each.
"""

import gzip
import http.server
import json
import os
import socketserver
import sys
import urllib.error
import urllib.request
import zlib

from hostile_random import Mutator

ENDPOINT, MODE, COUNTS = (os.environ[name] for name in ("ENDPOINT", "MODE", "COUNTS"))
CHANGING = ("upload", "create_folder", "delete", "move")


def local_file(name, packed, method):
    """A zip entry whose sizes follow."""
    name = name.encode()
    return (b"PK\3\4\x14\0\x08\0" + method.to_bytes(2, "little") + bytes(4 + 12)
            + len(name).to_bytes(2, "little") + b"\0\0" + name + packed)


def zeros():
    """A gigabyte, deflated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(1024)) + packer.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    used = set()
    refused = 0
    pages = 0
    mutators = {}

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, value):
        self.answer(json.dumps(value).encode(), headers=[("Content-Type", "application/json")])

    def answer_damaged(self, mutator, body, status, headers):
        status, headers, body, count = mutator.change(status, headers, body)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:count])
        self.close_connection = self.close_connection or count < len(body)

    def answer_packed(self, document):
        self.answer(gzip.compress(document, 9), headers=[
            ("Content-Type", "application/json"), ("Content-Encoding", "gzip")])

    def named(self, count, size, piece=1 << 30):
        """A page of new folders."""
        Handler.pages += 1
        entries = []
        for number in range(count):
            name = f"{Handler.pages} {number} ".ljust(size, "n")
            names = [name[start:start + piece] for start in range(0, size, piece)]
            path = "/" + "/".join(names)
            entries.append({".tag": "folder", "name": names[-1], "path_lower": path, "path_display": path,
                            "id": f"id:strings{Handler.pages}x{number}"})
        return json.dumps({"entries": entries, "cursor": f"more {Handler.pages}", "has_more": True}).encode()

    def do_POST(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open(MODE) as file:
            mode, *words = file.read().split() or ["plain"]
        with open(COUNTS, "a") as file:
            file.write(self.path + "\n")
        if not self.attack(mode, words, body):
            self.forward(mode, words, body)

    def attack(self, mode, words, body):
        """Answers instead of the emulator, if that is the mode."""
        is_changes = self.path.endswith("list_folder/continue")
        cursor = json.loads(body).get("cursor", "") if is_changes or "longpoll" in self.path else ""
        if mode == "retry" and Handler.refused < 5 and any(word in self.path for word in CHANGING):
            Handler.refused += 1
            self.answer(b"{}", 429, [("Retry-After", words[0])])
        elif mode == "later" and "download" in self.path:
            self.answer(b"{}", 429, [("Retry-After", words[0])])
        elif mode == "values" and "list_folder" in self.path and "longpoll" not in self.path:
            document = b'{"entries":[' + b"{}," * 5_000_000 + b'{}],"cursor":"x","has_more":false}'
            self.answer_packed(document)
        elif mode == "strings" and "list_folder" in self.path and "longpoll" not in self.path:
            self.answer_packed(self.named(*map(int, words)))
        elif mode == "account" and self.path.endswith("get_current_account"):
            with open(words[0], "rb") as file:
                self.answer(file.read(), headers=[("Content-Type", "application/json")])
        elif mode == "bomb" and self.path.endswith("download_zip"):
            self.answer(local_file("bomb", zeros(), 8))
        elif mode == "endless" and self.path.endswith("download_zip"):
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            data = b"\0" * (1 << 16)
            header = bytearray(local_file("unwanted", data, 0))
            header[6:8] = b"\0\0"
            header[14:18] = zlib.crc32(data).to_bytes(4, "little")
            header[18:22] = header[22:26] = len(data).to_bytes(4, "little")
            try:
                while True:
                    self.wfile.write(header)
            except OSError:
                pass
        elif mode == "spin" and "longpoll" in self.path:
            self.answer_json({"changes": True})
        elif mode == "more" and is_changes:
            Handler.pages += 1
            self.answer_json({"entries": [], "cursor": f"more {Handler.pages}", "has_more": True})
        elif cursor.startswith("more "):
            # The mode is over: listings begun with such a cursor have expired.
            self.answer(json.dumps({"error_summary": "reset/", "error": {".tag": "reset"}}).encode(),
                        409, [("Content-Type", "application/json")])
        else:
            return False
        return True

    def forward(self, mode, words, body):
        headers = {name: value for name, value in self.headers.items()
                   if name.lower() not in ("host", "content-length", "transfer-encoding",
                                           "connection", "accept-encoding")}
        headers["Content-Length"] = str(len(body))
        # With a body, urllib names a type of its own where there is none.
        request = urllib.request.Request(ENDPOINT + self.path, body or None, headers, method="POST")
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            text, status = answer.read(), answer.status
            kept = [(name, value) for name, value in answer.headers.items()
                    if name.lower() not in ("content-length", "transfer-encoding", "connection")]
        if status == 200 and self.path.endswith(("list_folder", "list_folder/continue")):
            text = self.change(mode, words, json.loads(text))
        if mode == "random" and not self.path.endswith("get_current_account"):
            return self.answer_damaged(Handler.mutators.setdefault(tuple(words), Mutator(*map(int, words))), text, status, kept)
        self.answer(text, status, kept)

    def change(self, mode, words, page):
        if mode == "entries" and self.path.endswith("continue") and words[0] not in Handler.used:
            Handler.used.add(words[0])
            with open(words[0]) as file:
                page["entries"] += json.load(file)
        if mode == "listing" and self.path.endswith("list_folder"):
            with open(words[0]) as file:
                page["entries"] += json.load(file)
        for entry in page["entries"]:
            if entry.get(".tag") == "file" and str(entry.get("name")).startswith("claims "):
                entry["size"] = int(entry["name"].split()[1])
        return json.dumps(page).encode()


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
sys.stdout.close()
server.serve_forever()
