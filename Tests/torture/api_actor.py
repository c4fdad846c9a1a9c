"""Another client of the account, which works on the server itself by way of the API.

It names the revision that it has seen wherever the API takes one, so that what it removes is what it has read.
"""

from actors import Actor
from bed import Refused
from tokens import tokens_of


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
        """Removes the content seen; if the server refuses, nothing is removed."""
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
        """Looks at each file, and deletes the folder with its content at that time.

        Files that others put there between the listing and the deletion go with it: the API has no other way. The
        tombstones tell which these were, and it is not held against the mounts.
        """
        self.note(f"delete {folder}")
        options = {"recursive": True, "include_deleted": True}
        before = {entry["path_lower"]: entry[".tag"] for entry in self.client.list(folder, **options)}
        for path, tag in before.items():
            if tag == "file":
                self.ledger.release(self.look(path)[1], f"x deleted {folder} with {path}")
        gone = {path: self.last_revision(path) for path, tag in before.items() if tag == "deleted"}
        # The content at the last moment, which the tombstones will not tell: another client can store
        # something under such a path again before they are read.
        there = self.revisions(folder)
        try:
            self.client.call("files/delete_v2", path=folder)
        except Refused:
            raise
        except OSError as error:
            self.note(f"{error}: perhaps it is done")
        self.release_revisions(folder, there, before)
        tries = 0
        while True:
            try:
                return self.release_unseen(folder, gone, options)
            except Refused:
                return
            except OSError:
                tries += 1
                if tries == 20:
                    raise

    def revisions(self, folder):
        """The files that the server has in a folder, told by the emulator itself."""
        start = folder.lower() + "/"
        return {entry["path"].lower(): entry["rev"] for entry in self.client.emulator.admin("GET", "/tree")["entries"]
                if "rev" in entry and entry["path"].lower().startswith(start)}

    def release_revisions(self, folder, there, before):
        left = set(self.revisions(folder).values())
        for path, rev in there.items():
            if rev in left or before.get(path) == "file":
                continue
            content = self.ledger.look(self.client.download("rev:" + rev))
            if tokens_of(content) & self.ledger.required:
                self.ledger.release(content, f"x deleted {folder}, unseen, with {path}")

    def last_revision(self, path):
        """The last revision of a deleted file; None for a folder."""
        try:
            entries = self.client.call("files/list_revisions", path=path, limit=1)["entries"]
        except Refused:
            return None
        return entries[0]["rev"] if entries else None

    def release_unseen(self, folder, gone, options):
        """The files stored since the listing, also at paths deleted before."""
        for entry in self.client.list(folder, **options):
            path = entry["path_lower"]
            if entry[".tag"] != "deleted":
                continue
            rev = self.last_revision(path)
            if rev is None or gone.get(path) == rev:
                continue
            content = self.ledger.look(self.client.download("rev:" + rev))
            if tokens_of(content) & self.ledger.required:
                self.ledger.release(content, f"x deleted {folder}, unseen, with {path}")
