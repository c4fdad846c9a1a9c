# Each name that POSIX allows works, also those that Dropbox takes for one or refuses; and trees that have them are copied whole.
# mounts: itself
# limit: 400
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
remote() { dbxfs ls-remote --recursive --json "$1" | python3 -c '
import json, sys
print("\n".join(sorted(json.loads(line)["path"].replace("\n", "\\n") for line in sys.stdin)))'; }

# A real tree, of which some names differ in case only.
test -n "$(find /usr/include/linux | tr '[:upper:]' '[:lower:]' | sort | uniq -d)"
dbxfs mount "$MNT"
cp -a /usr/include/linux "$MNT"
diff -r /usr/include/linux "$MNT/linux"

# And one that has them all: bytes that no text has, folders of them, and one name in four spellings.
tree="$WORK/tree"
mkdir "$tree"
cp -a /usr/include/linux/netfilter_ipv4 "$tree/"
python3 - "$tree" << 'PYTHON'
import os, sys
os.chdir(os.fsencode(sys.argv[1]))
for name in ["readme", "README", "ReadMe", "rEADME", "\u00e9t\u00e9", "e\u0301te\u0301", "back\\slash", "del\x7f", "end ", "end",
             "end  ", " ", "new\nline", "back_slash", "readme (Case Conflict)", "\u0958" * 85, "x" * 255, "X" * 255]:
    with open(name, "w") as file:
        file.write(name)
for name in [b"caf\xe9", b"\xff\xfe", "caf\u00e9".encode(), b"\xff" * 255]:
    os.mkdir(name)
    with open(name + b"/\x80 inside\\", "wb") as file:
        file.write(name)
PYTHON
count=$(find "$tree" -printf 'x\n' | wc -l)

cp -a "$tree" "$MNT/copied"
diff -r "$tree" "$MNT/copied"
mkdir "$MNT/untarred"
tar -C "$tree" -cf - . | tar -C "$MNT/untarred" -xpf -
diff -r "$tree" "$MNT/untarred"
rsync -a "$tree/" "$MNT/synced/"
test -z "$(rsync -ain --checksum "$tree/" "$MNT/synced/")"
diff -r "$tree" "$MNT/synced"
dbxfs sync "$MNT" --timeout 200

# Dropbox has each of them under a name near to it, one for each.
remote :/copied > "$WORK/copied"
cat "$WORK/copied"
test "$(grep -c '^/copied/' "$WORK/copied")" = $((count - 1))
grep -qixF '/copied/readme (Case Conflict 2)' "$WORK/copied"
for name in 'back_slash (Name Conflict)' 'del_' 'end (Whitespace Conflict)' \
    'end (Whitespace Conflict 2)' 'été (Unicode Encoding Conflict)' 'café' 'ÿþ'; do
    grep -qxF "/copied/$name" "$WORK/copied"
done
test "$(sort "$WORK/copied" | tr '[:upper:]' '[:lower:]' | uniq -d)" = ''
# Of the four spellings, the first one that was copied has its own name there.
plain=0
for name in readme README ReadMe rEADME; do
    alias=$(getfattr -n user.dropbox.path --only-values "$MNT/copied/$name")
    test "$($other get "$alias")" = "$name"
    if [ "$alias" = "/copied/$name" ]; then plain=$((plain + 1)); fi
done
test $plain = 1
# Not one of them is a conflicted copy, but the one whose name says so.
dbxfs conflicts --json "$MNT" | grep -v 'readme (Case Conflict)"' && exit 1

# A create that says EEXIST is about a file that opens.
python3 - "$MNT/copied" << 'PYTHON'
import os, sys
os.chdir(os.fsencode(sys.argv[1]))
for name in os.listdir(b"."):
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        os.stat(name)
    else:
        raise AssertionError(name)
PYTHON

# The names survive the process, and a rename of the folder above them.
mv "$MNT/copied" "$MNT/moved"
dbxfs unmount "$MNT"
dbxfs mount "$MNT"
diff -r "$tree" "$MNT/moved"
kill -9 "$(lock_owner)"
wait_until 60 not test -e "$MNT/moved"
fusermount3 -u -z "$MNT" || true
dbxfs mount "$MNT"
diff -r "$tree" "$MNT/moved"

# Another mount, with a state of its own, sees the same names. Changes arrive on both sides, and no name is taken away.
second="$WORK/second"
mkdir "$second" "$WORK/state2" "$WORK/cache2"
on_second() { DBXFS_STATE_DIR="$WORK/state2" DBXFS_CACHE_DIR="$WORK/cache2" dbxfs "$@"; }
on_second mount "$second"
diff -r "$tree" "$second/moved"
diff -r /usr/include/linux "$second/linux"
echo edited > "$second/moved/README"
on_second sync "$second" --timeout 60
wait_until 60 contains "$MNT/moved/README" edited
test "$(cat "$MNT/moved/readme")" = readme
echo edited here > "$MNT/moved/README"
dbxfs sync "$MNT" --timeout 60
wait_until 60 contains "$second/moved/README" 'edited here'
# A name that is given there is seen here, too; and so is one that users take back.
mv "$second/moved/ReadMe" "$second/moved/rEaDmE"
mv "$second/moved/back\\slash" "$second/moved/slashed"
on_second sync "$second" --timeout 60
wait_until 60 contains "$MNT/moved/rEaDmE" ReadMe
wait_until 60 contains "$MNT/moved/slashed" 'back\slash'
fails 1 'No such file' stat "$MNT/moved/ReadMe"
mv "$MNT/moved/slashed" "$MNT/moved/back\\slash"
mv "$MNT/moved/rEaDmE" "$MNT/moved/ReadMe"
dbxfs sync "$MNT" --timeout 60
wait_until 60 contains "$second/moved/back\\slash" 'back\slash'
# Others take an alias before it is sent: the one made here keeps its name.
dbxfs unmount "$MNT"
dbxfs mount "$MNT" -o write_delay=1h
mkdir "$MNT/race"
echo lower > "$MNT/race/name"
echo upper > "$MNT/race/NAME"
$other mkdir /race
echo theirs | $other upload '/race/NAME (Case Conflict)'
wait_until 60 contains "$MNT/race/NAME (Case Conflict)" theirs
contains "$MNT/race/NAME" upper
contains "$MNT/race/name" lower
dbxfs sync "$MNT" --timeout 60
test "$($other get '/race/NAME (Case Conflict 2)')" = upper
wait_until 60 contains "$second/race/NAME" upper
contains "$second/race/name" lower
# The sibling is gone: the other name goes back to normal.
dbxfs set "$MNT" write_delay=0
rm "$MNT/race/name"
dbxfs sync "$MNT" --timeout 60
wait_until 60 contains "$second/race/NAME" upper
test "$($other get /race/NAME)" = upper
contains "$MNT/race/NAME" upper
# What one machine deletes while the other one gives a name back stays deleted.
for folder in $(seq 8); do
    mkdir -p "$MNT/gone/$folder/sub"
    for name in name NAME Name; do echo $name > "$MNT/gone/$folder/sub/$name"; done
done
dbxfs sync "$MNT" --timeout 60
wait_until 60 contains "$second/gone/8/sub/Name" Name
find "$second/gone"
admin POST /settings '{"latency_ms": 100}'
for folder in $(seq 8); do
    rm "$MNT/gone/$folder/sub/name"
    # The delta of the first deletion meets the second one at each point of its way.
    sleep "0.$((folder * 4 % 10))"
    rm -r "$MNT/gone/$folder"
    # So does that of the second one meet the next folder's.
    sleep "0.$((folder * 7 % 10))"
done
dbxfs sync "$MNT" --timeout 60
on_second sync "$second" --timeout 60
# What would come back comes with a delta.
sleep 1
rmdir "$MNT/gone"
admin POST /settings '{"latency_ms": 0}'
on_second unmount "$second"

# With names=strict, all that is there stays, and what Dropbox cannot have is refused.
dbxfs unmount "$MNT"
dbxfs mount "$MNT" -o names=strict
diff -r "$MNT/moved" "$MNT/synced" > "$WORK/differences" || true
test "$(cat "$MNT/moved/README")" = 'edited here'
grep -v '^Files .*/README differ$' "$WORK/differences" | grep -v '^diff' | grep '^Only' && exit 1
fails 1 'File exists' mkdir "$MNT/Race"
fails 1 'Invalid argument' mkdir "$MNT/c:\\temp"
fails 1 'Invalid or incomplete' mkdir "$MNT/$(printf 'caf\351')"
rm -r "$MNT/moved" "$MNT/untarred"
dbxfs sync "$MNT" --timeout 100
test "$(remote :/ | grep -c '^/moved')" = 0
dbxfs unmount "$MNT"
