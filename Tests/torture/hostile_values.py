"""Names, paths and numbers that programs should not use, drawn by a generator.

Not responsible for the calls. Files that may become huge have names that stay on the machine
(`HUGE`), so that no mount has to send terabytes of zeros; all others stay small enough to be sent in a moment.
"""

import errno

# The folder that the calls are for; the nodes beside it on the mount are not touched by name.
TOP = b"w"
FOLDERS = [TOP, TOP + b"/d", TOP + b"/d/e", TOP + b"/D2", TOP + "/\u00e9".encode()]
PLAIN = [b"a", b"b", b"c", b"A", b"remote-1", b"remote-2", b"x.tmp", b"~$lock", b".~small"]
STRANGE = [
    "\u00e9".encode(), "e\u0301".encode(), b"new\nline", b"tab\t\x01\x1b[31m", b"-rf", b"*", b"%s%n", b"con", b"x" * 255,
    "\u202e".encode(), "\U0001f600".encode(), b"trailing.", "\u0130\u03c3\u03c2\u00df".encode(), b".dropbox",
    # Those that have to be refused.
    b"x" * 256, ("\u00e9" * 128).encode(), b"trailing ", b"back\\slash", b"del\x7f", b"\xff\xfe", b"half\xc3", b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\xc0\x80", b".", b"..", b"...", b"",
]
HUGE = [b".~huge-1", b".~huge-2", b".~huge-3"]
# Where a path goes on behind what may be a file, a link or nothing.
ENDINGS = [b"/", b"/.", b"/..", b"//", b"/x", b"/" + b"x/" * 300, b"/" + b"y" * 5000, b"/../" * 50]

BLOCK = 4 << 20
BORDERS = [0, 1, 511, 512, 4095, 4096, 4097, 65536, 1 << 20]
# Where no file can reach on Dropbox: a call for it has to be refused, or to find nothing.
IMPOSSIBLE = [(1 << 41) + 1, (1 << 42) - 1, 1 << 42, 1 << 43, (1 << 62) + 4096, (1 << 63) - 4096, (1 << 63) - 1,
              -1, -2, -4096, -(1 << 31), -(1 << 63)]
LARGE = [(1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 1, 1 << 32, 1 << 40, (1 << 41) - BLOCK - 1, (1 << 41) - BLOCK,
         (1 << 41) - 1, 1 << 41]

ATTRIBUTES = [
    b"user.x", b"user.y", "user.\u00e9".encode(), b"user.", b"user", b"", b"x", b".", b"user." + b"n" * 250, b"user." + b"n" * 251,
    b"u" * 300, b"user.\xff\xfe", b"user.a\nb", b"user.dropbox.id", b"user.dropbox.rev", b"user.dropbox.content_hash",
    b"user.dropbox.path", b"user.dropbox.pending", b"user.dropbox.local", b"user.dropbox.shared_folder_id",
    b"user.dropbox.", b"user.dropbox.unknown", b"user.DROPBOX.id", b"trusted.x", b"trusted.", b"trusted.overlay.opaque",
    b"security.x", b"security.capability", b"security.selinux", b"security.ima", b"system.posix_acl_access",
    b"system.posix_acl_default", b"system.x", b"system.nfs4_acl", b"btrfs.compression", b"os2.x",
]
SECONDS = [0, 1, -1, (1 << 31) - 1, 1 << 31, -(1 << 31), (1 << 32), 1 << 34, 253402300800, (1 << 53), (1 << 63) - 1, -(1 << 63)]
UTIME_NOW, UTIME_OMIT = (1 << 30) - 1, (1 << 30) - 2
NANOSECONDS = [0, 1, 999999999, 1000000000, -1, -(1 << 63), (1 << 63) - 1, UTIME_NOW, UTIME_OMIT, UTIME_NOW + 1, 1 << 31]
MODES = [0, 0o777, 0o644, 0o7777, 0o4755, 0o2755, 0o1777, 0o10000, 0o100644, 0o170000, 0xffffffff]
USERS = [0, 1, 1000, 65534, 65535, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

# Targets of links. What leads out of the mount (`ESCAPES`, `..` in paths) is used only where calls cannot leave it.
TARGETS = [b"a", b"b", b"d", b"e", b"loop", b".", b"x" * 255, b"x" * 256, b"y/" * 2000, b"z" * 4095, b"z" * 4096, b"",
           b"\xff\xfe", b"a\nb", b"//nowhere-of-dbxfs//", "\u202e\u00e9".encode(), b"back\\slash", b"trailing "]
ESCAPES = [b"..", b"../..", b"/", b"/etc/passwd", b"/proc/self/fd/0", b"../" * 1000]


class Values:
    """What one call is made with."""

    def __init__(self, generator, contained):
        self.generator = generator
        self.contained = contained

    def chance(self, share):
        return self.generator.random() < share

    def of(self, values):
        return self.generator.choice(values)

    def bits(self, values, most=4):
        """Some of these bits at once."""
        chosen = 0
        for _ in range(self.generator.randrange(most + 1)):
            chosen |= self.of(values)
        return chosen

    def number(self, size=32):
        """Any number of so many bits, most often an extreme one."""
        if self.chance(0.5):
            return self.of([0, 1, -1, (1 << (size - 1)) - 1, 1 << (size - 1), (1 << size) - 1])
        return self.generator.getrandbits(size)

    def folder(self):
        return self.of(FOLDERS)

    def name(self):
        return self.of(STRANGE if self.chance(0.25) else PLAIN)

    def path(self):
        """A path of a file that stays small, or of a folder, or of nothing that can be."""
        if self.chance(0.15):
            return self.folder()
        path = self.folder() + b"/" + self.name()
        if self.chance(0.05):
            path += self.of(ENDINGS if self.contained else [ending for ending in ENDINGS if b".." not in ending])
        return path

    def huge_path(self):
        return self.of(FOLDERS[:3]) + b"/" + self.of(HUGE)

    def target(self):
        return self.of(TARGETS + ESCAPES if self.contained else TARGETS)

    def offset(self, is_huge=False):
        """Where something in a file begins."""
        if is_huge and self.chance(0.5):
            return self.of(LARGE) + self.of([-1, 0, 0, 1])
        if self.chance(0.3):
            return self.of(IMPOSSIBLE)
        if self.chance(0.05):
            return BLOCK + self.of([-1, 0, 1])
        return max(0, self.of(BORDERS) + self.of([-1, 0, 0, 1]))

    def size(self, is_huge=False):
        """How long a file should be, or a range in it."""
        return self.offset(is_huge)

    def count(self):
        """How many bytes to read or write; few enough to be so many bytes in memory."""
        return self.of([0, 1, 2, 511, 512, 4095, 4096, 4097, 65536, 131072, 131073])


def name_of(number):
    return errno.errorcode.get(number, str(number))
