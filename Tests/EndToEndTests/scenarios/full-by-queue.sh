# The queue itself fills the disk of the state folder. Writers are told in time, files can be removed, a new mount starts on the full
# disk, and all that was accepted is sent once the network is back. No user frees space by hand.
# mounts: itself
# needs: root
# limit: 400
. "$TOOLS/lib.sh"
mkdir "$WORK/small"
mount -t tmpfs -o size=24m tmpfs "$WORK/small"
trap 'dbxfs unmount "$MNT" --lazy --timeout 0 || true; umount -l "$WORK/small"' EXIT
export DBXFS_STATE_DIR="$WORK/small/state" DBXFS_CACHE_DIR="$WORK/small/cache"
free_bytes() { df --output=avail -B 1 "$WORK/small" | tail -1; }

# Cached content, which gives way to the queue.
head -c 6000000 /dev/urandom > "$WORK/cached"
"$TOOLS/dropbox.py" upload /cached < "$WORK/cached"
dbxfs mount "$MNT"
cmp "$WORK/cached" "$MNT/cached"
mkdir "$MNT/before"
dbxfs sync "$MNT" --timeout 60

stop_emulator
wait_until 60 has_state offline
accepted=0
: > "$WORK/accepted"
for number in $(seq 1 40); do
    head -c 1000000 /dev/urandom > "$WORK/file"
    if cp "$WORK/file" "$MNT/file $number" 2>> "$WORK/message"; then
        cp "$WORK/file" "$WORK/accepted $number"
        echo $number >> "$WORK/accepted"
        accepted=$((accepted + 1))
    fi
done
cat "$WORK/message"
grep -qi 'no space left' "$WORK/message"
# The cache has given its space.
test $accepted -ge 12
test $accepted -lt 24
free_bytes
ls -l "$WORK/small/state/default"

# New entries without an end are refused before they take what the database needs.
made=0
while mkdir "$MNT/made $made" 2> "$WORK/message"; do
    made=$((made + 1))
    test $made -lt 100000
done
grep -qi 'no space left' "$WORK/message"
free_bytes
dbxfs status "$MNT" | grep 'disk .*full'

# People can still remove, rename and read.
rm "$MNT/file 1"
sed -i 1d "$WORK/accepted"
mv "$MNT/file 2" "$MNT/file two"
cmp "$MNT/file two" "$WORK/accepted 2"

# A new mount on a disk that others have filled to the last byte.
cat /dev/zero > "$WORK/small/filler" 2> /dev/null || true
dbxfs unmount "$MNT" --timeout 0 || test $? = 3
wait_until 60 not mountpoint -q "$MNT"
cat /dev/zero >> "$WORK/small/filler" 2> /dev/null || true
df -B 1 "$WORK/small"
# Others change something while the mount is away: nothing is sent before the mount has taken that.
start_emulator
echo others | "$TOOLS/dropbox.py" upload /others
stop_emulator
dbxfs mount "$MNT"
cmp "$MNT/file 3" "$WORK/accepted 3"
rm "$MNT/file 3"
sed -i /^3$/d "$WORK/accepted"
truncate -s 400000 "$MNT/file 4"
truncate -s 400000 "$WORK/accepted 4"
cmp "$MNT/file 4" "$WORK/accepted 4"

# The network is back, and the disk is as full as before.
start_emulator
dbxfs sync "$MNT" --timeout 120
for number in $(cat "$WORK/accepted"); do
    name="file $number"
    if [ $number = 2 ]; then name='file two'; fi
    "$TOOLS/dropbox.py" get "/$name" > "$WORK/sent"
    cmp "$WORK/sent" "$WORK/accepted $number"
done
grep -x others "$MNT/others"
rm "$WORK/small/filler"
wait_until 60 eval 'head -c 1000000 /dev/zero > "$MNT/room again"'
wait_until 60 eval '! dbxfs status "$MNT" | grep "disk .*full"'
dbxfs unmount "$MNT"
