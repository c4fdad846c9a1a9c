# The server goes away: cached content can be read, writes are queued, nothing hangs, nothing is lost.
# mounts: itself
# limit: 300
. "$TOOLS/lib.sh"
# An account that was never mounted here needs the server.
stop_emulator
status=0
dbxfs mount "$MNT" 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 32
grep -q 'cannot be reached' "$WORK/message"
start_emulator

head -c 6000000 /dev/urandom > "$WORK/content"
"$TOOLS/dropbox.py" upload /cached < "$WORK/content"
# Other bytes: content that is cached is known under every name.
head -c 6000000 /dev/urandom > "$WORK/other content"
"$TOOLS/dropbox.py" upload /remote < "$WORK/other content"
dbxfs mount "$MNT"
cmp "$WORK/content" "$MNT/cached"
ls -l "$MNT"

stop_emulator
ls -l "$MNT"
cmp "$WORK/content" "$MNT/cached"
# Uncached content cannot be read, and says so in time instead of hanging.
"$TOOLS/dropbox.py" rev /remote > /dev/null 2>&1 && exit 1
if timeout 60 cat "$MNT/remote" > "$WORK/partial" 2> "$WORK/message"; then exit 1; fi
grep -qi 'network is down' "$WORK/message"

echo 'written offline' > "$MNT/queued"
mkdir "$MNT/queued folder"
mv "$MNT/cached" "$MNT/queued folder/cached"
cmp "$WORK/content" "$MNT/queued folder/cached"
status=0
dbxfs sync "$MNT" --timeout 1 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 3
grep -q 'stays* queued' "$WORK/message"
status=0
dbxfs unmount "$MNT" --timeout 0 || status=$?
test $status = 3
test -z "$(ls -A "$MNT")"

# A known account mounts without the server, with all that was queued.
dbxfs mount "$MNT"
test "$(cat "$MNT/queued")" = 'written offline'
cmp "$WORK/content" "$MNT/queued folder/cached"

start_emulator
dbxfs sync "$MNT" --timeout 120
test "$("$TOOLS/dropbox.py" get /queued)" = 'written offline'
cmp "$WORK/other content" "$MNT/remote"
python3 "$TOOLS/compare.py" "$MNT"

# A time to wait is that for all mounts.
mkdir "$MNT/part" "$WORK/part"
dbxfs sync "$MNT" --timeout 60
dbxfs mount :/part "$WORK/part"
stop_emulator
echo late > "$MNT/late"
echo late > "$WORK/part/late"
began=$(date +%s)
fails 3 'stays queued' dbxfs sync --timeout 10
test $(($(date +%s) - began)) -lt 18
start_emulator
dbxfs sync --timeout 120
dbxfs unmount "$WORK/part"
dbxfs unmount "$MNT"
