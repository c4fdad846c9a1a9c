# The mount's process is killed with changes queued; the next mount of the account sends them.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
dbxfs mount "$MNT" -o write_delay=1h
echo 'on the server' > "$MNT/settled"
dbxfs sync "$MNT"
mkdir "$MNT/folder"
head -c 10000000 /dev/urandom > "$WORK/data"
cp "$WORK/data" "$MNT/folder/data"
echo appended >> "$MNT/settled"
mv "$MNT/folder/data" "$MNT/folder/renamed"
echo temporary > "$MNT/gone"
rm "$MNT/gone"
test "$(status_field pending_operations)" -gt 0
inode=$(stat -c %i "$MNT/folder/renamed")

kill -9 "$(status_field pid)"
# "Transport endpoint is not connected" from here on, until the next mount clears it away.
wait_until 30 not stat -f "$MNT"
dbxfs mount "$MNT"
cmp "$WORK/data" "$MNT/folder/renamed"
test "$(stat -c %i "$MNT/folder/renamed")" = "$inode"
test "$(cat "$MNT/settled")" = 'on the server
appended'
test ! -e "$MNT/gone"
dbxfs sync "$MNT" --timeout 60
python3 "$TOOLS/compare.py" "$MNT"

# Killed while it uploads: nothing is lost, nothing is there twice.
for round in 1 2 3; do
    i=0
    while [ $i -lt 40 ]; do
        echo "round $round file $i" > "$MNT/folder/round $round file $i"
        i=$((i + 1))
    done
    dbxfs sync "$MNT" --timeout 10 & sync=$!
    # Each round ends the process at another moment of the uploads; nothing tells from outside how far they are.
    sleep 0.$((round * 2))
    kill -9 "$(status_field pid)"
    wait $sync || true
    dbxfs mount "$MNT"
    test "$(ls "$MNT/folder" | grep -c "^round $round ")" = 40
done
dbxfs sync "$MNT" --timeout 60
python3 "$TOOLS/compare.py" "$MNT"
test "$(ls "$MNT/folder" | wc -l)" = 121

dbxfs unmount "$MNT"

# A mount whose process is dead is unmounted, also while the kernel answers `stat` of its folder from what it keeps.
dbxfs mount "$MNT"
stat "$MNT"
kill -9 "$(status_field pid)"
wait_until 30 not stat -f "$MNT"
stat "$MNT"
dbxfs unmount "$MNT"
test -z "$(ls -A "$MNT")"

# With changes queued, the end of such an unmount is no success: they are sent by the next mount.
dbxfs mount "$MNT"
dbxfs pause "$MNT"
echo unsent > "$MNT/unsent"
kill -9 "$(status_field pid)"
wait_until 30 not stat -f "$MNT"
fails 3 'not on Dropbox yet' dbxfs unmount "$MNT"
test -z "$(ls -A "$MNT")"
dbxfs mount "$MNT"
dbxfs pause "$MNT"
pid=$(status_field pid)
echo more > "$MNT/more"
# The mount has committed what it answers about.
test "$(status_field pending_operations)" -ge 1
kill -STOP "$pid"
fails 3 'not on Dropbox yet' dbxfs unmount --lazy "$MNT"
kill -9 "$pid"
wait_until 30 has_ended "$pid"
dbxfs mount "$MNT"
dbxfs sync "$MNT" --timeout 60
test "$(cat "$MNT/unsent" "$MNT/more")" = 'unsent
more'
dbxfs unmount "$MNT"
