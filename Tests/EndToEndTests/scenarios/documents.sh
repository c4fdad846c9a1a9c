# Cloud documents: read on the mount as their exports, and written to files by dbxfs export.
# limit: 240
# options: write_delay=0,cloud_documents=export
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
exports() { admin_stats 'routes.get("files/export", {}).get("requests", 0)'; }
document() {
    $other upload "/Docs/$1"
    admin POST /mark "{\"path\": \"/Docs/$1\", \"export_as\": \"html\", \"export_options\": [\"markdown\"]}"
}
$other mkdir /Docs
echo first | document plan.paper
head -c 3000000 /dev/urandom > "$WORK/large"
document large.gdoc < "$WORK/large"
printf text | $other upload /Docs/plain
wait_until 60 contains "$MNT/Docs/plan.paper" "html
first"

# All programs get the same bytes, by any way of reading, and the size to go with them.
printf 'html\nfirst\n' > "$WORK/plan"
{ echo html; cat "$WORK/large"; } > "$WORK/large.html"
for name in plan large; do
    expected="$WORK/plan"
    file="$MNT/Docs/plan.paper"
    if [ $name = large ]; then expected="$WORK/large.html" file="$MNT/Docs/large.gdoc"; fi
    wait_until 60 cmp "$file" "$expected"
    cat "$file" | cmp - "$expected"
    test "$(stat -c %s "$file")" = "$(stat -c %s "$expected")"
    md5sum < "$file" > "$WORK/sums"
    md5sum < "$expected" | cmp - "$WORK/sums"
    tail -c 4 "$file" > "$WORK/tail"
    tail -c 4 "$expected" | cmp - "$WORK/tail"
    cp "$file" "$WORK/copied"
    cmp "$WORK/copied" "$expected"
    # Where the size has changed a moment ago, older kernels do not map.
    wait_until 30 python3 -c '
import mmap, os, sys
with open(sys.argv[1], "rb") as file:
    size = os.fstat(file.fileno()).st_size
    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert len(mapped) == size, (len(mapped), size)
    assert mapped[:] == open(sys.argv[2], "rb").read()' "$file" "$expected"
done
# Once per revision.
before=$(exports)
cat "$MNT/Docs/plan.paper" "$MNT/Docs/large.gdoc" > /dev/null
test "$(exports)" = "$before"
echo second | $other upload /Docs/plan.paper
wait_until 60 contains "$MNT/Docs/plan.paper" "html
second"
test "$(exports)" = $((before + 1))

# Nothing is written, and a document never gets the bytes of an export.
rev=$($other rev /Docs/plan.paper)
sh -c 'echo x >> "$1"' - "$MNT/Docs/plan.paper" 2> "$WORK/message" && exit 1
grep -q 'not supported' "$WORK/message"
truncate -s 0 "$MNT/Docs/plan.paper" 2> "$WORK/message" && exit 1
grep -q 'not supported' "$WORK/message"
cp "$MNT/Docs/plan.paper" "$MNT/Docs/saved"
mv "$MNT/Docs/saved" "$MNT/Docs/plan.paper" 2> "$WORK/message" && exit 1
grep -q 'not supported' "$WORK/message"
dbxfs sync "$MNT" --timeout 60
test "$($other rev /Docs/plan.paper)" = "$rev"
# A copy is an ordinary file with the export's bytes.
cp "$MNT/Docs/large.gdoc" "$MNT/Docs/copy"
dbxfs sync "$MNT" --timeout 60
$other get /Docs/copy | cmp - "$WORK/large.html"
test "$($other get /Docs/saved)" = "html
second"
# In the place of a deleted one, a file is new.
rm "$MNT/Docs/plan.paper"
echo mine > "$MNT/Docs/plan.paper"
dbxfs sync "$MNT" --timeout 60
test "$($other get /Docs/plan.paper)" = mine

# A failure is the open's error.
echo third | document other.paper
admin POST /faults '{"route": "files/export", "kind": "route_error", "error": {".tag": "retry_error"}}'
wait_until 60 eval 'cat "$MNT/Docs/other.paper" 2>&1 | grep -q busy'
fails 2 'does not have the export yet' dbxfs export "$MNT/Docs/other.paper" -o "$WORK/none"
test ! -e "$WORK/none"
admin DELETE /faults
# Indexers export nothing.
cp /bin/cat "$WORK/tumblerd"
before=$(exports)
fails 1 'Permission denied' "$WORK/tumblerd" "$MNT/Docs/other.paper"
test "$(exports)" = "$before"
contains "$MNT/Docs/other.paper" "html
third"

# dbxfs export: by a path on a mount, or of an account; under the document's name, in the working folder.
mkdir "$WORK/out"
cd "$WORK/out"
dbxfs export "$MNT/Docs/other.paper" | grep -q 'other.paper -> other.html: 11 B'
contains other.html "html
third"
fails 2 'it is there already' dbxfs export :/Docs/other.paper
dbxfs export :/docs/other.paper --as markdown
dbxfs export :/docs/other.paper --as md --force
contains other.md "markdown
third"
fails 2 "not as 'docx': it has the formats html, markdown" dbxfs export default:/Docs/other.paper --as docx
dbxfs export "$MNT/Docs/other.paper" --output "$WORK/named"
contains "$WORK/named" "html
third"
fails 2 'it is there already' dbxfs export "$MNT/Docs/other.paper" -o "$WORK/named"
fails 2 'Not a directory' dbxfs export "$MNT/Docs/other.paper" -o "$WORK/named/inside"
# Nothing but a regular file is replaced.
mkfifo "$WORK/pipe"
ln -s named "$WORK/to-named"
for other in pipe to-named; do
    fails 2 'no regular file' dbxfs export "$MNT/Docs/other.paper" --force -o "$WORK/$other"
done
test -p "$WORK/pipe"
test -L "$WORK/to-named"
if [ "$(id -u)" = 0 ]; then
    dbxfs export --system :/Docs/other.paper -o "$WORK/system"
    cmp "$WORK/system" "$WORK/named"
fi
# Several go into a folder, which may be on the mount; what fails is told, and the others come.
fails 1 'names one file' dbxfs export "$MNT/Docs/other.paper" "$MNT/Docs/large.gdoc" -o "$WORK/named"
mkdir "$MNT/Exports"
fails 2 '1 document was not exported' \
    dbxfs export "$MNT/Docs/other.paper" :/Docs/plain "$MNT/Docs/large.gdoc" -o "$MNT/Exports"
grep -q 'ordinary file' "$WORK/message"
cmp "$MNT/Exports/large.html" "$WORK/large.html"
fails 2 'it is a folder' dbxfs export "$MNT/Docs"
fails 2 'whole account' dbxfs export "$MNT"
fails 2 "no '/Docs/nothing' on Dropbox" dbxfs export "$MNT/Docs/nothing"
# Nothing half-written is left.
test "$(ls -A "$WORK/out" | wc -l)" = 2
test "$(ls -A "$MNT/Exports" | wc -l)" = 2
cd /
# The next mount has the exports of the one before, until the cache is cleared.
(
    export DBXFS_STATE_DIR="$WORK/other/state" DBXFS_CACHE_DIR="$WORK/other/cache"
    other_mount="$WORK/other/mnt"
    mkdir -p "$other_mount"
    dbxfs mount "$other_mount" -o cloud_documents=export
    wait_until 60 cmp "$other_mount/Docs/large.gdoc" "$WORK/large.html"
    dbxfs unmount "$other_mount"
    before=$(exports)
    dbxfs mount "$other_mount" -o cloud_documents=export
    wait_until 60 cmp "$other_mount/Docs/large.gdoc" "$WORK/large.html"
    test "$(exports)" = "$before"
    test "$(ls "$DBXFS_CACHE_DIR/default/exports" | wc -l)" = 1
    dbxfs cache clear "$other_mount"
    test -z "$(ls "$DBXFS_CACHE_DIR/default/exports")"
    dbxfs unmount "$other_mount"
    # A mount that does not read documents keeps none.
    dbxfs mount "$other_mount" -o cloud_documents=export
    wait_until 60 cmp "$other_mount/Docs/large.gdoc" "$WORK/large.html"
    dbxfs unmount "$other_mount"
    dbxfs mount "$other_mount"
    test -z "$(ls "$DBXFS_CACHE_DIR/default/exports")"
    dbxfs unmount "$other_mount"
)
rm "$MNT/Docs/other.paper" "$MNT/Docs/large.gdoc"
