# A program holds files open and writes on, as to a log, while the mount ends: by one signal, by two, and killed. Its bytes stay, also in
# files that stay on this machine, and in pages that only the kernel has.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
export DBXFS_CONFIG="$WORK/config.toml"
echo 'ignore = "*.log"' > "$DBXFS_CONFIG"
# written COUNT NAME…: holds files open, and has appended so many bytes to each, in a process that this shell can end.
written() {
    rm -f "$WORK/written"
    python3 -c '
import os, signal, sys
files = [os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT) for name in sys.argv[3:]]
for file in files: os.write(file, b"x" * int(sys.argv[2]))
open(sys.argv[1], "w").close()
signal.pause()' "$WORK/written" "$@" & writer=$!
    wait_until 30 test -e "$WORK/written"
}
# ended SIGNAL…: the mount's process has ended after the signals; the writer, too.
ended() {
    process=$(status_field pid)
    for signal in "$@"; do
        kill "-$signal" "$process"
        # The second signal is one of its own, while the mount waits for the program or for the queue.
        sleep 0.3
    done
    wait_until 60 has_ended "$process"
    kill "$writer"
    wait "$writer" 2> /dev/null || true
}

dbxfs mount "$MNT"
echo old > "$MNT/a.log"
echo old > "$MNT/sent"
sync "$MNT/a.log"
dbxfs sync "$MNT"

# An orderly end.
written 5000 "$MNT/a.log" "$MNT/sent" "$MNT/new.log"
ended TERM
dbxfs mount "$MNT"
test "$(stat -c %s "$MNT/a.log" "$MNT/sent" "$MNT/new.log" | tr '\n' ' ')" = '5004 5004 5000 '

# One that does not wait for the queue.
dbxfs pause "$MNT"
written 300 "$MNT/a.log" "$MNT/sent" "$MNT/new"
ended TERM TERM
dbxfs mount "$MNT"
test "$(stat -c %s "$MNT/a.log" "$MNT/sent" "$MNT/new" | tr '\n' ' ')" = '5304 5304 300 '

# Killed: bytes that are older than two seconds are there.
written 50 "$MNT/a.log" "$MNT/sent" "$MNT/new"
# The delay, and as much again for a machine that has other work.
sleep 6
ended KILL
wait_until 30 not stat -f "$MNT"
dbxfs mount "$MNT"
test "$(stat -c %s "$MNT/a.log" "$MNT/sent" "$MNT/new" | tr '\n' ' ')" = '5354 5354 350 '
dbxfs resume "$MNT"
dbxfs sync "$MNT" --timeout 60
dbxfs unmount "$MNT"

# Changes that only the kernel has at a signal: pages of a mapping whose file is closed, and with writeback_cache written ones. Of one file the
# blocks around the changed pages have to be fetched, which takes longer than programs get otherwise.
head -c 9000000 /dev/zero | tr '\0' b > "$WORK/base"
for options in write_delay=5s writeback_cache; do
    python3 "$TOOLS/dropbox.py" upload /base < "$WORK/base"
    dbxfs mount "$MNT" -o "$options"
    head -c 300000 /dev/zero > "$MNT/mapped"
    dbxfs sync "$MNT" --timeout 60
    cmp -n 1000 "$WORK/base" "$MNT/base"
    rm -f "$WORK/written"
    admin POST /settings '{"download_bytes_per_second": 2000000}'
    python3 -c '
import mmap, os, signal, sys
def mapped(path, size):
    file = os.open(path, os.O_RDWR)
    pages = mmap.mmap(file, size)
    os.close(file)
    return pages
pages = mapped(sys.argv[2], 300000)
pages[:] = b"m" * 300000
base = mapped(sys.argv[3], 9000000)
for place in 100, 4500000, 8999999: base[place:place + 1] = b"!"
late = os.open(sys.argv[4], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
os.write(late, b"w" * 70000)
open(sys.argv[1], "w").close()
signal.pause()' "$WORK/written" "$MNT/mapped" "$MNT/base" "$MNT/late" & writer=$!
    wait_until 60 test -e "$WORK/written"
    ended TERM
    admin POST /settings '{"download_bytes_per_second": null}'
    dbxfs mount "$MNT" -o "$options"
    test "$(tr -d m < "$MNT/mapped" | wc -c) $(stat -c %s "$MNT/mapped")" = '0 300000'
    test "$(tr -d w < "$MNT/late" | wc -c) $(stat -c %s "$MNT/late")" = '0 70000'
    test "$(cmp -l "$WORK/base" "$MNT/base" | wc -l)" = 3
    dbxfs sync "$MNT" --timeout 60
    rm "$MNT/base"
    dbxfs sync "$MNT" --timeout 60
    dbxfs unmount "$MNT"
done
dbxfs mount "$MNT"
fails 0 'nothing was put aside' dbxfs recover
dbxfs unmount "$MNT"
