# Another client of the account adds, changes, moves and deletes; the mount shows it, and no edit is lost.
# limit: 180
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"

ls "$MNT"
$other mkdir /shared
echo 'from elsewhere' | $other upload /shared/file
wait_until 30 contains "$MNT/shared/file" "from elsewhere"

echo 'changed elsewhere, and longer' | $other upload /shared/file
wait_until 30 contains "$MNT/shared/file" "changed elsewhere, and longer"

# Programs see by the times of a folder that names in it have changed.
times=$(stat -c '%.9Y %.9Z' "$MNT/shared")
$other move /shared/file /shared/moved
wait_until 30 eval 'test ! -e "$MNT/shared/file" && test -e "$MNT/shared/moved"'
wait_until 30 eval 'test "$(stat -c "%.9Y %.9Z" "$MNT/shared")" != "$times"'
test "$(cat "$MNT/shared/moved")" = 'changed elsewhere, and longer'

# A reader that has it open keeps what it opened.
exec 3< "$MNT/shared/moved"
echo 'newer' | $other upload /shared/moved
wait_until 30 contains "$MNT/shared/moved" newer
test "$(cat <&3)" = 'changed elsewhere, and longer'
exec 3<&-

# A writer who had it open before others replaced or deleted it: what it writes is kept.
exec 6<> "$MNT/shared/moved"
echo 'replaced' | $other upload /shared/moved
wait_until 30 contains "$MNT/shared/moved" replaced
echo 'late!' >&6
exec 6>&-
test "$(cat "$MNT/shared/moved")" = replaced
test "$(cat "$MNT/shared/moved ("*)" = 'late!'
rm "$MNT/shared/moved ("*
echo 'to be deleted' | $other upload /shared/open
wait_until 30 test -e "$MNT/shared/open"
exec 6<> "$MNT/shared/open"
$other delete /shared/open
wait_until 30 test ! -e "$MNT/shared/open"
echo 'not TO be' >&6
# The kernel looks the name up: the file is the one that is open.
wait_until 30 stat "$MNT/shared/open"
echo 'ted!' >&6
exec 6>&-
test "$(cat "$MNT/shared/open")" = 'not TO be
ted!'
dbxfs sync "$MNT"
rm "$MNT/shared/open"

# Both change the same file: both contents survive.
dbxfs sync "$MNT"
exec 4>> "$MNT/shared/moved"
echo 'mine' >&4
echo 'theirs' | $other upload /shared/moved
exec 4>&-
wait_until 30 contains "$MNT/shared/moved" theirs
dbxfs sync "$MNT"
wait_until 30 eval 'ls "$MNT/shared" | grep "conflicted copy"'
test "$(cat "$MNT/shared/"*'conflicted copy'*)" = "replaced
mine"
dbxfs status --json "$MNT" | python3 -c 'import json, sys; assert json.load(sys.stdin)["conflicts"] == 2'

# They delete a file that is being edited: the edit survives.
echo 'kept' > "$MNT/edited"
dbxfs sync "$MNT"
exec 5>> "$MNT/edited"
echo 'more' >&5
$other delete /edited
exec 5>&-
dbxfs sync "$MNT"
test "$(find "$MNT" -name 'edited*' -exec cat {} +)" = 'kept
more'

# They delete a folder.
$other delete /shared
wait_until 30 test ! -e "$MNT/shared"
