"""What reads is measured on: files on the own disk, and the same files on the server.

Not responsible for reading them (reader).
"""

import http.client
import json
import os
import random

MEBI = 1 << 20
# No request may be larger than 150 MiB.
PIECE = 64 * MEBI
WORD = b"needle"
SMALL_FILES = 2000
SMALL_FOLDERS = 40
# The files of each content, and their sizes.
CONTENTS = {
    "big": {"big": 512 * MEBI},
    "huge": {"huge": 1024 * MEBI},
    "film": {"film": 256 * MEBI},
    "eight": {f"file {number}": 32 * MEBI for number in range(8)},
    "first": {f"first/{number}": 8 * MEBI for number in range(9)},
    "photos": {f"photos/{number}": 3 * MEBI for number in range(300)},
    "small": {f"tree/{number % SMALL_FOLDERS}/{number}": 4096 for number in range(SMALL_FILES)},
}


def text(generator, size):
    """Lines, one in 600 of which has the word that is searched for."""
    lines = bytearray()
    while len(lines) < size:
        lines += generator.randbytes(20).hex().encode() + (b" " + WORD if generator.random() < 1 / 600 else b"") + b"\n"
    return bytes(lines[:size])


def make(folder, name):
    """Writes a content to a folder; the same in every run."""
    generator = random.Random(name)
    for path, size in CONTENTS[name].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with open(folder / path, "wb") as file:
            if name == "small":
                file.write(text(generator, size))
                continue
            for _ in range(size // MEBI):
                file.write(generator.randbytes(MEBI))


class Uploader:
    """Another client, which puts files on the server over one connection."""

    def __init__(self, emulator):
        self.token = emulator.token
        self.connection = http.client.HTTPConnection("127.0.0.1", emulator.port, timeout=60)

    def call(self, route, argument, body):
        self.connection.request("POST", f"/2/files/{route}", body, {
            "Authorization": f"Bearer {self.token}", "Dropbox-API-Arg": json.dumps(argument),
            "Content-Type": "application/octet-stream"})
        reply = self.connection.getresponse()
        answer = reply.read()
        if reply.status != 200:
            raise SystemExit(f"{route}: {reply.status} {answer[:200]}")
        return json.loads(answer) if answer else None

    def put(self, source, path):
        with open(source, "rb") as file:
            if os.path.getsize(source) <= PIECE:
                self.call("upload", {"path": path}, file.read())
                return
            session = self.call("upload_session/start", {}, b"")["session_id"]
            offset = 0
            while piece := file.read(PIECE):
                self.call("upload_session/append_v2", {"cursor": {"session_id": session, "offset": offset}}, piece)
                offset += len(piece)
            self.call("upload_session/finish",
                      {"cursor": {"session_id": session, "offset": offset}, "commit": {"path": path}}, b"")


def upload(emulator, folder, name, root):
    """Puts a content that was made in a folder below another one on the server."""
    uploader = Uploader(emulator)
    for path in CONTENTS[name]:
        uploader.put(folder / path, f"{root}/{path}")
    uploader.connection.close()
