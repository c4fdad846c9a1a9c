"""Pictures that no compression shrinks: PNG files of noise, the same in every run.

Not responsible for the programs that look at them (desktop).
"""

import random
import struct
import zlib

# Pixels of a side, from and to: some 75 to 190 KiB.
SIDES = (160, 256)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(generator):
    """A picture of 24 bits for each pixel."""
    side = generator.randint(*SIDES)
    # Each row begins with its filter: none.
    rows = b"".join(b"\0" + generator.randbytes(3 * side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1))
            + chunk(b"IEND", b""))


def make(folder, count):
    """Writes so many pictures to a folder; returns their bytes."""
    generator = random.Random("pictures")
    total = 0
    for number in range(count):
        content = png(generator)
        (folder / f"picture {number:04}.png").write_bytes(content)
        total += len(content)
    return total
