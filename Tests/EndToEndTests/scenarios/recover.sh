# Content that nothing vouches for after a damage is put aside, said, and brought back by `dbxfs recover`.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
first="$DBXFS_STATE_DIR/default"
second="$DBXFS_STATE_DIR/second"
mnt2="$WORK/second"
mkdir "$mnt2"
# listed ACCOUNT FIELD=VALUE FIELD: a field of the piece with that value.
listed() {
    dbxfs recover --json "$1" | python3 -c '
import json, sys
key, value = sys.argv[1].split("=")
found = [p for p in map(json.loads, sys.stdin) if str(p[key]) == value]
assert len(found) == 1, found
print(found[0][sys.argv[2]])' "$2" "$3"
}
# killed MOUNTPOINT: its process is gone.
killed() {
    process=$(status_field pid "$1")
    kill -9 "$process"
    wait_until 30 has_ended "$process"
}

# Changes that are held back: an edit of a file that the server has, and new files.
dbxfs mount "$MNT" -o write_delay=1h
dbxfs mount second "$mnt2" -o write_delay=1h
head -c 9000000 /dev/urandom > "$WORK/base"
cp "$WORK/base" "$MNT/edited"
mkdir "$MNT/folder"
dbxfs sync "$MNT"
fails 0 'nothing was put aside' dbxfs recover
test "$(status_field lost "$MNT")" = 0
printf changed | dd of="$MNT/edited" bs=1 seek=5000000 conv=notrunc 2> /dev/null
head -c 600000 /dev/urandom > "$WORK/data"
cp "$WORK/data" "$MNT/folder/cut short"
cp "$WORK/data" "$mnt2/unknown"
killed "$MNT"
killed "$mnt2"

# The disk has lost the end of a new file, and some of an edit; and the other account's database.
for file in "$first"/staging/*; do
    if [ "$(stat -c %s "$file")" = 600000 ]; then truncate -s 250000 "$file"; else truncate -s 5000007 "$file"; fi
done
rm "$second/tree.sqlite" "$second/tree.sqlite-wal" "$second/tree.sqlite-shm"
dbxfs mount "$MNT" 2> /dev/null
dbxfs mount second "$mnt2" 2> /dev/null

# The server's version is shown and stays; no lost content is sent.
cmp "$WORK/base" "$MNT/edited"
test ! -e "$MNT/folder/cut short"
test ! -e "$mnt2/unknown"
dbxfs sync "$MNT" --timeout 60
python3 "$TOOLS/compare.py" "$MNT"

# The status, its metrics and the doctor say so.
test "$(status_field lost "$MNT")" = 2
test "$(status_field lost "$mnt2")" = 2
dbxfs status "$MNT" | tee "$WORK/said"
grep -q 'problem .*2 pieces of content were put aside.*/folder/cut short.*dbxfs recover' "$WORK/said"
dbxfs status --metrics "$MNT" | grep -q '^dbxfs_lost{.*} 2$'
fails 2 'pieces of content were put aside' dbxfs doctor --account default
fails 2 "lost $second: 2 pieces" dbxfs doctor --account second

# All of it is listed, and that of an account, and of a mount.
dbxfs recover 2> "$WORK/advice" | tee "$WORK/list"
grep -q 'path       /edited' "$WORK/list"
grep -q 'path       /folder/cut short' "$WORK/list"
grep -q 'shorter than the content was' "$WORK/list"
grep -q 'database of this account was missing' "$WORK/list"
grep -q 'dbxfs recover NAME --to PATH' "$WORK/advice"
test "$(dbxfs recover --json | wc -l)" = 4
test "$(dbxfs recover --json second | wc -l)" = 2
test "$(dbxfs recover --json "$mnt2/" | wc -l)" = 2
fails 2 "'nowhere' is no account" dbxfs recover nowhere
if [ "$(id -u)" = 0 ]; then test "$(dbxfs recover --system --json | wc -l)" = 4; fi

# A whole file comes back, anywhere, and on a mount; nothing is overwritten.
unknown=$(listed second reason=unknown name)
dbxfs recover "$unknown" --to "$WORK/back" | grep -qF "$unknown -> $WORK/back"
cmp "$WORK/data" "$WORK/back"
test "$(stat -c %a "$WORK/back")" = 600
fails 2 'nothing is overwritten' dbxfs recover "$unknown" --to "$WORK/back"
fails 2 'No such file or directory' dbxfs recover "$unknown" --to "$WORK/nowhere/back"
(cd "$MNT/folder" && dbxfs recover "$unknown" --to 'back here')
cmp "$WORK/data" "$MNT/folder/back here"
fails 2 'nothing is overwritten' dbxfs recover "$unknown" --to "$MNT/folder/back here"
test "$(ls -A "$MNT/folder")" = 'back here'

# A part does not pretend to be whole.
short=$(listed default 'path=/folder/cut short' name)
fails 2 'bytes 250000-599999' dbxfs recover "$short" --to "$WORK/short"
test ! -e "$WORK/short"
dbxfs recover "$short" --to "$WORK/short" --partial | grep -q 'missing: bytes 250000-599999'
cmp -n 250000 "$WORK/data" "$WORK/short"
test "$(stat -c %s "$WORK/short")" = 600000
edited=$(listed default path=/edited name)
revision=$(listed default path=/edited revision)
dbxfs revisions "$MNT/edited" | grep -q "^$revision "
fails 2 "dbxfs restore --rev $revision" dbxfs recover "$edited" --to "$WORK/edited"
dbxfs recover "$edited" --to "$WORK/edited" --partial
test "$(dd if="$WORK/edited" bs=1 skip=5000000 count=7 2> /dev/null)" = changed
test "$(stat -c %s "$WORK/edited")" = 9000000

# A note has no content. Removed content is no longer named, by running mounts either.
note=$(listed second reason=database name)
fails 2 'there is only this note' dbxfs recover "$note" --to "$WORK/note"
dbxfs recover "$note" --remove
dbxfs recover "$edited" --remove
dbxfs recover "$short" --to "$WORK/short again" --partial --remove
cmp "$WORK/short" "$WORK/short again"
process=$(status_field pid "$mnt2")
dbxfs unmount "$mnt2"
# The account's files stay until they are removed, mounted or not.
dbxfs recover "$unknown" --remove | grep -q removed
fails 2 "'$unknown' is no account" dbxfs recover "$unknown" --remove
fails 0 'nothing was put aside' dbxfs recover
test -z "$(ls "$first/lost+found" "$second/lost+found" | grep -v :)"
test "$(status_field lost "$MNT")" = 0
dbxfs doctor --account default
fails 1 'need the name' dbxfs recover --remove
fails 1 '--partial needs --to' dbxfs recover "$unknown" --partial
dbxfs sync "$MNT" --timeout 60
python3 "$TOOLS/compare.py" "$MNT"
dbxfs unmount "$MNT"

# A database of a later version is left alone, and said to be one.
wait_until 60 has_ended "$process"
python3 -c '
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("INSERT INTO grdb_migrations (identifier) VALUES (?)", ["9999"])' "$second/tree.sqlite"
fails 32 'a newer version of dbxfs has written it' dbxfs mount second "$mnt2"
fails 2 'a newer version of dbxfs has written it' dbxfs doctor --account second
