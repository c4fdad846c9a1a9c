"""A server for Benchmarks/sdk that costs little: it sends a file from the kernel's memory, throws away what it is sent, and has its
other answers ready. It knows five routes and checks nothing.

usage: loopback.py FILE PAGES    prints its port; FILE has a MiB or a multiple, PAGES is how many pages a listing has
"""

import json
import os
import socket
import sys
import threading

MEBI = 1 << 20
ENTRIES_PER_PAGE = 2000


def metadata(name, size):
    return {
        "name": name, "id": f"id:{name:0>22}", "client_modified": "2026-01-02T03:04:05Z",
        "server_modified": "2026-01-02T03:04:06Z", "rev": "0123456789abcdef0123", "size": size,
        "path_lower": f"/folder/{name}", "path_display": f"/Folder/{name}", "is_downloadable": True,
        "content_hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}


def page(cursor, more):
    entries = [{".tag": "file"} | metadata(f"{cursor}-{number}", number) for number in range(ENTRIES_PER_PAGE)]
    return json.dumps({"entries": entries, "cursor": str(cursor + 1), "has_more": more}).encode()


class Connection:
    def __init__(self, connection, file, pages):
        self.socket, self.file, self.pages = connection, file, pages
        self.buffer = bytearray()
        self.waste = memoryview(bytearray(MEBI))

    def serve(self):
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while head := self.head():
                self.answer(*head)
        except OSError:
            pass
        finally:
            self.socket.close()

    def head(self):
        """The next request's path and headers."""
        while b"\r\n\r\n" not in self.buffer:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return None
            self.buffer += piece
        text, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
        self.buffer = bytearray(rest)
        lines = text.decode().split("\r\n")
        fields = (line.split(":", 1) for line in lines[1:])
        return lines[0].split(" ")[1], {name.lower(): value.strip() for name, value in fields}

    def body(self, headers, keeps):
        """The request's body; only its size if it is not kept."""
        if headers.get("expect"):
            self.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        size = int(headers.get("content-length", 0))
        kept = bytearray(self.buffer[:size]) if keeps else b""
        left = size - min(size, len(self.buffer))
        self.buffer = self.buffer[size:]
        while left:
            count = self.socket.recv_into(self.waste[:min(left, MEBI)])
            if count == 0:
                raise OSError("cut short")
            if keeps:
                kept += self.waste[:count]
            left -= count
        return kept if keeps else size

    def answer(self, path, headers):
        route = path.removeprefix("/2/files/").split("?")[0]
        if route == "download":
            self.body(headers, keeps=False)
            argument = json.loads(headers["dropbox-api-arg"])
            return self.send_file(int(argument["path"].rsplit("/", 1)[1]) * MEBI)
        if route == "upload":
            return self.send(json.dumps(metadata("file", self.body(headers, keeps=False))).encode())
        argument = self.body(headers, keeps=True)
        if route == "get_metadata":
            return self.send(json.dumps({".tag": "file"} | metadata("file", 1)).encode())
        if route == "list_folder":
            return self.send(self.pages[0])
        return self.send(self.pages[int(json.loads(argument)["cursor"])])

    def send(self, body, more=""):
        self.socket.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                            .encode() + body)

    def send_file(self, size):
        result = json.dumps(metadata("file", size))
        self.socket.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
                            f"Dropbox-API-Result: {result}\r\nContent-Length: {size}\r\n\r\n".encode())
        whole = os.fstat(self.file.fileno()).st_size
        sent = 0
        while sent < size:
            offset = sent % whole
            sent += os.sendfile(self.socket.fileno(), self.file.fileno(), offset, min(whole - offset, size - sent))


def main():
    file = open(sys.argv[1], "rb")
    count = int(sys.argv[2])
    pages = [page(number, number + 1 < count) for number in range(count)]
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=Connection(connection, file, pages).serve, daemon=True).start()


main()
