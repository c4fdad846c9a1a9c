# dbxfs revisions and dbxfs restore: what Dropbox keeps of a file, and the mount after going back to it.
# limit: 120
# options: write_delay=0
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
# The field of the revision with that number, 1 for the newest.
field() {
    dbxfs revisions "$1" --json | python3 -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
print(lines[int(sys.argv[1]) - 1][sys.argv[2]])' "$2" "$3"
}

mkdir "$MNT/folder"
for text in one two three; do
    printf '%s' "$text" > "$MNT/folder/file"
    dbxfs sync "$MNT" --timeout 60
done
dbxfs revisions "$MNT/folder/file" | tee "$WORK/out"
test "$(wc -l < "$WORK/out")" = 3
head -n 1 "$WORK/out" | grep -q '5 B  (current)$'
test "$(dbxfs revisions "$MNT/folder/file" --limit 2 | wc -l)" = 2
test "$(field "$MNT/folder/file" 1 is_current)" = True
test "$(field "$MNT/folder/file" 3 bytes)" = 3

# Back to the first one: shown at once, an open file keeps what it opened, and nothing is lost.
inode=$(stat -c %i "$MNT/folder/file")
first=$(field "$MNT/folder/file" 3 rev)
dbxfs restore "$MNT/folder/file" --rev "$first" | grep -q "$MNT/folder/file: "
test "$(cat "$MNT/folder/file")" = one
test "$(stat -c %i "$MNT/folder/file")" = "$inode"
test "$($other get /folder/file)" = one
test "$(dbxfs revisions "$MNT/folder/file" | wc -l)" = 4
exec 3< "$MNT/folder/file"
dbxfs restore "$MNT/folder/file" --rev "$(field "$MNT/folder/file" 2 rev)"
test "$(cat "$MNT/folder/file")" = three
test "$(cat <&3)" = one
exec 3<&-

# Deleted files, by whomever, with their folders; the path need not exist.
rm -r "$MNT/folder"
dbxfs sync "$MNT" --timeout 60
dbxfs revisions "$MNT/folder/file" | head -n 1 | grep -q '^deleted 20'
test "$(field "$MNT/folder/file" 1 is_deleted)" = True
dbxfs restore "$MNT/folder/file"
test "$(cat "$MNT/folder/file")" = three

# Refused calls.
fails 2 'is not deleted' dbxfs restore "$MNT/folder/file"
fails 2 'no such revision' dbxfs restore "$MNT/folder/file" --rev 0123456789abcdef
fails 2 'it is a folder' dbxfs revisions "$MNT/folder"
fails 2 'knows no file of that name' dbxfs revisions "$MNT/never"
fails 2 'nothing is mounted' dbxfs revisions "$WORK/file"
fails 1 '--limit takes' dbxfs revisions "$MNT/folder/file" --limit 0
dbxfs set "$MNT" write_delay=1h
printf mine > "$MNT/folder/file"
fails 2 'changes that are not on Dropbox yet' dbxfs restore "$MNT/folder/file" --rev "$first"
dbxfs set "$MNT" write_delay=0
dbxfs sync "$MNT" --timeout 60
test "$($other get /folder/file)" = mine

# Folders: as they were, after a deletion here and changes by others, and again with nothing to do.
# Files of folders that are not here show when Dropbox tells of these.
is_back() { test "$(cat "$MNT/Tree/changed" "$MNT/Tree/Sub/File6" "$MNT/Tree/made" | tr '\n' ' ')" = 'old 6 made '; }
mkdir -p "$MNT/Tree/Sub"
for number in 1 2 3 4 5 6; do echo $number > "$MNT/Tree/Sub/File$number"; done
echo old > "$MNT/Tree/changed"
dbxfs sync "$MNT" --timeout 60
# The server keeps whole seconds.
moment=$(date -u +%Y-%m-%dT%H:%M:%SZ -d '2 seconds')
wait_until 10 eval 'test "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \> "$moment"'
rm -r "$MNT/Tree/Sub"
echo new > "$MNT/Tree/changed"
echo made > "$MNT/Tree/made"
dbxfs sync "$MNT" --timeout 60
dbxfs ls-remote --deleted --recursive :/Tree > "$WORK/out"
test "$(grep -c 'Sub/File' "$WORK/out")" = 6
dbxfs ls-remote --deleted --json :/Tree | grep -q '"path":"/Tree/Sub".*"type":"deleted"'
dbxfs restore --recursive --before "$moment" "$MNT/Tree" | grep -q '7 files restored'
wait_until 30 is_back
rm -r "$MNT/Tree"
dbxfs sync "$MNT" --timeout 60
dbxfs restore --recursive "$MNT/Tree" | grep -q '8 files restored'
wait_until 30 is_back
dbxfs restore --recursive "$MNT/Tree" | grep -q 'nothing to restore$'
fails 2 'knows no' dbxfs restore --recursive "$MNT/never"
fails 1 '--before takes' dbxfs restore --recursive --before yesterday "$MNT/Tree"
