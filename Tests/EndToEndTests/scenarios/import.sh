# dbxfs import: a folder of another Dropbox client fills the cache, without a download.
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
downloads() {
    dbxfs status --json "$MNT" | python3 -c '
import json, sys
requests = json.load(sys.stdin)["requests"]
print(sum(count for route, count in requests.items() if "download" in route))'
}

$other mkdir /docs
head -c 9500000 /dev/urandom > "$WORK/large"
$other upload /docs/Large < "$WORK/large"
printf 'same' | $other upload /docs/same
printf 'here' | $other upload /docs/changed
printf 'only there' | $other upload /docs/absent

old="$WORK/Dropbox old"
mkdir "$old" "$old/docs" "$old/unknown"
cp "$WORK/large" "$old/docs/large"
printf 'same' > "$old/docs/same"
printf 'HERE' > "$old/docs/changed"
printf 'x' > "$old/unknown/file"
ln -s same "$old/docs/link"
: > "$old/.dropbox"

dbxfs mount "$MNT"
ls -R "$MNT"
dbxfs import "$old" "$MNT" | tee "$WORK/out"
grep -q "^$MNT: 2 files imported, 9.1 MiB, 1 with other content on Dropbox, 1 not on Dropbox$" "$WORK/out"
# Read without a request; what differs is Dropbox's.
cmp "$WORK/large" "$MNT/docs/Large"
contains "$MNT/docs/same" same
test "$(downloads)" = 0
contains "$MNT/docs/changed" here
contains "$MNT/docs/absent" 'only there'
test "$(downloads)" -gt 0
# Again, and without naming the only mount.
dbxfs import "$old" | grep -q '0 files imported, 0 B, 3 cached before'
test "$(cat "$old/docs/changed")" = HERE

fails_in_one_line 2 'on the mount itself' dbxfs import "$MNT/docs" "$MNT"
fails_in_one_line 2 'no folder' dbxfs import "$WORK/large" "$MNT"
fails_in_one_line 2 'no folder' dbxfs import "$WORK/nothing" "$MNT"

# A full cache ends the import with a notice.
dbxfs cache clear "$MNT"
dbxfs set "$MNT" cache_size=1M
dbxfs import "$old" "$MNT" 2>&1 | grep -q 'the cache is full'
