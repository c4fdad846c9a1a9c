# rsync in and out; the second run must find nothing to do, or times and sizes do not hold.
# limit: 300
mkdir "$WORK/source"
tree=$(python3 -c 'import os; print(os.path.dirname(os.__file__))')
cp -a "$tree/email" "$tree/encodings" "$tree/json" "$tree/unittest" "$WORK/source"
mkdir -p "$WORK/source/empty folder/below"
head -c 5000000 /dev/urandom > "$WORK/source/random.bin"
touch -d '2001-02-03 04:05:06.789' "$WORK/source/random.bin"
chmod 755 "$WORK/source/random.bin"

rsync -a "$WORK/source/" "$MNT/copy/"
second=$(rsync -ai "$WORK/source/" "$MNT/copy/")
test -z "$second" || { echo "the second run transferred: $second"; exit 1; }

rsync -a "$MNT/copy/" "$WORK/back/"
diff -r "$WORK/source" "$WORK/back"
third=$(rsync -ain "$WORK/source/" "$WORK/back/")
test -z "$third" || { echo "what came back differs: $third"; exit 1; }

# After the upload, whose times have whole seconds only, nothing may look changed.
dbxfs sync "$MNT"
fourth=$(rsync -ain "$WORK/source/" "$MNT/copy/")
test -z "$fourth" || { echo "after the upload it would transfer: $fourth"; exit 1; }

echo more >> "$WORK/source/random.bin"
rm -r "$WORK/source/empty folder"
rsync -a --delete "$WORK/source/" "$MNT/copy/"
cmp "$WORK/source/random.bin" "$MNT/copy/random.bin"
test ! -e "$MNT/copy/empty folder"
rsync -a --inplace --no-whole-file "$WORK/source/" "$MNT/copy/"
