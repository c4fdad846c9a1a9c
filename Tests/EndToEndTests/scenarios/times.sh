# Times at every edge, from users and from other clients: kept, shown, sent, and nothing ends.
# mounts: itself
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
modified() { stat -c '%.9Y' "$1"; }

# Every time that the kernel can hold: years 0001 and 9999, either side of what 64 bits of nanoseconds hold, and the ends.
times='-62135596800 -9223372037 -9223372036 -1 0 253402300799 9223372037 9223372036854775807 -9223372036854775808'
# The content is not sent before its time is set: a change of times alone is not sent.
dbxfs mount "$MNT" -o write_delay=1h
mkdir "$MNT/own"
for time in $times; do
    echo "$time" > "$MNT/own/t$time"
    "$TOOLS/utime.py" "$MNT/own/t$time" "$time" 999999999
    test "$(stat -c '%Y' "$MNT/own/t$time")" = "$time"
done
touch -d '1500-01-01 00:00:00 UTC' "$MNT/own/touched"
test "$(stat -c '%Y' "$MNT/own/touched")" = -14831769600
dbxfs sync "$MNT" --timeout 60
test "$($other modified /own/touched)" = 1500-01-01T00:00:00Z
test "$($other modified /own/t9223372036854775807)" = 9999-12-31T23:59:59Z
test "$($other modified /own/t-9223372036854775808)" = 0001-01-01T00:00:00Z

# Times of other clients.
for year in 0001 1600 1677 2263 9999; do
    echo "$year" | $other upload "/y$year" "$year-01-01T00:00:00Z"
done
wait_until 30 test -e "$MNT/y9999"
ls -la "$MNT" "$MNT/own"
test "$(stat -c '%Y' "$MNT/y0001")" = -62135596800
test "$(stat -c '%Y' "$MNT/y9999")" = 253370764800
dbxfs revisions "$MNT/y0001"
dbxfs ls-remote :/
for name in y0001 own/touched; do
    cp -p "$MNT/$name" "$MNT/copy"
    test "$(modified "$MNT/copy")" = "$(modified "$MNT/$name")"
    rm "$MNT/copy"
done

# The rows bring them back, also the time that an earlier version clamped, with which it could not even be listed.
dbxfs unmount "$MNT"
python3 - "$(find "$DBXFS_STATE_DIR" -name tree.sqlite)" << 'END'
import sqlite3, sys
tree = sqlite3.connect(sys.argv[1])
tree.execute("UPDATE node SET modified = -9223372036854775807 - 1 WHERE fold = 'touched'")
tree.commit()
END
dbxfs mount "$MNT"
for time in $times; do
    test "$(stat -c '%Y' "$MNT/own/t$time")" = "$time"
done
test "$(stat -c '%Y' "$MNT/own/touched")" = -9223372037
rm -r "$MNT/own"
dbxfs sync "$MNT" --timeout 60


# Another machine that has seen none of it.
dbxfs unmount "$MNT"
export DBXFS_STATE_DIR="$WORK/second" DBXFS_CACHE_DIR="$WORK/second-cache"
dbxfs mount "$MNT"
ls -la "$MNT"
test "$(stat -c '%Y' "$MNT/y0001")" = -62135596800
dbxfs unmount "$MNT"
