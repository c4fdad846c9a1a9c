# Mounting, being busy, unmounting, and what each says.
# beside: nothing
# mounts: itself
# limit: 180
. "$TOOLS/lib.sh"

dbxfs mount "$MNT"
# It answers at once, and its process is away from this terminal.
test -d "$MNT"
findmnt -n -o FSTYPE "$MNT" | grep -qx fuse.dbxfs
pid=$(status_field pid)
test "$(ps -o sid= -p "$pid" | tr -d ' ')" = "$pid"
tr '\0' '\n' < "/proc/$pid/cmdline" | grep -q "$TOKEN" && exit 1
grep -rq "$TOKEN" "$DBXFS_STATE_DIR" && exit 1
test "$(stat -c %a "$DBXFS_STATE_DIR/default")" = 700

dbxfs status | grep -q "$MNT"
dbxfs status "$MNT/" --json | python3 -c '
import json, sys
status = json.load(sys.stdin)
wanted = """mountpoint account state pending_operations pending_bytes uploads conflicts cached_bytes
pinned_bytes entries cursor_age_seconds waiting_seconds requests calls bytes_down bytes_up rss_bytes
metrics_address""".split()
missing = [field for field in wanted if field not in status]
assert not missing, missing
assert status["account"] == "default" and status["rss_bytes"] > 0, status
assert status["metrics_address"] is None, status
'

fails_in_one_line 32 'mounted at .* already' dbxfs mount "$MNT"
mkdir "$WORK/other"
fails_in_one_line 32 "in use by the mount at $MNT" dbxfs mount "$WORK/other"

# In use: it stays, and works on.
sleep 1000 < "$MNT" & user=$!
echo text > "$MNT/file"
exec 3< "$MNT/file"
fails_in_one_line 32 'is in use' dbxfs unmount "$MNT"
test "$(cat "$MNT/file")" = text
kill $user
wait $user || true
dbxfs unmount "$MNT" --lazy
test "$(cat <&3)" = text
exec 3<&-
test -z "$(ls -A "$MNT")"

# Of one that stays in use, files that were written until it was detached are on Dropbox, too.
dbxfs mount "$MNT" -o write_delay=1h
mkdir "$MNT/in"
sleep 1000 < "$MNT" & user=$!
(
    i=0
    while echo $i > "$MNT/in/$i"; do
        i=$((i + 1))
        # So that the queue is empty in between.
        sleep 0.05
    done
    echo $i > "$WORK/written"
) 2> /dev/null & writer=$!
wait_until 30 test -e "$MNT/in/3"
dbxfs unmount "$MNT" --lazy 2> "$WORK/message"
grep -q 'stays in use' "$WORK/message"
wait $writer
last=$(($(cat "$WORK/written") - 1))
test "$("$TOOLS/dropbox.py" get "/in/$last")" = $last
kill $user
wait $user || true

# At once again, although the other process may not have ended yet.
dbxfs mount "$MNT"
test "$(cat "$MNT/file")" = text
dbxfs unmount
fails_in_one_line 32 'nothing is mounted' dbxfs unmount "$MNT"
fails_in_one_line 2 'nothing is mounted' dbxfs unmount
fails_in_one_line 2 'nothing is mounted' dbxfs sync "$MNT"
fails_in_one_line 2 'nothing is mounted' dbxfs sync
dbxfs status

# SIGTERM is an orderly end; signals that scripts send to programs that reread their files are none.
dbxfs mount "$MNT" -o write_delay=1h
echo 'in time' > "$MNT/last"
pid=$(status_field pid)
for signal in USR1 USR2 ALRM; do kill -$signal "$pid"; done
test "$(cat "$MNT/last")" = 'in time'
test "$(status_field pid)" = "$pid"
kill "$pid"
wait_until 30 has_ended "$pid"
test -z "$(ls -A "$MNT")"
test "$("$TOOLS/dropbox.py" get /last)" = 'in time'

# Also while a process is inside, or another namespace has a copy of the mount: they get two seconds.
ends_on_sigterm() {
    pid=$(status_field pid)
    kill "$pid"
    wait_until 15 has_ended "$pid"
}
dbxfs mount "$MNT"
sleep 1000 < "$MNT/last" & user=$!
wait_until 30 eval 'test "$(readlink /proc/$user/fd/0)" = "$MNT/last"'
ends_on_sigterm
kill $user
wait $user || true
if unshare --mount true 2> /dev/null; then
    dbxfs mount "$MNT"
    unshare --mount --propagation private sleep 1000 & user=$!
    wait_until 30 has_own_mounts $user
    ends_on_sigterm
    kill $user
    wait $user || true
fi

# umount(8) knows nothing of queues; the process sends them all the same.
dbxfs mount "$MNT" -o write_delay=1h
echo 'later' > "$MNT/later"
umount "$MNT" 2> /dev/null || fusermount3 -u "$MNT"
wait_until 60 eval 'test "$("$TOOLS/dropbox.py" get /later)" = later'

# One whose process is gone counts, too: without an argument, the other one is not taken for the only mount.
"$TOOLS/dropbox.py" mkdir /Second
mkdir "$WORK/second"
dbxfs mount "$MNT"
dbxfs mount :/Second "$WORK/second"
pid=$(status_field pid)
kill -KILL "$pid"
wait_until 60 has_ended "$pid"
fails_in_one_line 1 "$MNT (its process is gone)" dbxfs unmount
dbxfs unmount "$WORK/second"
dbxfs unmount 2> "$WORK/message"
grep -q "process behind $MNT is gone: detached" "$WORK/message"
fails_in_one_line 2 'nothing is mounted' dbxfs unmount
