#!/usr/bin/env python3
"""Entries of a listing that no honest server sends, as JSON: below /FOLDER, which is the first of them.

shown FOLDER      those whose names Linux can have, with any other fault
refused FOLDER    those that cannot be shown, and values that are none
surrogate FOLDER  one whose name has half a character
names FOLDER      the names of the first kind, each ended by NUL
"""

import json
import sys

CONTROL = [chr(code) for code in (*range(1, 32), 127, 0x80, 0x9B)]
SHOWN = [
    *(f"control{character}name" for character in CONTROL),
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "line\nbreak", "tab\tname", "\r", "\x01",
    "\u202egnp.exe", "\ufeff", "\uffff", "\u200b", "\u0301", "\u0301\u0301", "e\u0301", "\u1e9e",
    "\U0010ffff", "\U0001f1e9\U0001f1ea", " ", "  trailing  ", "...", "-rf", "*", "?", "\\", "\\x00",
    "%00", "%2e%2e", "..%2f", "&#0;", "'", '"', "$(reboot)", "`reboot`", ";", "|", "~", "x" * 255,
    "\u00e9" * 127, ".fuse_hidden0000000100000001", "con", "desktop.ini",
]
REFUSED = ["", ".", "..", "/", "a/b", "../up", "/etc", "\0", "nul\0byte", "x" * 256, "x" * 10_000,
           "\u00e9" * 128]
NONSENSE = [-1, 2**42 + 1, 2**63 - 1, 2**63, 2**64, 1e30, 1.5, "3", None, [], {}, True, "", "x" * 10_000]
DATES = ["0001-01-01T00:00:00Z", "1500-01-01T00:00:00Z", "1677-09-21T00:12:43Z", "1969-12-31T23:59:59Z",
         "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z"]
NO_DATES = ["10000-01-01T00:00:00Z", "2020-13-45T99:99:99Z", "2020-02-30T00:00:00Z", "nonsense", "-1", "", 5,
            None, [], "0000-00-00T00:00:00Z"]


class Entries:
    def __init__(self, folder):
        self.folder = "/" + folder
        self.list = []
        self.add("folder", folder, path=self.folder)

    def add(self, tag, name, path=None, changes=()):
        path = f"{self.folder}/{name}" if path is None else path
        number = len(self.list)
        entry = {".tag": tag, "name": name, "path_lower": path.lower(), "path_display": path,
                 "id": f"id:{self.folder[1:]}{number}"}
        if tag == "file":
            entry |= {"rev": f"{number:024x}", "size": 3, "client_modified": "2020-01-01T00:00:00Z",
                      "server_modified": "2020-01-01T00:00:00Z", "is_downloadable": True,
                      "content_hash": f"{number:064x}"}
        self.list.append(entry | dict(changes))


def shown(entries):
    for number, name in enumerate(SHOWN):
        entries.add("folder" if number % 5 == 4 else "file", name)
    for number, date in enumerate(DATES):
        entries.add("file", f"date {number}", changes={"client_modified": date, "server_modified": date})
    entries.add("file", "largest", changes={"size": 2**42})
    entries.add("file", "empty", changes={"size": 0})
    # Twice the same: by id, by place, by key, and by both.
    entries.add("file", "twice")
    entries.list.append(dict(entries.list[-1]))
    entries.add("file", "two ids")
    entries.add("file", "two ids")
    entries.add("file", "Case", path=f"{entries.folder}/case")
    entries.add("file", "CASE", path=f"{entries.folder}/case")
    entries.add("file", "kind")
    entries.add("folder", "kind")


def refused(entries):
    for name in REFUSED:
        for tag in ("file", "folder"):
            entries.add(tag, name)
    for field in ("size", "rev", "id", "name", "path_lower", "path_display", "content_hash", "is_downloadable",
                  "client_modified", "server_modified", "sharing_info", "symlink_info", ".tag"):
        for number, value in enumerate(NONSENSE):
            entries.add("file", f"bad {field} {number}", changes={field: value})
        entries.add("file", f"no {field}")
        entries.list[-1].pop(field, None)
    for number, date in enumerate(NO_DATES):
        entries.add("file", f"no date {number}", changes={"client_modified": date, "server_modified": date})
    for path in ("no slash", "//", "/..", f"{entries.folder}/../up", f"{entries.folder}/a/b/c/d", "/" * 5_000):
        entries.add("file", "elsewhere", path=path)
    entries.list += [{}, {".tag": "file"}, {".tag": "folder"}, {".tag": "deleted"}, {".tag": "nonsense"}]


def main():
    kind, folder = sys.argv[1:]
    entries = Entries(folder)
    if kind == "names":
        sys.stdout.write("".join(name + "\0" for name in SHOWN))
        return
    if kind == "surrogate":
        entries.add("file", "half \ud800 character")
    else:
        {"shown": shown, "refused": refused}[kind](entries)
    json.dump(entries.list, sys.stdout)


main()
