# A mount of one folder, which others rename, delete and make anew: the mount follows its folder, and no edit is lost.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
problem() { dbxfs status --json "$MNT" | grep -q 'no longer on Dropbox'; }

# A folder that never was there is not mounted.
status=0
dbxfs mount :/Projects "$MNT" 2> "$WORK/said" || status=$?
test $status = 32
grep -q 'make it first' "$WORK/said"

$other mkdir /Projects
echo old | $other upload /Projects/old
echo inner | $other upload /Projects/sub/inner
dbxfs mount :/Projects "$MNT"
test "$(cat "$MNT/sub/inner")" = inner

# Renamed, with an edit that is not sent: it goes where the folder is. Its old name is taken by another one.
dbxfs set "$MNT" write_delay=1h
echo edited > "$MNT/old"
echo new > "$MNT/new"
$other move /Projects '/Archive/The Work'
$other mkdir /Projects
echo decoy | $other upload /Projects/decoy
echo later | $other upload '/Archive/The Work/later'
wait_until 60 contains "$MNT/later" later
dbxfs set "$MNT" write_delay=0
dbxfs sync "$MNT" --timeout 60
test "$($other get '/Archive/The Work/old')" = edited
test "$($other get '/Archive/The Work/new')" = new
test "$(ls "$MNT")" = "$(printf 'later\nnew\nold\nsub')"
test "$(cat "$MNT/sub/inner")" = inner
# Commands that ask Dropbox about a path on the mount ask there, too.
dbxfs ls-remote "$MNT" > "$WORK/listed"
grep -q later "$WORK/listed"
grep -q decoy "$WORK/listed" && exit 1
dbxfs status "$MNT" | grep -q ':/archive/the work'
$other get /Projects/old 2> /dev/null && exit 1
dbxfs unmount "$MNT"

# In a later process, too, and after a move between the two.
$other move '/Archive/The Work' /Moved
dbxfs mount :/Projects "$MNT"
wait_until 60 contains "$MNT/old" edited
test "$(ls "$MNT")" = "$(printf 'later\nnew\nold\nsub')"
echo again > "$MNT/again"
dbxfs sync "$MNT" --timeout 60
test "$($other get /Moved/again)" = again

# Deleted, with an edit that is not sent: sent files go, the edit stays, and nothing makes the folder anew.
$other delete /Projects
dbxfs set "$MNT" write_delay=1h
echo precious > "$MNT/sub/inner"
$other delete /Moved
wait_until 60 test ! -e "$MNT/old"
test "$(cat "$MNT/sub/inner")" = precious
test "$(find "$MNT" -type f)" = "$MNT/sub/inner"
wait_until 60 problem
status=0
dbxfs sync "$MNT" --timeout 5 2> "$WORK/said" || status=$?
test $status != 0
grep -q 'no longer on Dropbox' "$WORK/said"
$other rev /Moved/sub/inner 2> /dev/null && exit 1
$other rev /Projects/sub/inner 2> /dev/null && exit 1
dbxfs unmount --timeout 1 "$MNT" || true

# It is as gone for the next mount, which has the edit.
dbxfs mount :/Projects "$MNT"
test "$(cat "$MNT/sub/inner")" = precious
wait_until 60 problem

# Made anew by others: theirs is shown, and unsent changes are a part of it.
$other mkdir /Projects
echo theirs | $other upload /Projects/theirs
wait_until 60 contains "$MNT/theirs" theirs
dbxfs sync "$MNT" --timeout 60
test "$($other get /Projects/sub/inner)" = precious
test "$(find "$MNT" -type f | sort)" = "$(printf '%s\n%s' "$MNT/sub/inner" "$MNT/theirs")"
problem && exit 1
dbxfs unmount "$MNT"
