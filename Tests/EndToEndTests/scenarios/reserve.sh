# A server that lists new entries for ever fills no disk: a part of it is kept for the writes of users, and the status says so. With
# room, all is as it was.
# needs: root
# mounts: itself
# limit: 400
. "$TOOLS/lib.sh"
start_hostile_server plain
mkdir "$WORK/small"
mount -t tmpfs -o size=100m tmpfs "$WORK/small"
trap 'kill $hostile_server; dbxfs unmount "$MNT" --lazy --timeout 0 || true; umount -l "$WORK/small"' EXIT
export DBXFS_ENDPOINT="$(cat "$WORK/address")"
export DBXFS_STATE_DIR="$WORK/small/state"
echo old | "$TOOLS/dropbox.py" upload /old
dbxfs mount "$MNT" -o write_delay=0
test "$(cat "$MNT/old")" = old
head -c 60000000 /dev/zero > "$WORK/small/filler"

mode strings 2000 100
echo wake | "$TOOLS/dropbox.py" upload /wake
wait_until 200 eval 'dbxfs status "$MNT" | grep "almost full"'
# It applies no more deltas.
free() { df --output=avail -B 1 "$WORK/small" | tail -1; }
before=$(free)
test "$before" -gt 2500000
# Time for the deltas that must not be applied.
sleep 20
test "$(free)" -gt 2000000
# People go on with what they do.
head -c 300000 /dev/urandom > "$MNT/mine"
wait_until 60 "$TOOLS/dropbox.py" get /mine
"$TOOLS/dropbox.py" get /mine > "$WORK/mine"
cmp "$WORK/mine" "$MNT/mine"

mode plain
rm "$WORK/small/filler"
wait_until 200 eval 'test "$(ls "$MNT" | tr "\n" " ")" = "mine old wake "'
dbxfs status "$MNT" | grep 'almost full' && exit 1
dbxfs sync "$MNT" --timeout 60
dbxfs unmount "$MNT"
