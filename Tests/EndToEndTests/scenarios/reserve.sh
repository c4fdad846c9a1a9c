# A server that lists new entries for ever fills no disk: a part of it is kept for the writes of users, and the status says so. With
# room, all is as it was.
# needs: root
# mounts: itself
# limit: 400
mkdir "$WORK/small"
mount -t tmpfs -o size=100m tmpfs "$WORK/small"
export MODE="$WORK/mode" COUNTS="$WORK/counts"
mode() { echo "$*" > "$MODE.new"; mv "$MODE.new" "$MODE"; : > "$COUNTS"; }
mode plain
python3 "$TOOLS/hostile.py" > "$WORK/address" &
proxy=$!
trap 'kill $proxy; dbxfs unmount "$MNT" --lazy --timeout 0 || true; umount -l "$WORK/small"' EXIT
until test -s "$WORK/address"; do kill -0 $proxy; sleep 0.1; done
export DBXFS_ENDPOINT="$(cat "$WORK/address")"
export DBXFS_STATE_DIR="$WORK/small/state"
echo old | "$TOOLS/dropbox.py" upload /old
dbxfs mount "$MNT" -o write_delay=0
test "$(cat "$MNT/old")" = old
head -c 60000000 /dev/zero > "$WORK/small/filler"

mode strings 2000 100
echo wake | "$TOOLS/dropbox.py" upload /wake
tries=0
until dbxfs status "$MNT" | grep -q 'almost full'; do
    tries=$((tries + 1))
    test $tries -lt 1000
    sleep 0.2
done
# It applies no more deltas.
free() { df --output=avail -B 1 "$WORK/small" | tail -1; }
before=$(free)
test "$before" -gt 2500000
sleep 20
test "$(free)" -gt 2000000
# People go on with what they do.
head -c 300000 /dev/urandom > "$MNT/mine"
tries=0
until "$TOOLS/dropbox.py" get /mine > "$WORK/mine" 2> /dev/null; do
    tries=$((tries + 1))
    test $tries -lt 300
    sleep 0.2
done
cmp "$WORK/mine" "$MNT/mine"

mode plain
rm "$WORK/small/filler"
tries=0
until [ "$(ls "$MNT" | tr '\n' ' ')" = 'mine old wake ' ]; do
    tries=$((tries + 1))
    test $tries -lt 1000
    sleep 0.2
done
dbxfs status "$MNT" | grep 'almost full' && exit 1
dbxfs sync "$MNT" --timeout 60
dbxfs unmount "$MNT"
