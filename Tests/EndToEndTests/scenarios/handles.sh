# Handles of files as servers of NFS give them to their clients: valid in later mounts, and stale after a deletion.
# mounts: itself
# limit: 60
. "$TOOLS/lib.sh"
if [ "$(id -u)" != 0 ]; then
    echo '*** skipped: not root, who alone opens files by handles.'
    exit 0
fi
dbxfs mount "$MNT"
mkdir -p "$MNT/folder/inner" "$MNT/other"
echo text > "$MNT/folder/inner/file"
echo gone > "$MNT/folder/gone"
"$TOOLS/handles.py" take "$MNT/folder/inner/file" "$MNT/folder/inner" "$MNT" "$MNT/folder/gone" > "$WORK/handles"
opened() { "$TOOLS/handles.py" open "$MNT" $(sed -n "$1p" "$WORK/handles"); }
test "$(opened 1)" = text
# A mount's kernel knows no inode but the root at its beginning.
remount() {
    dbxfs unmount "$MNT"
    dbxfs mount "$MNT"
}
remount
test "$(opened 1)" = text
remount
# The kernel connects a folder with the root by "..", and by names that it looks for in listings.
test "$(opened 2)" = file
test "$(opened 3)" = 'folder other'
# A rename, here or elsewhere, changes no handle.
mv "$MNT/folder/inner" "$MNT/other/moved"
dbxfs sync "$MNT" --timeout 30
"$TOOLS/dropbox.py" move /other/moved/file /other/moved/renamed
wait_until 30 contains "$MNT/other/moved/renamed" text
remount
test "$(opened 1)" = text
test "$(opened 2)" = renamed
rm "$MNT/folder/gone"
remount
status=0
opened 4 2> "$WORK/message" || status=$?
test $status = 3
dbxfs unmount "$MNT"
