# A program holds files open and writes on, as to a log, while the mount ends: by one signal, by two, and killed. Its bytes stay, also in
# files that stay on this machine.
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
fails 0 'nothing was put aside' dbxfs recover
dbxfs unmount "$MNT"
