# Little space on the disk of the state folder, which is not full: changes that wait for those of others are sent, and cached content
# gives way to changes of others.
# mounts: itself
# needs: root
# limit: 400
. "$TOOLS/lib.sh"
mkdir "$WORK/small"
mount -t tmpfs -o size=100m tmpfs "$WORK/small"
trap 'dbxfs unmount "$MNT" --lazy --timeout 0 || true; umount -l "$WORK/small"' EXIT
export DBXFS_STATE_DIR="$WORK/small/state"
free_bytes() { df --output=avail -B 1 "$WORK/small" | tail -1; }
leave_free() {
    rm -f "$WORK/small/filler"
    fallocate -l $(($(free_bytes) - $1)) "$WORK/small/filler"
}

# Others delete and replace what users change: each change needs the deltas.
for name in edited moved; do echo $name | "$TOOLS/dropbox.py" upload /$name; done
echo inside | "$TOOLS/dropbox.py" upload /folder/inside
dbxfs mount "$MNT"
cat "$MNT/edited" "$MNT/moved" "$MNT/folder/inside"
leave_free 4000000
for name in edited moved folder; do "$TOOLS/dropbox.py" delete /$name; done
echo file | "$TOOLS/dropbox.py" upload /folder
wait_until 60 eval 'dbxfs status "$MNT" | grep "almost full"'
test -e "$MNT/edited"
echo more >> "$MNT/edited"
mv "$MNT/moved" "$MNT/moved away"
echo mine > "$MNT/folder/mine"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /edited | tr '\n' ' ')" = 'edited more '
test "$("$TOOLS/dropbox.py" get '/moved away')" = moved
test "$("$TOOLS/dropbox.py" get /folder)" = file
grep -x mine "$MNT"/folder*/mine
rm "$WORK/small/filler"
dbxfs unmount "$MNT"

# A cache larger than the disk leaves space for the changes of others.
export DBXFS_CACHE_DIR="$WORK/small/cache"
for number in $(seq 30); do
    head -c 4000000 /dev/urandom > "$WORK/large $number"
    "$TOOLS/dropbox.py" upload "/large $number" < "$WORK/large $number"
done
dbxfs mount "$MNT" -o cache_size=1G
wait_until 60 test -e "$MNT/large 30"
for number in $(seq 30); do cmp "$WORK/large $number" "$MNT/large $number"; done
test "$(free_bytes)" -gt 4000000
echo new | "$TOOLS/dropbox.py" upload /new
wait_until 60 test -e "$MNT/new"
# So it does when another program takes the space.
leave_free 1000000
echo newer | "$TOOLS/dropbox.py" upload /newer
wait_until 60 test -e "$MNT/newer"
dbxfs status "$MNT" | grep "almost full" && exit 1
cmp "$WORK/large 30" "$MNT/large 30"
dbxfs unmount "$MNT"
