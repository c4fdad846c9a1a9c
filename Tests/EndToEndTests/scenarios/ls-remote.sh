# dbxfs ls-remote: what Dropbox has, with and without a mount.
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
test -z "$(dbxfs ls-remote)"
$other mkdir /Folder
$other mkdir /Folder/Deep
printf 12345 | $other upload /Folder/Deep/File.txt
: | $other upload /Folder/empty
dbxfs ls-remote | tee "$WORK/out"
test "$(wc -l < "$WORK/out")" = 1
grep -q '  Folder/$' "$WORK/out"
dbxfs ls-remote :/folder --recursive | tee "$WORK/out"
test "$(wc -l < "$WORK/out")" = 3
grep -q '  Deep/$' "$WORK/out"
grep -q ' 5 B  20.*  Deep/File.txt$' "$WORK/out"
dbxfs ls-remote default:/Folder/Deep/File.txt | grep -q 'File.txt$'
fails_in_one_line 1 'for a folder on Dropbox :/Folder' dbxfs ls-remote /Folder
dbxfs ls-remote --json --recursive | python3 -c '
import json, sys
entries = {entry["path"]: entry for entry in map(json.loads, sys.stdin)}
assert set(entries) == {"/Folder", "/Folder/Deep", "/Folder/Deep/File.txt", "/Folder/empty"}, entries
assert entries["/Folder"]["type"] == "folder" and entries["/Folder"]["rev"] is None
file = entries["/Folder/Deep/File.txt"]
assert file["type"] == "file" and file["bytes"] == 5 and len(file["content_hash"]) == 64, file'

# Dropbox's own search; the emulator's reads names. Dropbox promises the spelling of a path's last name only.
dbxfs search file | tee "$WORK/out"
test "$(wc -l < "$WORK/out")" = 1
grep -q ' 5 B  20.*  [Ff]older/[Dd]eep/File.txt$' "$WORK/out"
test "$(dbxfs search e :/Folder --json --limit 2 | wc -l)" = 2
test "$(dbxfs search e -n 1 | wc -l)" = 1
dbxfs search --json --names deep | python3 -c '
import json, sys
(entry,) = map(json.loads, sys.stdin)
assert entry["path"] in ("/Folder/Deep", "/folder/Deep") and entry["type"] == "folder", entry'
dbxfs search nothing-of-this-name 2>&1 | grep -qx 'nothing was found'
fails 1 'cannot be read' dbxfs search x 'a b'
fails 1 'a number above 0' dbxfs search x --limit 0
fails 2 'does not accept the access token' env DBXFS_ACCESS_TOKEN=wrong dbxfs search x

# More than one page of the server.
dbxfs mount "$MNT" -o write_delay=0
mkdir "$MNT/many"
for number in $(seq 2100); do : > "$MNT/many/$number"; done
dbxfs sync "$MNT" --timeout 60
test "$(dbxfs ls-remote :/many | wc -l)" = 2100
test "$(dbxfs ls-remote "$MNT/many" | wc -l)" = 2100
# A folder on a mount names a folder of the account; pages follow one another.
test "$(dbxfs search 1 "$MNT/many" --limit 5000 | wc -l)" = "$(ls "$MNT/many" | grep -c 1)"
# So does one with another name there.
mkdir "$MNT/Many"
: > "$MNT/Many/first"
dbxfs sync "$MNT" --timeout 60
test "$(dbxfs search first "$MNT/Many" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["path"].lower())')" = '/many (case conflict)/first'
# It asks Dropbox, not the mount.
dbxfs set "$MNT" write_delay=1h
printf x > "$MNT/unsent"
fails 2 "no '/unsent' on Dropbox" dbxfs ls-remote :/unsent
dbxfs unmount "$MNT"
dbxfs ls-remote :/unsent

fails 2 "no '/nothing' on Dropbox" dbxfs ls-remote :/nothing
fails 1 'cannot be read' dbxfs ls-remote 'a b'
fails 2 'does not accept the access token' env DBXFS_ACCESS_TOKEN=wrong dbxfs ls-remote
fails 2 'no login for the account' env DBXFS_ACCESS_TOKEN= dbxfs ls-remote other:/
fails 2 'cannot be reached' env DBXFS_ENDPOINT=http://127.0.0.1:1 dbxfs ls-remote
if [ "$(id -u)" = 0 ]; then
    test "$(dbxfs ls-remote --system :/many | wc -l)" = 2100
    test "$(dbxfs search --system 2100 | wc -l)" = 1
fi

# A server whose pages are never the last one is given up.
start_hostile_server strings 0 1
trap 'kill $hostile_server' EXIT
fails 2 'goes on for ever' env DBXFS_ENDPOINT="$(cat "$WORK/address")" timeout 60 dbxfs ls-remote --recursive :/many
test "$(wc -l < "$COUNTS")" -lt 120
