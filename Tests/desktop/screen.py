"""A desktop without a screen: Xvfb and a D-Bus session, a picture of it, and clicks. A recorder of the plug-ins' sockets.

Not responsible for the plug-ins (plugins).
"""

import collections
import os
import pathlib
import signal
import socket
import struct
import subprocess
import threading
import time
import zlib

# Seconds for anything that a desktop does here.
PATIENCE = 40


class Failure(Exception):
    """Something is not as it has to be."""


def wait(condition, what, seconds=PATIENCE):
    """Until a condition holds; its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failure(f"{what}: not in {seconds} seconds")
        time.sleep(0.2)
    return value


class Recorder:
    """A socket in the plug-ins' folder that passes all on to the mount's, and keeps both directions as text."""

    def __init__(self, place, behind):
        self.behind = str(behind)
        self.lock = threading.Lock()
        self.sent, self.received = "", ""
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(place))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.behind)
            except OSError:
                client.close()
                continue
            for source, target, name in ((client, server, "sent"), (server, client, "received")):
                threading.Thread(target=self.pump, args=(source, target, name), daemon=True).start()

    def pump(self, source, target, name):
        try:
            while data := source.recv(1 << 16):
                with self.lock:
                    setattr(self, name, getattr(self, name) + data.decode(errors="replace"))
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def forget(self):
        with self.lock:
            self.sent, self.received = "", ""

    def has_sent(self, text):
        with self.lock:
            return text in self.sent

    def has_received(self, text):
        with self.lock:
            return text in self.received

    def close(self):
        self.listener.close()


class Screen:
    """An X server and a session, for the programs of a block; both end with it."""

    def __init__(self, environment, folder):
        self.folder = folder
        self.children = []
        number, answer = os.pipe()
        self.start(["Xvfb", "-displayfd", str(answer), "-screen", "0", "1000x700x24", "-nolisten", "tcp"],
                   environment, pass_fds=[answer])
        os.close(answer)
        with open(number) as file:
            self.display = ":" + file.readline().strip()
        self.environment = environment | {"DISPLAY": self.display, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
                                          "LIBGL_ALWAYS_SOFTWARE": "1", "QT_QPA_PLATFORM": "xcb"}
        bus = self.start(["dbus-daemon", "--session", "--nofork", "--print-address"], self.environment,
                         stdout=subprocess.PIPE)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in reversed(self.children):
            try:
                os.killpg(child.pid, signal.SIGTERM)
                child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            except ProcessLookupError:
                child.wait()

    def start(self, command, environment=None, **options):
        """Starts a program with a group of its own, which the end of the block ends."""
        log = open(self.folder / f"{pathlib.Path(command[0]).name}.log", "a")
        options = {"stdout": log, "stderr": log, "text": True} | options
        child = subprocess.Popen(command, env=environment or self.environment, stdin=subprocess.DEVNULL,
                                 start_new_session=True, **options)
        self.children.append(child)
        return child

    def run(self, *command):
        """Runs a program; its output."""
        done = subprocess.run([str(word) for word in command], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
        return done.stdout.strip()

    def window(self, words):
        """The number of the visible window whose title has these words."""
        return wait(lambda: self.run("xdotool", "search", "--onlyvisible", "--name", words).split()[-1:],
                    f"a window {words!r}")[0]

    def picture(self):
        """The screen: its width, and its pixels as bytes of red, green and blue."""
        dump = subprocess.run(["xwd", "-root", "-silent"], env=self.environment, stdout=subprocess.PIPE,
                              timeout=PATIENCE, check=True).stdout
        header = struct.unpack(">25I", dump[:100])
        size, width, height, bits, line, colors = header[0], header[4], header[5], header[11], header[12], header[19]
        step, pixels = bits // 8, bytearray(3 * width * height)
        for row in range(height):
            begin = size + 12 * colors + line * row
            content = dump[begin:begin + step * width]
            for channel in range(3):
                pixels[3 * width * row + channel:3 * width * (row + 1):3] = content[2 - channel::step]
        return width, bytes(pixels)

    def count(self, color):
        """How many pixels have the hue of a color; an icon that was made smaller has few of the color itself."""
        _, pixels = self.picture()
        counts = collections.Counter(zip(pixels[0::3], pixels[1::3], pixels[2::3]))
        wanted = hue(color)
        return sum(count for found, count in counts.items() if is_near(hue(found), wanted))

    def save(self, path):
        """Writes the screen as PNG."""
        width, pixels = self.picture()
        line = 3 * width
        rows = b"".join(b"\0" + pixels[begin:begin + line] for begin in range(0, len(pixels), line))

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        path.write_bytes(b"\x89PNG\r\n\x1a\n"
                         + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(pixels) // line, 8, 2, 0, 0, 0))
                         + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))


def hue(color):
    """The channels between the least and the most of them, from 0 to 1; nothing for a color that is nearly gray."""
    least, most = min(color), max(color)
    return [(channel - least) / (most - least) for channel in color] if most - least >= 40 else None


def is_near(found, wanted):
    return found is not None and all(abs(one - other) <= 0.06 for one, other in zip(found, wanted))


def main_color(path):
    """The color that most opaque pixels of an icon have, white and black left out: a PNG of 8 bits with transparency."""
    data, place, content = path.read_bytes(), 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        if kind == b"IHDR":
            width, height, depth, form = struct.unpack(">IIBB", data[place + 8:place + 18])
            if (depth, form) != (8, 6):
                raise Failure(f"{path} is another kind of PNG")
        if kind == b"IDAT":
            content += data[place + 8:place + 8 + size]
        place += size + 12
    content, line = zlib.decompress(content), 4 * width
    above, counts = bytes(line), collections.Counter()
    for row in range(height):
        begin = row * (line + 1)
        above = unfiltered(content[begin], content[begin + 1:begin + 1 + line], above)
        counts.update(bytes(above[at:at + 3]) for at in range(0, line, 4) if above[at + 3] == 255)
    return next(tuple(color) for color, _ in counts.most_common() if 60 < sum(color) < 600)


def unfiltered(kind, row, above):
    """A row of a PNG, from how it differs from the pixels before and above."""
    result = bytearray(row)
    for at, value in enumerate(row):
        left, corner = (result[at - 4], above[at - 4]) if at >= 4 else (0, 0)
        up = above[at]
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda one: abs(guess - one))
        result[at] = value + (0, left, up, (left + up) // 2, nearest)[kind] & 255
    return result
