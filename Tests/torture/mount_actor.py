"""Programs on a mount: each kind of step as an ordinary program does it.

A file that is removed or replaced by its path may be another one than was read a moment before: the ledger
remembers when that was.
"""

import os
import stat

from actors import Actor
from bed import exchange


class MountActor(Actor):
    """Programs on a mount."""

    def __init__(self, mount, ledger, with_odd_names):
        super().__init__(mount.name, ledger, with_odd_names)
        self.mount = mount
        # Open files that are written to in the end: the descriptor, the inode, and whether it still has a name.
        self.held = []

    def entries(self):
        """Files and folders in order, by an ordinary walk."""
        files, folders = [], []
        for folder, names, leaves in os.walk(self.mount.root):
            names.sort()
            place = folder[len(self.mount.root):]
            folders += [f"{place}/{name}" for name in names]
            files += [f"{place}/{name}" for name in leaves]
        return sorted(files), sorted(folders)

    def at(self, path):
        return self.mount.root + path

    def read(self, path):
        """The present content; None if there is none."""
        try:
            with open(self.at(path), "rb", buffering=0) as file:
                return self.ledger.look(file.read())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def note(self, text):
        self.ledger.note(f"  {self.name}: {text}")

    def removing(self, path, remove, text):
        """Reads the present content and removes or replaces it."""
        start = self.ledger.now()
        seen = self.read(path)
        inode = self.inode(path)
        remove()
        self.ledger.remember(self.mount.token, start, [path])
        for held in self.held:
            held["has_name"] = held["has_name"] and held["inode"] != inode
        if seen is not None:
            self.ledger.release(seen, f"{self.name} {text}")

    def inode(self, path):
        try:
            return os.stat(self.at(path)).st_ino
        except OSError:
            return None

    def write_all(self, descriptor, content):
        while content:
            content = content[os.write(descriptor, content):]

    def put(self, path, content, token, flags=os.O_CREAT | os.O_EXCL):
        """Makes a file, or rewrites one, and acknowledges the token if all calls have."""
        self.note(f"write {token} {path}")
        descriptor = os.open(self.at(path), os.O_WRONLY | flags, 0o644)
        try:
            self.write_all(descriptor, content)
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        self.ledger.look(content)
        self.ledger.acknowledge(token, f"{self.name} wrote {path}")

    def write(self):
        """Looks and rewrites through one descriptor, which is of one revision: a later one is not touched."""
        path = self.file()
        token = self.ledger.new()
        self.note(f"rewrite {token} {path}")
        descriptor = os.open(self.at(path), os.O_RDWR)
        try:
            seen = self.ledger.look(os.pread(descriptor, 1 << 20, 0))
            # Also if the rest fails, the content seen is gone.
            self.ledger.release(seen, f"{self.name} rewrites {path}")
            os.ftruncate(descriptor, 0)
            self.write_all(descriptor, self.ledger.look(self.content(token)))
        finally:
            os.close(descriptor)
        self.ledger.acknowledge(token, f"{self.name} rewrote {path}")

    def append(self):
        path = self.file()
        token = self.ledger.new()
        descriptor = os.open(self.at(path), os.O_RDWR | os.O_APPEND)
        self.append_to(descriptor, token, path)

    def append_to(self, descriptor, token, path, has_name=True):
        try:
            self.write_all(descriptor, f"{token}\n".encode())
            self.ledger.look(os.pread(descriptor, 1 << 20, 0))
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if has_name:
            self.ledger.acknowledge(token, f"{self.name} appended to {path}")

    def save(self):
        path = self.file() if self.generator.random() < 0.7 else self.target(self.files_pool)
        token = self.ledger.new()
        temporary = f"{path.rsplit('/', 1)[0]}/{self.unique()}.tmp"
        self.put(temporary, self.content(token), token)
        if not stat.S_ISDIR(self.mode(path)):
            self.removing(path, lambda: os.rename(self.at(temporary), self.at(path)), f"saved over {path}")

    def mode(self, path):
        try:
            return os.lstat(self.at(path)).st_mode
        except OSError:
            return 0

    def move(self, source, target, is_folder=False):
        """Over nothing: what stands there is not removed."""
        if os.path.lexists(self.at(target)):
            return self.none()
        self.note(f"rename {source} {target}")
        # Between the listing and the call, something may have come there: renaming over it is knowing nothing of it.
        start = self.ledger.now()
        os.rename(self.at(source), self.at(target))
        self.ledger.remember(self.mount.token, start, [target])

    def move_case(self, source, target):
        if os.path.lexists(self.at(target)) and self.inode(target) != self.inode(source):
            return self.none()
        self.note(f"rename {source} {target}")
        os.rename(self.at(source), self.at(target))

    def rename_over(self):
        source, target = self.file(), self.file()
        if source != target:
            self.note(f"rename {source} over {target}")
            self.removing(target, lambda: os.rename(self.at(source), self.at(target)), f"renamed over {target}")

    def exchange(self):
        first, second = self.file(), self.file()
        if first != second:
            self.note(f"exchange {first} {second}")
            exchange(self.at(first), self.at(second))

    def make_folder(self, path):
        self.note(f"mkdir {path}")
        os.mkdir(self.at(path))

    def rmdir(self):
        path = self.folder()
        self.note(f"rmdir {path}")
        os.rmdir(self.at(path))

    def unlink(self):
        self.remove_file(self.file())

    def remove_file(self, path):
        self.note(f"unlink {path}")
        self.removing(path, lambda: os.unlink(self.at(path)), f"unlinked {path}")

    def remove_tree(self, folder):
        """As `rm -r`: each file that its walk finds, and the folders that are empty then."""
        self.note(f"rm -r {folder}")
        for place, _, leaves in os.walk(self.at(folder), topdown=False):
            for name in leaves:
                self.remove_file(f"{place}/{name}"[len(self.mount.root):])
            os.rmdir(place)

    def hold(self):
        path = self.file()
        self.note(f"hold {path}")
        descriptor = os.open(self.at(path), os.O_RDWR | os.O_APPEND)
        self.held.append({"descriptor": descriptor, "path": path, "has_name": True,
                          "inode": os.fstat(descriptor).st_ino})

    def write_held(self):
        if not self.held:
            return self.none()
        held = self.held.pop(self.generator.randrange(len(self.held)))
        token = self.ledger.new()
        self.note(f"write {token} to the open {held['path']}, which has {'a' if held['has_name'] else 'no'} name")
        self.append_to(held["descriptor"], token, held["path"] + " (open)", held["has_name"])

    def close_held(self):
        for held in self.held:
            try:
                os.close(held["descriptor"])
            except OSError as error:
                self.note(f"close: {error}")
        self.held = []

    forget_held = close_held
