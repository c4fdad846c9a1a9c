# Programs hold more files open for writing than the mount's process may: the next open is refused, and nothing else. All that was written is sent.
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
(ulimit -n 128 && exec dbxfs mount "$MNT")
python3 -c '
import errno, os, sys, time
files, refused = [], 0
for number in range(300):
    try:
        files.append(os.open(f"{sys.argv[1]}/{number}", os.O_CREAT | os.O_WRONLY))
        os.write(files[-1], b"first")
    except OSError as error:
        assert error.errno == errno.ENFILE, error
        refused += 1
assert 32 < len(files) < 128 and len(files) + refused == 300, (len(files), refused)
# The process of the mount has work of its own each second.
time.sleep(5)
for number, file in enumerate(files):
    os.pwrite(file, b"second", 0)
    os.close(file)
print(len(files))' "$MNT" > "$WORK/count"
dbxfs sync "$MNT" --timeout 60
count=$(cat "$WORK/count")
test "$(ls "$MNT" | wc -l)" = "$count"
test "$("$TOOLS/dropbox.py" get "/$((count - 1))")" = second
# There is room again.
echo after > "$MNT/after"
dbxfs sync "$MNT" --timeout 60
dbxfs unmount "$MNT"
