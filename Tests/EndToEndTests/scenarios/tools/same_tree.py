#!/usr/bin/env python3
"""Compares a mounted tree with its original: names, bytes, modes, targets of links, and times to the nanosecond.

same_tree.py ORIGINAL MOUNTED [--stored-as OWN [--aliases FILE]]

The times of folders are those of each machine. --stored-as: MOUNTED is on another machine, which sees the names that Dropbox has:
OWN is the same tree on the machine that gave the own names, whose `user.dropbox.path` is asked for those that Dropbox cannot
have, and must be in a form that docs/semantics.md has. Every other name has to be the same.
Prints how many entries were compared, and how many of the files have another path there. A repository at the top is left out. Not
responsible for the server's content (`compare.py`).
"""

import argparse
import os
import re
import stat
import sys
import unicodedata


def entries(root):
    """Every path below a folder, with its metadata; folders before their content."""
    found, folders = {}, [b""]
    while folders:
        folder = folders.pop()
        for entry in os.scandir(os.path.join(root, folder)):
            if not folder and entry.name == b".git":
                continue
            path = os.path.join(folder, entry.name)
            found[path] = entry.stat(follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
    return found


def read(path):
    with open(path, "rb", buffering=0) as file:
        pieces = []
        while piece := file.read(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)


def composed(name):
    """A name as Dropbox composes it, if it is text."""
    try:
        return unicodedata.normalize("NFC", name.decode())
    except UnicodeDecodeError:
        return None


def alias_forms(name, siblings):
    """What Dropbox may have in place of a name; None if it has the name itself. The regular expressions are the page's table."""
    text = composed(name)
    if text is None:
        latin = "".join(scalar if ord(scalar) < 0x80 or ord(scalar) >= 0xA0 else "_" for scalar in name.decode("latin-1"))
        return [re.escape(latin)]
    if text.endswith(" "):
        return [re.escape(text.rstrip(" ")) + r" \(Whitespace Conflict\)"]
    if "\\" in text:
        return [re.escape(text.replace("\\", "_"))]
    others = [composed(other) for other in siblings if other != name and composed(other) is not None]
    stem, dot, extension = text.rpartition(".")
    marked = "{} \\({{}}\\){}".format(re.escape(stem), re.escape(dot + extension))
    if text in others:
        return [re.escape(text), marked.format("Unicode Encoding Conflict")]
    if text.lower() in (other.lower() for other in others):
        return [re.escape(text), marked.format("Case Conflict")]
    return None if text.encode() == name else [re.escape(text)]


class Comparison:
    """Two trees, and where they differ."""

    def __init__(self, original, mounted):
        self.original, self.mounted = original, mounted
        self.left, self.right = entries(original), entries(mounted)
        self.differences, self.aliases, self.count = [], {}, 0

    def differ(self, path, text):
        self.differences.append(f"{path!r}: {text}")

    def stored(self, own):
        """Where each path is for another machine."""
        siblings = {}
        for path in self.left:
            folder, name = os.path.split(path)
            siblings.setdefault(folder, []).append(name)
        # Only a few names can have the key of a sibling.
        keys = {folder: {} for folder in siblings}
        for folder, names in siblings.items():
            for name in names:
                keys[folder].setdefault((composed(name) or repr(name)).lower(), []).append(name)
        places = {b"": b""}
        for path in self.left:
            folder, name = os.path.split(path)
            forms = alias_forms(name, keys[folder][(composed(name) or repr(name)).lower()])
            there = name
            if forms is not None:
                # Dropbox composes all names, and finds them in any composition.
                text = composed(os.path.basename(os.getxattr(os.path.join(own, path), "user.dropbox.path")))
                if not any(re.fullmatch(form, text) for form in forms):
                    self.differ(path, f"is on Dropbox as {text!r}, which is not one of {forms}")
                there = text.encode()
            places[path] = os.path.join(places[folder], there)
            if places[path] != path and not stat.S_ISDIR(self.left[path].st_mode):
                self.aliases[path] = places[path]
        return places

    def compare(self, places):
        for path, ours in self.left.items():
            place = places[path]
            theirs = self.right.pop(place, None)
            self.count += 1
            if theirs is None:
                self.differ(path, f"is missing as {place!r}")
            else:
                self.compare_entry(path, place, ours, theirs)
        for place in self.right:
            self.differ(place, "is not in the original")

    def compare_entry(self, path, place, ours, theirs):
        if stat.filemode(ours.st_mode) != stat.filemode(theirs.st_mode):
            self.differ(path, f"{stat.filemode(ours.st_mode)} is {stat.filemode(theirs.st_mode)}")
        if stat.S_ISDIR(ours.st_mode):
            return
        if ours.st_mtime_ns != theirs.st_mtime_ns:
            self.differ(path, f"the time {ours.st_mtime_ns} is {theirs.st_mtime_ns}")
        if ours.st_size != theirs.st_size:
            self.differ(path, f"{ours.st_size} bytes are {theirs.st_size}")
        if stat.S_IFMT(ours.st_mode) != stat.S_IFMT(theirs.st_mode):
            return
        look = os.readlink if stat.S_ISLNK(ours.st_mode) else read
        if look(os.path.join(self.original, path)) != look(os.path.join(self.mounted, place)):
            self.differ(path, "another target" if look is os.readlink else "other bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original", type=os.fsencode)
    parser.add_argument("mounted", type=os.fsencode)
    parser.add_argument("--stored-as", metavar="OWN", type=os.fsencode)
    parser.add_argument("--aliases", metavar="FILE", help="where to write own names and aliases: NAME, NUL, ALIAS, NUL …")
    options = parser.parse_args()
    comparison = Comparison(options.original, options.mounted)
    places = comparison.stored(options.stored_as) if options.stored_as else {path: path for path in comparison.left}
    if len(set(places.values())) != len(places):
        sys.exit("two entries have one place")
    comparison.compare(places)
    if options.aliases:
        with open(options.aliases, "wb") as file:
            for pair in comparison.aliases.items():
                file.write(b"\0".join(pair) + b"\0")
    if comparison.differences:
        print("\n".join(comparison.differences[:30]))
        sys.exit(f"{len(comparison.differences)} differences")
    print(f"{comparison.count} {len(comparison.aliases)}")


main()
