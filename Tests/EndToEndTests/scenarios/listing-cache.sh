# Readers stop in the middle of a folder, names change, and another program lists all of it: the kernel keeps listings, and must not mix them.
# limit: 120
. "$TOOLS/lib.sh"
# A reader that is slow, as a backup is, gets every name that there was before it began.
mkdir "$MNT/left"
(cd "$MNT/left" && seq -f 'f%07g' 1 6000 | xargs touch)
python3 -c '
import os, sys
folder = sys.argv[1]
with os.scandir(folder) as names:
    for _ in range(1500):
        next(names)
for number in range(400):
    open(f"{folder}/n{hash(str(number)) & 0xffffffff:08x}-{number}", "w").close()
with os.scandir(folder) as names:
    got = [next(names).name]
    listed = os.listdir(folder)
    got += [entry.name for entry in names]
assert len(listed) == 6400, len(listed)
assert len(got) == len(set(got)), "twice"
missing = set(os.listdir(folder)) - set(got)
assert not missing, (len(missing), sorted(missing)[:3])' "$MNT/left"
# The name behind which a reader goes on is gone, and the listing that the kernel has fills its pages: 126 names, "." and ".." of 32 bytes each.
cat > "$WORK/full.py" <<'END'
import ctypes, os, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
GETDENTS64 = {"x86_64": 217, "aarch64": 61}[os.uname().machine]


def read(folder):
    buffer = ctypes.create_string_buffer(1024)
    count = libc.syscall(GETDENTS64, folder, buffer, len(buffer))
    assert count >= 0, os.strerror(ctypes.get_errno())
    names, place = [], 0
    while place < count:
        length = struct.unpack_from("<H", buffer.raw, place + 16)[0]
        names.append(buffer.raw[place + 19:place + length].split(b"\0")[0].decode())
        place += length
    return names


path, count = sys.argv[1], int(sys.argv[2])
os.mkdir(path)
for number in range(count + 1):
    open(f"{path}/f{number:06d}", "w").close()
os.listdir(path)
folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
got = read(folder)
gone = got[-1]
os.unlink(f"{path}/{gone}")
for _ in range(3):
    assert len(os.listdir(path)) == count
while names := read(folder):
    got += names
missing = {f"f{number:06d}" for number in range(count + 1)} - {gone} - set(got)
assert not missing, len(missing)
assert len(got) == len(set(got)), "twice"
END
for count in 125 126 127 254; do python3 "$WORK/full.py" "$MNT/full$count" "$count"; done
# A folder whose names are removed one by one can be removed then, beside a program that lists it.
(for _ in $(seq 40); do ls "$MNT/left" > /dev/null; done) &
python3 -c '
import os, sys
for entry in os.scandir(sys.argv[1]):
    os.unlink(entry.path)
os.rmdir(sys.argv[1])' "$MNT/left"
wait
test ! -e "$MNT/left"
