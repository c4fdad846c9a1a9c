# The local disk fills up: programs get the error, accepted writes stay, and room brings the mount back.
# mounts: itself
# needs: root
# limit: 180
. "$TOOLS/lib.sh"
mkdir "$WORK/small"
mount -t tmpfs -o size=40m tmpfs "$WORK/small"
trap 'dbxfs unmount "$MNT" --lazy --timeout 0 || true; umount -l "$WORK/small"' EXIT
export DBXFS_STATE_DIR="$WORK/small/state" DBXFS_CACHE_DIR="$WORK/small/cache"

head -c 45000000 /dev/zero > "$WORK/small/filler" || true
status=0
dbxfs mount "$MNT" 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 32
grep -q 'disk is full' "$WORK/message"
rm "$WORK/small/filler"

dbxfs mount "$MNT" -o write_delay=1h
echo 'before' > "$MNT/before"
head -c 20000000 /dev/zero > "$WORK/small/filler"
if head -c 60000000 /dev/urandom > "$MNT/too large" 2> "$WORK/message"; then exit 1; fi
grep -qi 'no space left' "$WORK/message"
test "$(cat "$MNT/before")" = before

rm "$WORK/small/filler"
rm "$MNT/too large"
echo 'after' > "$MNT/after"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /before)" = before
test "$("$TOOLS/dropbox.py" get /after)" = after

# Changes of others have no room in the database: the network is not to blame, and status names the disk.
has_status() {
    dbxfs status "$MNT" --json | python3 -c '
import json, sys
status = json.loads(sys.stdin.readline())
print(status["state"], status.get("advice") or "nothing to do")' | tee "$WORK/status"
    if grep -q offline "$WORK/status"; then cp "$WORK/status" "$WORK/offline"; fi
    grep -q "$1" "$WORK/status"
}
# The room of the removed file is free some seconds later.
wait_until 60 eval 'test -z "$(ls -A "$WORK/small/state/default/staging")"'
cat /dev/zero > "$WORK/small/filler" 2> /dev/null || true
"$TOOLS/dropbox.py" mkdirs /theirs 10000
wait_until 60 has_status '^online .*disk .*full'
test "$(cat "$MNT/after")" = after
rm "$WORK/small/filler"
wait_until 60 has_status '^online nothing to do'
test ! -e "$WORK/offline"
test "$(ls "$MNT/theirs" | wc -l)" = 10000
