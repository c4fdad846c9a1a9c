#!/usr/bin/env python3
"""Services of a desktop at work on a folder, in a D-Bus session: dbus-run-session -- desktop_session.py SERVICE FOLDER

Prints as JSON what the service says that it has done. Not responsible for counting what that cost (desktop).
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.parse

# Seconds without work of any process of the session, after which a service without an end of its own is done.
QUIET = 15
LIMIT = 300
LIBEXEC = ["/usr/libexec", f"/usr/lib/{os.uname().machine}-linux-gnu/libexec", "/usr/lib/tracker", "/usr/lib"]
TUMBLER = ["org.freedesktop.thumbnails.Thumbnailer1", "/org/freedesktop/thumbnails/Thumbnailer1"]


def find(*names):
    """The first of these programs that there is."""
    places = [shutil.which(name) or shutil.which(name, path=os.pathsep.join(LIBEXEC)) for name in names]
    return next(filter(None, places), None)


def session_work():
    """The processor time of all threads of this session, and whether one of them runs or waits for the disk. Processes that
    the bus starts have a session of their own, and the home of this one."""
    own, home = os.getsid(0), f"HOME={os.environ['HOME']}".encode()
    total, is_busy = 0, False
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            number = int(process.name)
            if number == os.getpid() or (os.getsid(number) != own
                                         and home not in (process / "environ").read_bytes().split(b"\0")):
                continue
            for task in (process / "task").iterdir():
                fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
                total += int(fields[11]) + int(fields[12])
                is_busy = is_busy or fields[0] in "RD"
        except OSError:
            # It has ended, or is of another user.
            continue
    return total, is_busy


def settle():
    """Waits until the session is quiet; returns whether it became so."""
    begin = changed = time.monotonic()
    work, _ = session_work()
    while time.monotonic() - changed < QUIET:
        if time.monotonic() - begin > LIMIT:
            return False
        time.sleep(0.5)
        before = work
        work, is_busy = session_work()
        # A clock tick now and then is no work; the time of a process that has ended is missing.
        if is_busy or work < before or work - before > 2:
            changed = time.monotonic()
    return True


def text_of(*command):
    """The output of a program, nothing if it is not installed."""
    if find(command[0]) is None:
        return ""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60).stdout


def tumblerd(folder):
    """The thumbnailer of Xfce and others, asked as a file manager asks. It signals its progress to file managers only."""
    names = sorted(entry.path for entry in os.scandir(folder))
    for begin in range(0, len(names), 200):
        part = names[begin:begin + 200]
        addresses = [f"file://{urllib.parse.quote(name)}" for name in part]
        answer = text_of("gdbus", "call", "--session", "--dest", TUMBLER[0], "--object-path", TUMBLER[1], "--method",
                         f"{TUMBLER[0]}.Queue", json.dumps(addresses), json.dumps(["image/png"] * len(part)),
                         "normal", "default", "0")
        if not answer.startswith("(uint32"):
            raise SystemExit(f"tumblerd: {answer}")
    return {"ended": settle()}


def tracker(folder):
    """The indexer of GNOME, with this folder as its only one."""
    settings = pathlib.Path(os.environ["XDG_CONFIG_HOME"], "glib-2.0/settings/keyfile")
    settings.parent.mkdir(parents=True)
    names = ["org/freedesktop/tracker/miner/files", "org/freedesktop/localsearch/miner/files"]
    settings.write_text("".join(
        f"[{name}]\nindex-recursive-directories=['{folder}']\nindex-single-directories=@as []\n"
        "initial-sleep=0\nenable-monitors=false\n" for name in names))
    miner = subprocess.Popen([find("localsearch-3", "tracker-miner-fs-3")], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    ended = settle()
    service = "org.freedesktop.Tracker3.Miner.Files"
    known, contents = (
        text_of("tracker3", "sparql", "--dbus-service", service, "-q", f"SELECT COUNT(DISTINCT ?f) AS ?n {{ {pattern} }}")
        for pattern in ("?f a nfo:FileDataObject . FILTER(CONTAINS(STR(?f), '.png'))", "?f nfo:width ?width"))
    is_alive = miner.poll() is None
    miner.terminate()
    return {"ended": ended, "alive": is_alive, "names": number(known), "contents": number(contents)}


def number(text):
    found = re.findall(r"^\s*(\d+)\s*$", text, re.MULTILINE)
    return int(found[-1]) if found else None


def baloo(folder):
    """The indexer of KDE, with this folder as its only one."""
    settings = pathlib.Path(os.environ["XDG_CONFIG_HOME"], "baloofilerc")
    settings.write_text("[Basic Settings]\nIndexing-Enabled=true\n[General]\nonly basic indexing=false\n"
                        f"folders[$e]={folder}/\nexclude folders[$e]=\nexclude filters=*~\n")
    service = subprocess.Popen([find("baloo_file")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended = settle()
    status = text_of(find("balooctl6", "balooctl"), "status")
    is_alive = service.poll() is None
    service.terminate()

    def count(word):
        match = re.search(rf"{word}: ([\d,.]+)", status)
        return int(re.sub(r"\D", "", match.group(1))) if match else None

    return {"ended": ended, "alive": is_alive, "names": count("Total files indexed"),
            "contents_left": count("Files waiting for content indexing"),
            "contents_failed": count("Files failed to index")}


SERVICES = {"tumblerd": tumblerd, "tracker": tracker, "baloo": baloo}

if __name__ == "__main__":
    print(json.dumps(SERVICES[sys.argv[1]](sys.argv[2])))
