# Pinned content is on this disk: fetched without a read, kept when other content passes by, and readable
# without the network. Nothing but the pin makes it so.
# mounts: itself
# limit: 300
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
random() { head -c "$1" /dev/urandom; }
# A line of `dbxfs pins` matches.
pinned() { dbxfs pins "$MNT" | grep -q "$1"; }
downloads() {
    dbxfs status --json "$MNT" | python3 -c '
import json, sys
requests = json.load(sys.stdin)["requests"]
print(sum(count for route, count in requests.items() if "download" in route))'
}

$other mkdir /kept
$other mkdir /kept/deep
$other mkdir /passing
mkdir "$WORK/kept" "$WORK/kept/deep"
for number in 1 2 3 4 5 6 7 8; do
    random 20000 > "$WORK/kept/deep/small $number"
    $other upload "/kept/deep/small $number" < "$WORK/kept/deep/small $number"
done
random 9500000 > "$WORK/kept/large"
$other upload /kept/large < "$WORK/kept/large"
: > "$WORK/kept/empty"
$other upload /kept/empty < "$WORK/kept/empty"
for number in 1 2 3 4; do
    random 8000000 > "$WORK/passing $number"
    $other upload "/passing/$number" < "$WORK/passing $number"
done

# The cache holds less than what passes by.
dbxfs mount "$MNT" -o cache_size=20M
ls "$MNT"
fails_in_one_line 2 'nothing is mounted' dbxfs pin "$WORK"
fails_in_one_line 2 'there is no' dbxfs pin "$MNT/kept/none"
fails_in_one_line 2 'is not pinned' dbxfs unpin "$MNT/kept"
test -z "$(dbxfs pins "$MNT")"

dbxfs pin "$MNT/kept" > "$WORK/message" 2> "$WORK/errors"
cat "$WORK/message" "$WORK/errors"
grep -q '10 files, 9.2 MiB: all here' "$WORK/message"
test ! -s "$WORK/errors"
dbxfs pins "$MNT" | grep -q "$MNT/kept: 10 files, .*: all here"
fails_in_one_line 2 "is pinned as a part of '$MNT/kept'" dbxfs unpin "$MNT/kept/deep"
dbxfs status "$MNT" | grep -q 'pinned .*10 files'
# Three blocks; and the small files one by one at most, or with their folder.
fetched=$(downloads)
test "$fetched" -ge 4
test "$fetched" -le 11

# Reading costs no request, and other content passes by.
cmp "$WORK/kept/large" "$MNT/kept/large"
test "$(downloads)" = "$fetched"
for number in 1 2 3 4; do cmp "$WORK/passing $number" "$MNT/passing/$number"; done
dbxfs cache clear "$MNT"
dbxfs cache status "$MNT" | grep -q 'pinned'
before=$(downloads)
diff -r "$WORK/kept" "$MNT/kept"
test "$(downloads)" = "$before"

# Others change and add: it comes without being asked for.
random 30000 > "$WORK/kept/deep/small 3"
$other upload '/kept/deep/small 3' < "$WORK/kept/deep/small 3"
$other mkdir /kept/later
mkdir "$WORK/kept/later"
random 50000 > "$WORK/kept/later/new"
$other upload /kept/later/new < "$WORK/kept/later/new"
mv "$WORK/passing 2" "$WORK/kept/moved in"
$other move /passing/2 '/kept/moved in'
wait_until 30 test -e "$MNT/kept/later/new"
wait_until 30 test -e "$MNT/kept/moved in"
wait_until 30 pinned "12 files, .*: all here"
# A file changed here is on this disk anyway, and stays there when it is sent.
random 40000 > "$WORK/kept/deep/small 4"
cp "$WORK/kept/deep/small 4" "$MNT/kept/deep/small 4"
random 60000 > "$WORK/kept/mine"
cp "$WORK/kept/mine" "$MNT/kept/mine"
dbxfs sync "$MNT"
wait_until 30 pinned "13 files, .*: all here"
mv "$MNT/kept" "$MNT/renamed"
dbxfs sync "$MNT"

# Offline, and after a restart.
stop_emulator
diff -r "$WORK/kept" "$MNT/renamed"
dbxfs unmount "$MNT" --timeout 0
dbxfs mount "$MNT" -o cache_size=20M
wait_until 30 pinned "$MNT/renamed: 13 files, .*: all here"
diff -r "$WORK/kept" "$MNT/renamed"
# Missing content is no error, but is said.
wait_until 30 has_state offline
status=0
dbxfs pin "$MNT/passing/1" "$MNT/passing/3" 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 3
grep -q '2 pinned files are not here yet (offline)' "$WORK/message"
dbxfs unmount "$MNT" --timeout 0
dbxfs mount "$MNT" -o cache_size=20M
start_emulator
wait_until 30 pinned "$MNT/passing/1: 1 file, .*: all here"
wait_until 30 pinned "$MNT/passing/3: 1 file, .*: all here"

# More than the cache may hold is kept, and said.
dbxfs status "$MNT" | grep -q 'pinned content takes more than'
dbxfs pin "$MNT/renamed" 2>&1 | grep -q 'pinned content takes more than'
cmp "$WORK/passing 4" "$MNT/passing/4"
before=$(downloads)
diff -r "$WORK/kept" "$MNT/renamed"
cmp "$WORK/passing 1" "$MNT/passing/1"
cmp "$WORK/passing 3" "$MNT/passing/3"
test "$(downloads)" = "$before"

# An interrupted command leaves the pin, and a program's way of saving keeps it.
dbxfs unpin "$MNT/passing/1" "$MNT/passing/3"
random 5000 > "$WORK/saved"
cp "$WORK/saved" "$MNT/saved"
dbxfs sync "$MNT"
dbxfs pin "$MNT/saved" --timeout 5
random 6000 > "$WORK/saved"
cp "$WORK/saved" "$MNT/saved.new"
mv "$MNT/saved.new" "$MNT/saved"
dbxfs sync "$MNT"
dbxfs pins "$MNT" | grep -q "^$MNT/saved: "

# Ctrl-C ends the command, and the fetching goes on. A cloud document is skipped, and counted.
$other mkdir /slow
random 3000000 | $other upload /slow/file
echo document | $other upload /slow/document.paper
admin POST /mark '{"path": "/slow/document.paper", "export_as": "markdown"}'
wait_until 30 test -e "$MNT/slow/document.paper"
admin POST /settings '{"latency_ms": 8000}'
# Without job control, a command in the background ignores SIGINT.
python3 -c '
import signal, subprocess, sys, time
pin = subprocess.Popen(sys.argv[1:])
# The command waits for its answer, which takes eight seconds, and shows nothing before.
time.sleep(1)
pin.send_signal(signal.SIGINT)
sys.exit(pin.wait() != -signal.SIGINT)' dbxfs pin "$MNT/slow"
admin POST /settings '{"latency_ms": 0}'
wait_until 30 pinned "$MNT/slow: 2 files, .*: 1 here, 1 cannot be downloaded"
dbxfs unpin "$MNT/slow"

# Unpinned, it goes like other content.
dbxfs unpin "$MNT/renamed" "$MNT/saved"
test -z "$(dbxfs pins "$MNT")"
dbxfs cache clear "$MNT"
dbxfs cache status "$MNT" | grep -q ': 0 B of '
dbxfs unmount "$MNT"
