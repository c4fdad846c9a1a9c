# One gibibyte: written, read back from the server, read at random.
# limit: 600
head -c 1G /dev/urandom > "$WORK/large"
cp "$WORK/large" "$MNT/large"
cmp "$WORK/large" "$MNT/large"
dbxfs sync "$MNT" --timeout 300

# Nothing local may help now.
dbxfs cache clear
python3 - << 'END'
import os, random

random.seed(1)
source, copy = os.path.join(os.environ["WORK"], "large"), os.path.join(os.environ["MNT"], "large")
with open(source, "rb") as a, open(copy, "rb") as b:
    os.posix_fadvise(b.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    size = os.fstat(a.fileno()).st_size
    assert os.fstat(b.fileno()).st_size == size
    for _ in range(300):
        offset, count = random.randrange(size), random.choice([1, 4096, 65536, 1_000_000])
        assert os.pread(a.fileno(), count, offset) == os.pread(b.fileno(), count, offset), offset
END
cmp "$WORK/large" "$MNT/large"

# A change in the middle, and the rest untouched.
printf 'changed' | dd of="$MNT/large" bs=1 seek=500000000 conv=notrunc status=none
printf 'changed' | dd of="$WORK/large" bs=1 seek=500000000 conv=notrunc status=none
cmp "$WORK/large" "$MNT/large"
