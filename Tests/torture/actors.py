"""The common part of all workers on the account, on a mount or by way of the API.

Each knows what it destroys: it reads a file right before it replaces or removes it, and tells the ledger. What a
step works on is picked out of what its actor sees at that moment.
"""

import errno
import random
import unicodedata

FILES = ["a", "b", "c", "d"]
FOLDERS = ["p", "q", "r", "s"]
# Names on which the rules of folding differ, and which differ in case.
ODD_FILES = ["ΟΔΟΣ", "οδος", "İx", "Straße"]
ODD_FOLDERS = ["ΝΗΣΟΣ", "İz"]
# The deepest place for something new.
DEPTH = 4


class Actor:
    def __init__(self, name, ledger, with_odd_names):
        self.name = name
        self.ledger = ledger
        self.count = 0
        self.generator = random.Random(name)
        self.files_pool = FILES + (ODD_FILES if with_odd_names else [])
        self.folders_pool = FOLDERS + (ODD_FOLDERS if with_odd_names else [])

    def unique(self):
        self.count += 1
        return f"n{self.name}{self.count}"

    def act(self, kind, generator):
        files, folders = self.entries()
        self.generator = generator
        self.files, self.folders = files, folders
        getattr(self, kind.replace(" ", "_").replace("-", ""))()

    def content(self, token):
        """A content of some size with a token in it."""
        size = self.generator.choice([0, 0, 0, 100, 5000, 70_000])
        return f"{token}\n".encode() + b"." * size

    def file(self):
        return self.generator.choice(self.files) if self.files else self.none()

    def folder(self):
        return self.generator.choice(self.folders) if self.folders else self.none()

    def none(self):
        raise OSError(errno.ENOENT, "nothing to do this with")

    def place(self):
        """A folder for something new; the root is one."""
        places = [""] + [path for path in self.folders if path.count("/") < DEPTH]
        return self.generator.choice(places)

    def target(self, pool):
        return f"{self.place()}/{self.generator.choice(pool)}"

    def is_inside(self, path, folder):
        return (path + "/").lower().startswith(folder.lower() + "/")

    def swapped(self, path):
        place, name = path.rsplit("/", 1)
        # Composed: two swaps of "İ" leave a decomposed one, and a rename that changes only the composition stays on its mount.
        return f"{place}/{unicodedata.normalize('NFC', name.swapcase())}"

    # The common steps of all: each destroys nothing, or is made of other steps

    def create_(self, path):
        token = self.ledger.new()
        self.put(path, self.content(token), token)

    def rename(self):
        self.move(self.file(), f"{self.place()}/{self.unique()}" if self.generator.random() < 0.5
                  else self.target(self.files_pool))

    def case(self):
        path = self.file()
        self.move_case(path, self.swapped(path))

    def case_of_folder(self):
        path = self.folder()
        self.move_case(path, self.swapped(path))

    def move_folder(self):
        folder = self.folder()
        target = self.target(self.folders_pool)
        if not self.is_inside(target, folder):
            self.move(folder, target, is_folder=True)

    def move_folder_into_new(self):
        folder = self.folder()
        new = f"{self.place()}/{self.unique()}"
        if not self.is_inside(new, folder):
            self.make_folder(new)
            self.move(folder, f"{new}/{folder.rsplit('/', 1)[1]}", is_folder=True)

    def move_out_and_remove(self):
        inner = [path for path in self.folders if path.count("/") > 1]
        if not inner:
            return self.none()
        folder = self.generator.choice(inner)
        self.move(folder, f"/{self.unique()}", is_folder=True)
        self.remove_tree(folder.rsplit("/", 1)[0])

    def mkdir(self):
        self.make_folder(self.target(self.folders_pool))

    def rm_r(self):
        self.remove_tree(self.folder())

    def create(self):
        self.create_(self.target(self.files_pool))
