# Commands and options that no other scenario needs: help, the cache, pins for machines.
# mounts: itself
. "$TOOLS/lib.sh"
dbxfs help mount | grep -q 'bwlimit_up=SIZE'
fails 1 'frobnicate' dbxfs frobnicate

# In the foreground by the short name, with what the kernel does by itself.
dbxfs mount -f "$MNT" -o nodev,noexec,noatime 2> "$WORK/log" &
mount=$!
wait_while_running $mount 60 eval 'mountpoint -q "$MNT" && dbxfs status "$MNT"'
findmnt -n -o VFS-OPTIONS --mountpoint "$MNT" | grep -w noexec | grep -w nodev | grep -qw noatime
# Without a source, the account is shown.
findmnt -n -o SOURCE --mountpoint "$MNT" | grep -qx default:

# Text that is no UTF-8 would name something else, and output that is lost is a failure.
fails 1 'no UTF-8' dbxfs pin "$MNT/$(printf 'caf\377')"
fails 1 'DBXFS_CACHE_DIR is no UTF-8' env DBXFS_CACHE_DIR="$(printf '/caf\377')" dbxfs status "$MNT"
if dbxfs status "$MNT" > /dev/full 2> "$WORK/message"; then exit 1; fi
grep -q 'the output could not be written: No space left' "$WORK/message"

head -c 3000000 /dev/urandom > "$WORK/content"
cp "$WORK/content" "$MNT/content"
mkdir "$MNT/folder"
cp "$WORK/content" "$MNT/folder/pinned"
printf x >> "$MNT/folder/pinned"
dbxfs sync "$MNT" --timeout 60
dbxfs pin "$MNT/folder" --timeout 60
dbxfs pins "$MNT" --json | python3 -c '
import json, sys
pin = json.loads(sys.stdin.read())
assert pin["path"].endswith("/folder") and pin["files"] == pin["present_files"] == 1, pin
assert pin["bytes"] == 3000001, pin'
dbxfs cache status "$MNT" | grep -q '2.9 MiB are pinned'
dbxfs cache verify "$MNT" | grep -q ' 0 damaged'
dbxfs cache clear "$MNT"
dbxfs cache status "$MNT" | grep -q ': 2.9 MiB of .*, of which 2.9 MiB are pinned'
dbxfs cache clear --pinned "$MNT"
dbxfs pin "$MNT/folder" --timeout 60
cmp "$WORK/content" "$MNT/content"
dbxfs unpin "$MNT/folder"
test -z "$(dbxfs pins --json "$MNT")"
dbxfs umount "$MNT"
wait $mount

# Closed descriptors are no place for messages.
dbxfs mount -f "$MNT" <&- >&- 2>&- &
mount=$!
wait_while_running $mount 60 eval 'mountpoint -q "$MNT" && dbxfs status "$MNT"'
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$DBXFS_STATE_DIR/default/lock"
dbxfs umount "$MNT"
wait $mount

dbxfs mount "$MNT" -o noexec,exec,noatime,atime,nosuid,suid,nodev,dev,ro,rw
findmnt -n -o VFS-OPTIONS --mountpoint "$MNT" | grep -wq noexec && exit 1
touch "$MNT/written"
dbxfs unmount "$MNT"
