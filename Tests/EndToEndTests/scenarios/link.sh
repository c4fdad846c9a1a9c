# dbxfs link: one address for each file and folder.
# limit: 60
# options: write_delay=0
. "$TOOLS/lib.sh"
mkdir "$MNT/folder"
echo content > "$MNT/folder/a file"
dbxfs sync "$MNT" --timeout 60
first=$(dbxfs link "$MNT/folder/a file")
echo "$first" | grep -q '^https://.*/a%20file'
test "$(dbxfs link "$MNT/folder/a file")" = "$first"
dbxfs link "$MNT/folder" --json | python3 -c '
import json, sys
link = json.load(sys.stdin)
assert link["url"].startswith("https://") and link["is_new"] and link["path"].endswith("/folder"), link'
dbxfs link "$MNT/folder" --json | grep -q '"is_new":false'
# It follows the file.
mv "$MNT/folder/a file" "$MNT/moved"
dbxfs sync "$MNT" --timeout 60
test "$(dbxfs link "$MNT/moved" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["is_new"])')" = False

echo me > "$MNT/.~lock.x#"
fails 2 'is the whole account' dbxfs link "$MNT"
fails 2 'stays on this machine' dbxfs link "$MNT/.~lock.x#"
dbxfs set "$MNT" write_delay=1h
echo new > "$MNT/new"
fails 2 'not on Dropbox yet' dbxfs link "$MNT/new"
fails 2 'there is no' dbxfs link "$MNT/nothing"
dbxfs set "$MNT" write_delay=0
