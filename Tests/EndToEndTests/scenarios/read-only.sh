# A mount that nothing can change.
# options: ro
echo 'from elsewhere' | "$TOOLS/dropbox.py" upload /file
tries=0
until [ "$(cat "$MNT/file" 2> /dev/null)" = 'from elsewhere' ]; do
    tries=$((tries + 1))
    test $tries -lt 200
    sleep 0.1
done
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
