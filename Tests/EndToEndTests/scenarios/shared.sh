# dbxfs shared, join and leave: shared folders come onto a mount and leave it, without a remount.
# limit: 120
# options: write_delay=0
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
# offered NAME ID [FIELDS]: a folder that another account shares, with one file, and that is not in this account.
offered() {
    echo "of $1" | $other upload "/$1/file"
    admin POST /share "{\"path\": \"/$1\", \"namespace_id\": \"$2\", \"mounted\": false${3:-}}" > /dev/null
}
# field ID NAME: of a folder in the list.
field() {
    dbxfs shared --json | python3 -c 'import json, sys
print(next(folder for folder in map(json.loads, sys.stdin) if folder["id"] == sys.argv[1])[sys.argv[2]])' "$@"
}

dbxfs shared 2>&1 | grep -qx 'no shared folders'
offered Team 9001 ', "owner": "Ada"'
offered Photos 9002 ', "owner": "Bo", "read_only": true'
offered Photos 9003 ', "owner": "Cy"'
# Another account may give any name.
echo hostile | $other upload "$(printf '/esc\033[31m/file')"
admin POST /share '{"path": "/esc\u001b[31m", "namespace_id": "9004", "mounted": false, "owner": "\u001b[2J"}' > /dev/null
dbxfs shared | tee "$WORK/out"
grep -qx 'Team' "$WORK/out"
grep -qx '  joined     no: `dbxfs join 9001` does' "$WORK/out"
grep -qxF 'esc\u{1b}[31m' "$WORK/out"
test "$(grep -c "$(printf '\033')" "$WORK/out")" = 0
test "$(field 9001 owners) $(field 9001 access) $(field 9001 joined)" = "['Ada'] editor False"
test "$(field 9002 access)" = viewer
test ! -e "$MNT/Team"

# It appears on the mount, also if the answer was lost, and a second time changes nothing.
admin POST /faults '{"route": "sharing/mount_folder", "kind": "reset_after", "count": 1}' > /dev/null
dbxfs join team | grep -qx 'Team: joined as /Team'
wait_until 60 contains "$MNT/Team/file" 'of Team'
ls "$MNT" | grep -qx Team
dbxfs join Team | grep -qx 'Team: was joined before, as /Team'
test "$(field 9001 path)" = /Team
echo mine > "$MNT/Team/mine"
dbxfs sync "$MNT" --timeout 60
test "$($other get /Team/mine)" = mine

# A name that several folders have is no choice; an id is. A name that is taken on Dropbox gets a number.
fails 2 '9002 (Bo, can view); 9003 (Cy, can edit)' dbxfs join Photos
fails 2 "no shared folder 'nothing'" dbxfs join nothing
mkdir "$MNT/photos"
dbxfs sync "$MNT" --timeout 60
dbxfs join 9003 --account default | grep -qx 'Photos: joined as /Photos (1)'
wait_until 60 contains "$MNT/Photos (1)/file" 'of Photos'

# Only a shared folder itself can be left, and only without changes that Dropbox does not have.
mkdir "$MNT/Team/inner"
dbxfs sync "$MNT" --timeout 60
fails 2 'is no shared folder' dbxfs leave "$MNT/Team/inner"
fails 2 'is no shared folder' dbxfs leave "$MNT"
fails 2 'there is no' dbxfs leave "$MNT/nothing"
dbxfs set "$MNT" write_delay=1h
echo unsent > "$MNT/Team/inner/unsent"
fails 2 'not on Dropbox yet' dbxfs leave "$MNT/Team"
dbxfs set "$MNT" write_delay=0
dbxfs sync "$MNT" --timeout 60

admin POST /faults '{"route": "sharing/unmount_folder", "kind": "reset_after", "count": 1}' > /dev/null
dbxfs leave "$MNT/Team" | grep -q ': left; `dbxfs join 9001` brings it back$'
wait_until 60 test ! -e "$MNT/Team"
fails 2 'there is no' dbxfs leave "$MNT/Team"
test "$(field 9001 joined)" = False
# Without a mount's help; its queue is read all the same.
dbxfs set "$MNT" write_delay=1h
echo unsent > "$MNT/Photos (1)/unsent"
fails 2 'not on Dropbox yet' dbxfs leave ':/photos (1)'
dbxfs set "$MNT" write_delay=0
dbxfs sync "$MNT" --timeout 60
dbxfs leave ':/Photos (1)'
wait_until 60 test ! -e "$MNT/Photos (1)"
fails 2 'on Dropbox' dbxfs leave ':/Photos (1)'
fails 2 'is no shared folder' dbxfs leave default:/photos
fails 2 'is no shared folder' dbxfs leave default:/
# It comes back as it was.
dbxfs join 9001
wait_until 60 contains "$MNT/Team/inner/unsent" unsent
test "$(cat "$MNT/Team/mine")" = mine

# An editor learns before it opens a file that it may only be viewed.
dbxfs join 9002
viewed="$MNT/Photos (1)"
wait_until 60 contains "$viewed/file" 'of Photos'
test -r "$viewed/file"
test ! -w "$viewed/file"
test ! -w "$viewed"
test -w "$MNT/Team/file"
fails 2 'Permission denied' sh -c 'exec 3>> "$1"' sh "$viewed/file"
dbxfs leave ':/Photos (1)'
wait_until 60 test ! -e "$viewed"

# A login that may not.
admin POST /tokens '{"token": "narrow", "scopes": ["account_info.read", "files.metadata.read", "sharing.read"]}' > /dev/null
fails 2 'lacks the scope sharing.write; the app needs sharing.read and sharing.write' \
    env DBXFS_ACCESS_TOKEN=narrow dbxfs join 9002
fails 2 'dbxfs login --account other`' \
    env DBXFS_ACCESS_TOKEN=narrow dbxfs join --account other 9002
fails 2 'does not accept the access token' env DBXFS_ACCESS_TOKEN=wrong dbxfs shared
fails 2 'no login for the account' env DBXFS_ACCESS_TOKEN= dbxfs shared --account other
fails 2 'cannot be reached' env DBXFS_ENDPOINT=http://127.0.0.1:1 dbxfs shared
if [ "$(id -u)" = 0 ]; then
    dbxfs shared --system | grep -qx 'Team'
    dbxfs join --system 9002 | grep -qx 'Photos: joined as /Photos (1)'
    dbxfs leave --system ':/Photos (1)'
fi
echo end | $other upload /end
wait_until 60 contains "$MNT/end" end
