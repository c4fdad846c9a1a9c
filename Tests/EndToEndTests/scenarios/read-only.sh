# A mount that nothing can change.
# options: ro
. "$TOOLS/lib.sh"
echo 'from elsewhere' | "$TOOLS/dropbox.py" upload /file
wait_until 30 contains "$MNT/file" 'from elsewhere'
refused() {
    if "$@" 2> "$WORK/message"; then exit 1; fi
    grep -qi 'read-only file system' "$WORK/message"
}
refused sh -c 'echo x > "$MNT/file"'
refused sh -c 'echo x > "$MNT/new"'
refused rm -f "$MNT/file"
refused mkdir "$MNT/folder"
refused mv "$MNT/file" "$MNT/moved"
refused touch "$MNT/file"
test "$(cat "$MNT/file")" = 'from elsewhere'
