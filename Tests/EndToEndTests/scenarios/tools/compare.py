#!/usr/bin/env python3
"""Compares a mount with the emulator's tree: same names, same bytes.

Reads every file through the mount and computes Dropbox's content hash, which the emulator computes of
what it stores. Names are compared in NFC, as Dropbox stores them; of a
name that Dropbox cannot have, the alias is. A symbolic link is its text on the server; those that
it lacks are left out, as are FIFOs, sockets and the names that Dropbox does not store, because
they stay on this machine.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import re
import stat
import sys
import unicodedata
import urllib.request

BLOCK = 4 << 20
LOCAL = re.compile(
    r"^(~\$.*|\.~.*|~.*\.tmp|desktop\.ini|thumbs\.db|\.ds_store|icon\r|\.dropbox|\.dropbox\.attr)$",
    re.IGNORECASE,
)


def content_hash(path):
    blocks = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            blocks.update(hashlib.sha256(block).digest())
    return blocks.hexdigest()


# The content of a link on the server, before its target.
HEADING = b"This file is a symbolic link (dbxfs). Its target is the next line:\n"


def link_hash(path):
    text = HEADING + os.fsencode(os.readlink(path)) + b"\n"
    return hashlib.sha256(hashlib.sha256(text).digest()).hexdigest()


def mounted(root):
    files, folders, links = [], {}, {}
    for folder, names, leaves in os.walk(root, onerror=lambda error: sys.exit(str(error))):
        for name in names + leaves:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                links[path[len(root):]] = link_hash(path)
        names[:] = [name for name in names if not os.path.islink(os.path.join(folder, name))]
        for name in names:
            folders[os.path.join(folder, name)] = "folder"
        for name in leaves:
            path = os.path.join(folder, name)
            if stat.S_ISREG(os.lstat(path).st_mode) and not LOCAL.match(name):
                files.append(path)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        entries = dict(zip(files, pool.map(content_hash, files)), **folders)
    return {path[len(root):]: value for path, value in entries.items()}, links


def key(path):
    return unicodedata.normalize("NFC", path)


def alias(root, path):
    try:
        return key(os.getxattr(root + path, "user.dropbox.path").decode())
    except OSError:
        return key(path)


def main():
    with urllib.request.urlopen(os.environ["ADMIN"] + "/tree") as answer:
        tree = json.load(answer)["entries"]
    server = {key(entry["path"]): entry.get("content_hash", "folder") for entry in tree}
    root = sys.argv[1].rstrip("/")
    entries, links = mounted(root)
    entries |= {path: value for path, value in links.items() if key(path) in server}
    # Of several names that Dropbox takes for one, all but one have aliases.
    counts = collections.Counter(map(key, entries))
    mount = {key(path) if key(path) in server and counts[key(path)] == 1 else alias(root, path): value
             for path, value in entries.items()}
    differences = [
        f"{path!r}: on the mount {mount.get(path)}, on the server {server.get(path)}"
        for path in sorted(mount.keys() | server.keys())
        if mount.get(path) != server.get(path)
    ]
    print(f"{len(mount)} entries on the mount, {len(server)} on the server")
    if differences:
        print("\n".join(differences[:50]))
        sys.exit(f"{len(differences)} differences")


main()
