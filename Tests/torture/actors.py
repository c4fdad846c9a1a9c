"""Those who work on the account: on a mount, as programs do, and by way of the API, as another machine does.

Each knows what it destroys: it reads a file right before it replaces or removes it, and tells the ledger. What a
step works on is picked out of what its actor sees at that moment.
"""

import errno
import os
import random
import stat

from bed import Refused, exchange
from tokens import tokens_of

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
        return f"{place}/{name.swapcase()}"

    # What is the same for all: it destroys nothing, or is made of other steps

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
        """What is there now; None if nothing is."""
        try:
            with open(self.at(path), "rb", buffering=0) as file:
                return self.ledger.look(file.read())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def note(self, text):
        self.ledger.note(f"  {self.name}: {text}")

    def removing(self, path, remove, text):
        """Reads what is there and removes or replaces it."""
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
        """Looks and rewrites through one descriptor, which is of one revision: what comes meanwhile is not touched."""
        path = self.file()
        token = self.ledger.new()
        self.note(f"rewrite {token} {path}")
        descriptor = os.open(self.at(path), os.O_RDWR)
        try:
            seen = self.ledger.look(os.pread(descriptor, 1 << 20, 0))
            # Whatever comes of the rest, what was seen is gone.
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
        # Between the look and the call, something may have come there: renaming over it is knowing nothing of it.
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


class ApiActor(Actor):
    """A client that works on the server itself, and as carefully as the API allows."""

    def __init__(self, client, ledger, with_odd_names):
        super().__init__("x", ledger, with_odd_names)
        self.client = client

    def entries(self):
        tree = self.client.emulator.tree()
        return ([path for path, digest in tree.items() if digest is not None],
                [path for path, digest in tree.items() if digest is None])

    def note(self, text):
        self.ledger.note(f"  x: {text}")

    def put(self, path, content, token, mode="add"):
        self.note(f"upload {token} {path}")
        self.ledger.look(content)
        self.client.upload(path, content, mode)
        self.ledger.acknowledge(token, f"x uploaded {path}")

    def create(self, path=None):
        self.create_(path or self.target(self.files_pool))

    def look(self, path):
        """A file's revision and its content."""
        rev = self.client.call("files/get_metadata", path=path)["rev"]
        return rev, self.ledger.look(self.client.download("rev:" + rev))

    def knowing(self, seen, text, remove):
        """Removes what was seen; if the server refuses, nothing is removed."""
        before = self.ledger.required & tokens_of(seen)
        self.ledger.release(seen, text)
        try:
            remove()
        except Refused:
            self.ledger.require_again(seen, before)
            raise

    def update(self, path, rev, content):
        mode = {".tag": "update", "update": rev}
        self.ledger.look(content)
        return self.client.upload(path, content, mode)

    def write(self):
        path = self.file()
        rev, seen = self.look(path)
        token = self.ledger.new()
        self.note(f"update {token} {path}")
        self.knowing(seen, f"x rewrote {path}", lambda: self.update(path, rev, self.content(token)))
        self.ledger.acknowledge(token, f"x rewrote {path}")

    def append(self):
        path = self.file()
        rev, seen = self.look(path)
        token = self.ledger.new()
        self.note(f"append {token} {path}")
        self.update(path, rev, seen + f"{token}\n".encode())
        self.ledger.acknowledge(token, f"x appended to {path}")

    hold = write_held = append

    def save(self):
        path = self.file()
        temporary = f"{path.rsplit('/', 1)[0]}/{self.unique()}.tmp"
        self.create_(temporary)
        self.remove_file(path)
        self.move(temporary, path)

    def rename_over(self):
        source, target = self.file(), self.file()
        if source != target:
            self.remove_file(target)
            self.move(source, target)

    def exchange(self):
        first, second = self.file(), self.file()
        if first != second:
            between = f"/{self.unique()}"
            self.move(first, between)
            self.move(second, first)
            self.move(between, second)

    def move(self, source, target, is_folder=False):
        self.note(f"move {source} {target}")
        self.client.call("files/move_v2", from_path=source, to_path=target)

    def move_case(self, source, target):
        """Dropbox takes that only by way of another name."""
        between = f"{source.rsplit('/', 1)[0]}/{self.unique()}"
        self.move(source, between)
        self.move(between, target)

    def make_folder(self, path):
        self.note(f"create_folder {path}")
        self.client.call("files/create_folder_v2", path=path)

    def unlink(self):
        self.remove_file(self.file())

    def remove_file(self, path):
        self.note(f"delete {path}")
        rev, seen = self.look(path)
        self.knowing(seen, f"x deleted {path}",
                     lambda: self.client.call("files/delete_v2", path=path, parent_rev=rev))

    def rmdir(self):
        """Removes an empty folder, or one whose files it has seen."""
        self.remove_tree(self.folder())

    def remove_tree(self, folder):
        """Looks at each file, and deletes the folder with what is in it then.

        What others put there between the look and the deletion goes with it: the API has no other way. The
        tombstones tell what that was, and it is not held against the mounts.
        """
        self.note(f"delete {folder}")
        options = {"recursive": True, "include_deleted": True}
        before = {entry["path_lower"]: entry[".tag"] for entry in self.client.list(folder, **options)}
        for path, tag in before.items():
            if tag == "file":
                self.ledger.release(self.look(path)[1], f"x deleted {folder} with {path}")
        try:
            self.client.call("files/delete_v2", path=folder)
        except Refused:
            raise
        except OSError as error:
            self.note(f"{error}: perhaps it is done")
        tries = 0
        while True:
            try:
                return self.release_unseen(folder, before, options)
            except Refused:
                return
            except OSError:
                tries += 1
                if tries == 20:
                    raise

    def release_unseen(self, folder, before, options):
        for entry in self.client.list(folder, **options):
            path = entry["path_lower"]
            if entry[".tag"] != "deleted":
                continue
            try:
                revisions = self.client.call("files/list_revisions", path=path, limit=100)["entries"]
            except Refused:
                continue
            for revision in revisions[:1]:
                content = self.ledger.look(self.client.download("rev:" + revision["rev"]))
                if before.get(path) != "deleted" and tokens_of(content) & self.ledger.required:
                    self.ledger.release(content, f"x deleted {folder}, unseen, with {path}")
