# cp -a, mv over folders' borders, sed -i, and rm -r.
# limit: 180
. "$TOOLS/lib.sh"
mkdir -p "$WORK/source/sub/deep"
echo one > "$WORK/source/one"
echo two > "$WORK/source/sub/two"
head -c 3000000 /dev/urandom > "$WORK/source/sub/deep/large"
ln -s sub/two "$WORK/source/link"
chmod 640 "$WORK/source/one"
chmod 755 "$WORK/source/sub/two"
touch -d '2010-10-10 10:10:10' "$WORK/source/one" "$WORK/source/sub"

cp -a "$WORK/source" "$MNT/copied"
diff -r "$WORK/source" "$MNT/copied"
test "$(readlink "$MNT/copied/link")" = sub/two
test "$(stat -c '%a %Y' "$MNT/copied/one")" = "$(stat -c '%a %Y' "$WORK/source/one")"
test "$(stat -c %a "$MNT/copied/sub/two")" = 755
test "$(stat -c %Y "$MNT/copied/sub")" = "$(stat -c %Y "$WORK/source/sub")"

# A copy on the mount, of a file that is on the server already.
dbxfs sync "$MNT"
cp -a "$MNT/copied" "$MNT/again"
diff -r "$MNT/copied" "$MNT/again"

# A copy of a file that is still queued: its content is sent once, by whichever of the two.
content() { admin_stats 'sum(route["bytes_in"] for name, route in routes.items() if "upload" in name)'; }
head -c 20000000 /dev/urandom > "$WORK/queued"
before=$(content)
cp "$WORK/queued" "$MNT/queued"
cp "$MNT/queued" "$MNT/queued copy"
cmp "$WORK/queued" "$MNT/queued copy"
dbxfs sync "$MNT"
test $(($(content) - before)) -lt 25000000
cmp "$WORK/queued" "$MNT/queued copy"

# Many files are copied, and many renamed, in a few requests.
requests() {
    admin_stats 'sum(route["requests"] for name, route in routes.items()
        if name.startswith(("files/move", "files/copy")) and not "/check" in name)'
}
mkdir "$MNT/many"
for number in $(seq 60); do echo "$number" > "$MNT/many/$number"; done
dbxfs sync "$MNT"
before=$(requests)
cp -r "$MNT/many" "$MNT/many more"
dbxfs sync "$MNT"
test $(($(requests) - before)) -le 5
diff -r "$MNT/many" "$MNT/many more"
before=$(requests)
for file in "$MNT/many more"/*; do mv "$file" "$file.txt"; done
# Two of them change names.
mv "$MNT/many/1" "$MNT/many/t"
mv "$MNT/many/2" "$MNT/many/1"
mv "$MNT/many/t" "$MNT/many/2"
dbxfs sync "$MNT"
test $(($(requests) - before)) -le 8
test "$(ls "$MNT/many more" | grep -c '.txt$')" = 60
test "$(cat "$MNT/many more/7.txt" "$MNT/many/1" "$MNT/many/2")" = "7
2
1"

# A folder with many files is deleted in a few requests, too: two for each batch of files, of which a busy machine may
# make two, a cursor and a listing before the deletion, and the changes after it, which are not counted here.
deletions() {
    admin_stats 'sum(route["requests"] for name, route in routes.items()
        if name.startswith("files/") and not name.endswith(("/continue", "/longpoll")))'
}
mkdir "$MNT/unwanted"
for number in $(seq 500); do echo "$number" > "$MNT/unwanted/$number"; done
dbxfs sync "$MNT"
before=$(deletions)
rm -rf "$MNT/unwanted"
dbxfs sync "$MNT"
test $(($(deletions) - before)) -le 7

mkdir "$MNT/target"
inode=$(stat -c %i "$MNT/again/sub/deep/large")
mv "$MNT/again/sub/deep" "$MNT/target/moved"
test "$(stat -c %i "$MNT/target/moved/large")" = "$inode"
cmp "$WORK/source/sub/deep/large" "$MNT/target/moved/large"
test ! -e "$MNT/again/sub/deep"
mv "$MNT/again/one" "$MNT/target/one"
mv "$MNT/target/one" "$MNT/target/moved/large"
test "$(cat "$MNT/target/moved/large")" = one

# From and to another filesystem.
mv "$MNT/again" "$WORK/taken out"
test ! -e "$MNT/again"
mv "$WORK/taken out" "$MNT/brought back"
test "$(cat "$MNT/brought back/sub/two")" = two

sed -i 's/two/TWO/' "$MNT/copied/sub/two"
test "$(cat "$MNT/copied/sub/two")" = TWO
test "$(stat -c %a "$MNT/copied/sub/two")" = 755

# Only the case of a name, which Dropbox has no operation for.
mv "$MNT/copied/one" "$MNT/copied/ONE"
test "$(ls "$MNT/copied" | grep -i '^one$')" = ONE
dbxfs sync "$MNT"
test "$(ls "$MNT/copied" | grep -i '^one$')" = ONE

rm -r "$MNT/brought back"
if rmdir "$MNT/target" 2> /dev/null; then exit 1; fi
test -d "$MNT/target"
