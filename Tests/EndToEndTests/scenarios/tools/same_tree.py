#!/usr/bin/env python3
"""Compares a mounted tree with its original: names, bytes, modes, targets of links, and times to the nanosecond.

same_tree.py ORIGINAL MOUNTED [--sent]

The times of folders are those of each machine. --sent: Dropbox has all of MOUNTED, and names that it cannot have (`user.dropbox.path`)
are in a form of docs/semantics.md there.
Prints how many entries were compared, and with --sent, how many of the files have another path on Dropbox. A repository at the top is
left out. Not responsible for the server's content (`compare.py`).
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
        return [re.escape(text.rstrip(" ")) + r" \(Whitespace Conflict( \d+)?\)"]
    if "\\" in text or "\x7f" in text:
        return [re.escape(text.replace("\\", "_").replace("\x7f", "_"))]
    others = [composed(other) for other in siblings if other != name and composed(other) is not None]
    stem, dot, extension = text.rpartition(".") if "." in text else (text, "", "")
    # A number tells several apart.
    marked = "{} \\({{}}( \\d+)?\\){}".format(re.escape(stem), re.escape(dot + extension))
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
        self.differences, self.aliases, self.count = [], 0, 0

    def differ(self, path, text):
        self.differences.append(f"{path!r}: {text}")

    def check_aliases(self):
        """Looks at the names on Dropbox of those that need an alias, and counts the files with another path there."""
        siblings = {}
        for path in self.left:
            folder, name = os.path.split(path)
            siblings.setdefault(folder, []).append(name)
        # Only a few names can have the key of a sibling.
        keys = {folder: {} for folder in siblings}
        for folder, names in siblings.items():
            for name in names:
                keys[folder].setdefault((composed(name) or repr(name)).lower(), []).append(name)
        renamed = set()
        for path in self.left:
            folder, name = os.path.split(path)
            forms = alias_forms(name, keys[folder][(composed(name) or repr(name)).lower()])
            if forms is not None:
                text = composed(os.path.basename(os.getxattr(os.path.join(self.mounted, path), "user.dropbox.path")))
                if not any(re.fullmatch(form, text) for form in forms):
                    self.differ(path, f"is on Dropbox as {text!r}, which is not one of {forms}")
                if text.encode() != name:
                    renamed.add(path)
            if folder in renamed:
                renamed.add(path)
        self.aliases = sum(not stat.S_ISDIR(self.left[path].st_mode) for path in renamed)

    def compare(self):
        for path, ours in self.left.items():
            theirs = self.right.pop(path, None)
            self.count += 1
            if theirs is None:
                self.differ(path, "is missing")
            else:
                self.compare_entry(path, ours, theirs)
        for path in self.right:
            self.differ(path, "is not in the original")

    def compare_entry(self, path, ours, theirs):
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
        if look(os.path.join(self.original, path)) != look(os.path.join(self.mounted, path)):
            self.differ(path, "another target" if look is os.readlink else "other bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original", type=os.fsencode)
    parser.add_argument("mounted", type=os.fsencode)
    parser.add_argument("--sent", action="store_true", help="look at the names on Dropbox, too")
    options = parser.parse_args()
    comparison = Comparison(options.original, options.mounted)
    comparison.compare()
    if options.sent and not comparison.differences:
        comparison.check_aliases()
    if comparison.differences:
        print("\n".join(comparison.differences[:30]))
        sys.exit(f"{len(comparison.differences)} differences")
    print(*([comparison.count, comparison.aliases] if options.sent else [comparison.count]))


main()
