"""Which tokens must be on the server in the end, and who may have removed those that are not."""

import calendar
import json
import re
import time
import unicodedata

from bed import content_hash

# Seconds between a listing's answer and its being applied: more than it takes on a slow machine.
APPLYING = 0.25


class Ledger:
    """Acknowledged content, and content knowingly replaced or removed."""

    def __init__(self, seed, note):
        self.seed = seed
        self.note = note
        self.count = 0
        self.acknowledged = set()
        self.required = set()
        # The tokens of every content that an actor has written or seen, by its hash.
        self.contents = {}
        # Everything that happened to a token, as text.
        self.stories = {}
        # What actors on mounts have replaced or removed: the mount's token, a time before the actor looked and one
        # after it was done, and the paths.
        self.removals = []

    def new(self):
        """A token that is in no content yet."""
        self.count += 1
        return f"<{self.seed}-{self.count}>"

    def now(self):
        return time.time()

    def tell(self, token, text):
        self.stories.setdefault(token, []).append(f"{time.time():.3f} {text}")

    def look(self, content):
        """Returns a content that an actor has seen or written."""
        self.contents[content_hash(content)] = tokens_of(content)
        return content

    def story(self, token):
        return "; ".join(self.stories.get(token, []))

    def acknowledge(self, token, text):
        """From now on the token must be somewhere."""
        self.note(f"  acknowledged {token} {text}")
        self.tell(token, "acknowledged " + text)
        self.acknowledged.add(token)
        self.required.add(token)

    def release(self, content, text):
        """An actor that had seen these tokens has removed them, or may have."""
        for token in tokens_of(content):
            self.note(f"  released {token} {text}")
            self.tell(token, "released " + text)
            self.required.discard(token)

    def require_again(self, content, before):
        """Those that are required as before, because what removed them was not done."""
        self.required |= tokens_of(content) & before

    def remember(self, client, start, paths):
        """An actor on the mount of a client has removed the nodes at these paths."""
        self.removals.append((client, start, time.time(), paths))


def tokens_of(content):
    return {token.decode() for token in re.findall(rb"<[0-9]+-[0-9]+>", content)}


def key(path):
    """A path without case, in some composed form: good enough to find candidates for a doubt."""
    return unicodedata.normalize("NFC", path).casefold()


# The routes whose answers may tell of others' contents: a move takes along what others stored in the file since.
TELLING = "list_folder|list_folder/continue|get_metadata|move_v2|move_batch_v2|move_batch/check_v2"


def doubts(token, ledger, log):
    """Whether an actor on a mount can have removed a content that came under its hands: the reason, or None.

    That takes an answer, between the listing and the removal, that tells the mount of such a content, or of another
    file at the very path.
    """
    with open(log) as file:
        lines = file.read().splitlines()
    clients = {}
    for line in lines:
        if match := re.match(r"\S+ #(\d+) > (\S+) ", line):
            clients[match[1]] = match[2]
    for line in lines:
        match = re.match(rf"(\S+) #(\d+) < files/(?:{TELLING}) 200 (.*)", line)
        if not match or match[2] not in clients:
            continue
        moment, client = time_of(match[1]), clients[match[2]]
        paths = {key(path): start for who, start, end, removed in ledger.removals for path in removed
                 if who == client and start - APPLYING <= moment <= end}
        for path, digest in entries(match[3]) if paths else []:
            # A file that was renamed on the mount is told by the path that the server has it at.
            is_told = token in ledger.contents.get(digest, set())
            if is_told or key(path) in paths:
                start = paths.get(key(path), max(paths.values()))
                return (f"{client} heard of {path} at {moment:.3f}, and began to remove what was there at "
                        f"{start:.3f}; {ledger.story(token)}")
    return None


def entries(text):
    """The paths and content hashes of the files in an answer."""
    answer = json.loads(text)
    told = [entry.get("success", entry) for entry in answer.get("entries", [answer.get("metadata", answer)])]
    return [(entry["path_lower"], entry["content_hash"]) for entry in told if "content_hash" in entry]


def time_of(text):
    """Seconds since 1970 of a time in the request log, which is in UTC."""
    whole, fraction = text.rstrip("Z").split(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + fraction)
