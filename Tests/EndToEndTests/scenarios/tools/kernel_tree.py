#!/usr/bin/env python3
"""Makes a source tree of the shape of the Linux kernel's: the same one for the same size and seed.

kernel_tree.py FOLDER [FILES] [SEED]

With all 90,000 files it has 6,000 folders, 900 programs and 60 symbolic links, and fewer of each in a smaller one. Of any size it
has 13 pairs of names that differ in case only, names in four scripts, and names that Dropbox cannot have. `make` builds a program
of it, which needs a script's mode, a link to a folder, and headers of other folders; `make names` compiles what includes
the headers of all pairs. Prints the number of its files, folders, links and bytes. Not responsible for comparing trees
(`same_tree.py`).
"""

import os
import random
import sys

FULL_FILES, FULL_FOLDERS, FULL_PROGRAMS, FULL_LINKS = 90_000, 6_000, 900, 60
DEEPEST = 9
# In nanoseconds: 2024-01-01, before which all files were changed, and the span of their times.
NEWEST, SPAN = 1_704_067_200 * 10**9, 15 * 365 * 86_400 * 10**9
TOPS = ["drivers"] * 12 + ["arch"] * 6 + ["Documentation"] * 4 + ["include"] * 3 + ["tools"] * 3 + ["sound", "fs", "net"] * 2 + [
    "kernel", "lib", "mm", "scripts", "security", "crypto", "block", "samples", "rust", "virt"]
WORDS = """acpi amd audio base bridge bus cache char clk common core cpu crypto devices display dma drm edac event firmware gpio
host hwmon i2c include intel iommu irq kvm led mailbox media memory mfd mmc mtd net nvme pci perf phy pinctrl platform pmu power
ptp pwm qcom queue regulator reset rtc scsi selftests serial sim soc spi target thermal timer trace tty usb video watchdog
wireless x86 xfs""".split()

# The kernel's own pairs.
NETFILTER = "include/uapi/linux/netfilter"
PAIRS = [(f"{NETFILTER}/xt_{name}.h", f"{NETFILTER}/xt_{name.lower()}.h") for name in ("CONNMARK", "DSCP", "MARK", "RATEEST", "TCPMSS")]
PAIRS += [(f"{NETFILTER}_ipv4/ipt_{name}.h", f"{NETFILTER}_ipv4/ipt_{name.lower()}.h") for name in ("ECN", "TTL")]
PAIRS += [(f"{NETFILTER}_ipv6/ip6t_HL.h", f"{NETFILTER}_ipv6/ip6t_hl.h")]
PAIRS += [(f"net/netfilter/xt_{name}.c", f"net/netfilter/xt_{name.lower()}.c") for name in ("DSCP", "HL", "RATEEST", "TCPMSS")]
LITMUS = "tools/memory-model/litmus-tests/Z6.0+pooncelock+poonce{}ock+pombonce.litmus"
PAIRS += [(LITMUS.format("L"), LITMUS.format("l"))]

TEXTS = "Documentation/translations"
# Latin with combining marks, both ways and beside each other; Cyrillic, Chinese, Arabic; then what Dropbox refuses.
NAMES = [path.encode() for path in (
    f"{TEXTS}/composed/\u00e9tude \u00fcber \u00c5ngstr\u00f6m.rst", f"{TEXTS}/decomposed/e\u0301tude u\u0308ber A\u030angstro\u0308m.rst",
    f"{TEXTS}/both/caf\u00e9.rst", f"{TEXTS}/both/cafe\u0301.rst", f"{TEXTS}/de\u0301compose\u0301/inside.rst",
    f"{TEXTS}/\u0440\u0443\u0441\u0441\u043a\u0438\u0439/\u044f\u0434\u0440\u043e \u0438 \u0439\u043e\u0433\u0443\u0440\u0442.rst",
    f"{TEXTS}/zh_CN/\u5185\u6838\u6587\u6863.rst", f"{TEXTS}/zh_CN/\u958b\u767c/\u6d41\u7a0b.rst",
    f"{TEXTS}/ar/\u0645\u0633\u062a\u0646\u062f\u0627\u062a \u0627\u0644\u0646\u0648\u0627\u0629.rst",
    f"{TEXTS}/odd/back\\slash.txt", f"{TEXTS}/odd/c:\\folder/inside.txt", f"{TEXTS}/odd/end ", f"{TEXTS}/odd/folder /inside.txt")]
NAMES += [f"{TEXTS}/odd/".encode() + name for name in (b"caf\xe9.txt", b"\xff\xfe.bin", b"bytes \xe4\xf6\xfc/inside.txt")]

HEADER = "#ifndef {0}\n#define {0} 1\n"
MAKEFILE = """# Builds a program of the units below kernel/.
CFLAGS = -O0 -Iinclude
objects = $(patsubst %.c,%.o,$(wildcard kernel/unit*.c)) init/main.o

program: $(objects)
\t$(CC) -o $@ $^

%.o: %.c include/linux/units.h include/generated/version.h
\t$(CC) $(CFLAGS) -c -o $@ $<

include/generated/version.h: scripts/version.sh
\tmkdir -p $(@D)
\t./scripts/version.sh > $@

# Both spellings of each pair of headers.
names:
\t$(CC) $(CFLAGS) -fsyntax-only samples/names.c

.PHONY: names
"""
MAIN = """#include <stdio.h>
#include <linux/units.h>
#include <generated/version.h>
int main(void) {{ printf("%s %d\\n", VERSION, {sum}); return 0; }}
"""
UNIT = """#include <linux/units.h>
#include <asm/types.h>
u32 unit{0}(void) {{ return {0} + TYPES_BASE; }}
"""


class Tree:
    """The tree while it is made: what has been written, and the sources of chance and of text."""

    def __init__(self, root, files, seed):
        self.root = os.fsencode(root)
        self.wanted = files
        self.random = random.Random(seed)
        self.paths = {}
        self.folders, self.bytes, self.links = 0, 0, 0
        # Every text is a piece of this one below a line of its own, which costs less than to make each.
        words = WORDS + ["static", "int", "struct", "return", "if", "(void)", "{", "}", "->", "=", ";", "0x%x"]
        lines = (" ".join(self.random.choices(words, k=9)) for _ in range(20_000))
        self.pool = "\n".join(lines).encode()

    def share(self, full, least):
        """So many in a tree of this size."""
        return max(least, full * self.wanted // FULL_FILES)

    def folder(self, path):
        while path and not os.path.isdir(os.path.join(self.root, path)):
            parent = os.path.dirname(path)
            self.folder(parent)
            os.mkdir(os.path.join(self.root, path), 0o755)
            self.folders += 1

    def size(self):
        """The median is 5 KB; a few have 200 KB or more."""
        return min(int(self.random.lognormvariate(8.5, 1.2)), 900_000)

    def text(self, path):
        size = self.size()
        start = self.random.randrange(len(self.pool) - 1)
        body = self.pool[start:start + size]
        while len(body) < size:
            body += self.pool[:size - len(body)]
        return b"/* " + path + b" " + str(self.random.getrandbits(64)).encode() + b" */\n" + body + b"\n"

    def file(self, path, content=None, mode=0o644):
        path = os.fsencode(path)
        self.folder(os.path.dirname(path))
        content = self.text(path) if content is None else content
        content = content if isinstance(content, bytes) else content.encode()
        place = os.path.join(self.root, path)
        with open(place, "xb") as file:
            file.write(content)
        os.chmod(place, mode)
        time = NEWEST - self.random.randrange(SPAN)
        os.utime(place, ns=(time, time))
        self.paths[path] = mode
        self.bytes += len(content)

    def link(self, path, target):
        path = os.fsencode(path)
        self.folder(os.path.dirname(path))
        place = os.path.join(self.root, path)
        os.symlink(os.fsencode(target), place)
        time = NEWEST - self.random.randrange(SPAN)
        os.utime(place, ns=(time, time), follow_symlinks=False)
        self.links += 1

    # The parts.

    def build(self):
        """What `make` needs."""
        units = self.share(400, 24)
        self.file("Makefile", MAKEFILE)
        self.file(".gitignore", "*.o\n/program\n/include/generated/\n")
        self.file("scripts/version.sh", '#!/bin/sh\necho "#define VERSION \\"made by $(basename "$0")\\""\n', 0o755)
        self.file("arch/x86/include/asm/types.h", HEADER.format("ASM_TYPES") + "typedef unsigned u32;\n#define TYPES_BASE 1\n#endif\n")
        self.link("include/asm", "../arch/x86/include/asm")
        self.file("include/linux/units.h", HEADER.format("UNITS") + "#include <asm/types.h>\n"
                  + "".join(f"u32 unit{number}(void);\n" for number in range(units)) + "#endif\n")
        for number in range(units):
            self.file(f"kernel/unit{number}.c", UNIT.format(number))
        self.file("init/main.c", MAIN.format(sum=" + ".join(f"unit{number}()" for number in range(units))))

    def names(self):
        checked = []
        for pair in PAIRS:
            for path in pair:
                if not path.endswith(".h"):
                    self.file(path)
                    continue
                word = "HAVE_" + os.path.basename(path)[:-2]
                self.file(path, HEADER.format(word) + f"/* {self.random.getrandbits(64)} */\n#endif\n")
                checked.append(f'#include "{path[len("include/"):]}"\n#ifndef {word}\n#error {word}\n#endif\n')
        self.file("samples/names.c", "".join(checked) + "int nothing;\n")
        for path in NAMES:
            self.file(path)

    def ordinary(self):
        """The many, in folders of which a few are large."""
        folders = list(dict.fromkeys(TOPS))
        while len(folders) < self.share(FULL_FOLDERS, 60) - 40:
            # The newer a folder is, the likelier it is a parent: so some lie deep.
            parent = self.random.choice(TOPS) if self.random.random() < 0.2 else self.random.choice(folders[len(folders) // 3:])
            if parent.count("/") < DEEPEST - 2:
                folders.append(f"{parent}/{self.random.choice(WORDS)}-{len(folders)}")
        weights = [self.random.paretovariate(1.3) for _ in folders]
        places = self.random.choices(folders, weights, k=self.wanted - len(self.paths))
        programs = self.share(FULL_PROGRAMS, 30)
        for number, folder in enumerate(places):
            name = f"{folder}/{self.random.choice(WORDS)}_{self.random.choice(WORDS)}{number}"
            if number < programs:
                self.file(f"{name}.sh", f"#!/bin/sh\n# {self.random.getrandbits(64)}\necho {number}\n", 0o755)
            else:
                mode = 0o644 if self.random.random() < 0.995 else self.random.choice((0o600, 0o444, 0o640))
                self.file(name + self.random.choice((".c", ".c", ".c", ".h", ".h", ".rst", ".yaml", ".dts")), mode=mode)

    def all_links(self):
        """To files and folders, relative and absolute, to nothing, and to bytes that are no text."""
        files = sorted(path for path in self.paths if path.isascii() and b"\\" not in path)
        for number in range(self.share(FULL_LINKS, 15) - self.links):
            target = self.random.choice(files)
            place = f"{self.random.choice(TOPS)}/links"
            up = os.fsencode(os.path.relpath("/" + os.fsdecode(target), "/" + place))
            self.link(f"{place}/link{number}", [
                up, os.path.dirname(up), b"/usr/include/" + os.path.basename(target), b"../nothing/" + os.path.basename(target),
                b"caf\xe9 %d" % number][number % 5])


def main():
    root, files, seed = sys.argv[1], *map(int, sys.argv[2:4] + ["1500", "1"][len(sys.argv) - 2:])
    tree = Tree(root, files, seed)
    os.umask(0o022)
    os.makedirs(root, exist_ok=True)
    if os.listdir(root):
        sys.exit(f"{root} is not empty")
    tree.build()
    tree.names()
    tree.ordinary()
    tree.all_links()
    print(len(tree.paths), tree.folders, tree.links, tree.bytes)


main()
