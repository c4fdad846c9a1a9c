# The local disk fills up: programs hear of it, what was accepted stays, and room brings the mount back.
# mounts: itself
# needs: root
# limit: 180
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
