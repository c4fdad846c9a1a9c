# dbxfs conflicts: copies that this mount made and those of other clients, by name and by place.
# limit: 120
# options: write_delay=2s
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
copies() {
    dbxfs conflicts --json "$@" | python3 -c '
import json, sys
for line in sys.stdin:
    copy = json.loads(line)
    print(copy["path"], copy["original"], copy["made_here"], copy["bytes"], sep="|")'
}

test -z "$(dbxfs conflicts "$MNT")"
mkdir "$MNT/folder"
printf one > "$MNT/folder/report.txt"
dbxfs sync "$MNT" --timeout 60
# Both change the file before either knows of the other.
exec 6<> "$MNT/folder/report.txt"
printf 'theirs' | $other upload /folder/report.txt
wait_until 30 contains "$MNT/folder/report.txt" theirs
printf 'mine!' >&6
exec 6>&-
dbxfs sync "$MNT" --timeout 60
day=$(date -u +%Y-%m-%d)
mine=$(ls "$MNT/folder" | grep "'s conflicted copy $day).txt")
test "$(cat "$MNT/folder/$mine")" = 'mine!'
test "$(copies "$MNT")" = "$MNT/folder/$mine|$MNT/folder/report.txt|True|5"
dbxfs conflicts "$MNT" > "$WORK/out" 2> "$WORK/advice"
grep -qxF "$MNT/folder/$mine" "$WORK/out"
grep -qx "  original   $MNT/folder/report.txt" "$WORK/out"
grep -q "  made       $day, by .* (this machine), 5 B" "$WORK/out"
grep -q 'delete or rename the copy' "$WORK/advice"
dbxfs status "$MNT" | grep -q 'conflicts .*dbxfs conflicts'

# Another client's copy, whose original is gone.
printf other | $other upload "/their (Anna's conflicted copy 2024-03-01).doc"
wait_until 30 test -e "$MNT/their (Anna's conflicted copy 2024-03-01).doc"
copies "$MNT" | grep -qxF "$MNT/their (Anna's conflicted copy 2024-03-01).doc|None|False|5"
test "$(copies | wc -l)" = 2
test "$(copies "$MNT/folder" | wc -l)" = 1
test "$(copies "$MNT/folder/$mine" | wc -l)" = 1
test -z "$(copies "$MNT/folder/report.txt")"

# Settled by a new name, or by deleting.
mv "$MNT/folder/$mine" "$MNT/folder/mine.txt"
rm "$MNT/their (Anna's conflicted copy 2024-03-01).doc"
test -z "$(dbxfs conflicts)"
status=0
dbxfs conflicts "$MNT/nothing" 2> "$WORK/message" || status=$?
test $status = 2
grep -q 'there is no' "$WORK/message"
