# The state folder is on a filesystem without holes: none is made, nothing is filled with zeros instead, all else works.
# mounts: itself
# needs: root
mkdir "$WORK/plain"
mount -t ramfs ramfs "$WORK/plain"
trap 'dbxfs unmount "$MNT" --lazy --timeout 0 || true; umount -l "$WORK/plain"' EXIT
export DBXFS_STATE_DIR="$WORK/plain/state"
dbxfs mount "$MNT" -o write_delay=1h

head -c 3000000 /dev/urandom > "$WORK/content"
cp "$WORK/content" "$MNT/file"
for option in --punch-hole --zero-range; do
    if fallocate $option -o 4096 -l 1048576 "$MNT/file" 2> "$WORK/message"; then exit 1; fi
    grep -qiE 'not supported|unsupported' "$WORK/message"
    cmp "$MNT/file" "$WORK/content"
done
truncate -s 1T "$MNT/sparse"
if fallocate --punch-hole -o 0 -l 1T "$MNT/sparse" 2> "$WORK/message"; then exit 1; fi
test "$(du -s --block-size=1 "$WORK/plain" | cut -f 1)" -lt 50000000
rm "$MNT/sparse"

fallocate -l 4000000 "$MNT/file"
test "$(stat -c %s "$MNT/file")" = 4000000
cmp -n 3000000 "$MNT/file" "$WORK/content"
truncate -s 3000000 "$MNT/file"
dbxfs sync "$MNT" --timeout 60
"$TOOLS/dropbox.py" get /file | cmp - "$WORK/content"
