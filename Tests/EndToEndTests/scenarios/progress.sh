# Progress of an upload on a slow link, its time left, a pause, limits by the time of day, and the history.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
field() {
    dbxfs status --json "$MNT" | python3 -c '
import json, sys
print(eval(sys.argv[1], {"s": json.load(sys.stdin)}))' "$1"
}
sent() { field 's["uploads"][0]["sent"] if s["uploads"] else -1'; }
# The upload is within its first piece, which a server acknowledges only as a whole.
is_within_a_piece() { field '0 < (s["uploads"] or [{"sent": 0}])[0]["sent"] < 4000000' | grep -qx True; }
has_moved_since() { test "$(sent)" -gt "$1"; }
logged() { dbxfs log "$MNT" --json | grep -q "$1"; }

cat > "$WORK/event" << 'EOF'
#!/bin/sh
echo "$DBXFS_EVENT $DBXFS_COUNT $DBXFS_PATH" >> "$(dirname "$0")/events"
echo "$DBXFS_ACCOUNT $DBXFS_MOUNTPOINT: $DBXFS_MESSAGE ($DBXFS_REASON)" >> "$(dirname "$0")/texts"
EOF
chmod +x "$WORK/event"
dbxfs mount "$MNT" -o bwlimit_up=200K,write_delay=0,on_event="$WORK/event"
fails 1 'bwlimit_up=1M@8 is not valid' dbxfs set "$MNT" bwlimit_up=1M@8

head -c 4000000 /dev/urandom > "$WORK/content"
mkdir "$MNT/folder"
cp "$WORK/content" "$MNT/folder/big"
wait_until 30 is_within_a_piece
test "$(field 's["uploads"][0]["bytes"]')" = 4000000
first=$(sent)
wait_until 30 has_moved_since "$first"
# 200 KiB per second: some 20 seconds are left, and status says so in all forms.
wait_until 10 eval 'field "0 < s[\"seconds_left\"] < 60" | grep -qx True'
test "$(field '50_000 < s["sending_rate"] < 1_000_000')" = True
dbxfs status "$MNT" | grep -q 'queue .* to send at .*/s, .* left'
dbxfs status --metrics "$MNT" | grep -q '^dbxfs_seconds_left{'

# A pause ends the request, and keeps the change.
dbxfs pause "$MNT"
test "$(field 's["paused"]')" = True
dbxfs status "$MNT" | grep -q 'paused: nothing is sent'
wait_until 20 eval 'test "$(field "len(s[\"uploads\"])")" = 0'
fails 3 'paused, run: dbxfs resume' dbxfs sync "$MNT"
not "$TOOLS/dropbox.py" get /folder/big
# A program that reads gets content all the same.
"$TOOLS/dropbox.py" upload /theirs < "$WORK/content"
wait_until 20 test -s "$MNT/theirs"
cmp "$WORK/content" "$MNT/theirs"
dbxfs set "$MNT" bwlimit_up=none
dbxfs resume "$MNT"
dbxfs sync "$MNT" --timeout 100
test "$(field 's["paused"]')" = False
# A pause with an end.
dbxfs pause "$MNT" --for 2s
dbxfs status "$MNT" | grep -q 'fetched for [12] s'
printf x > "$MNT/later"
wait_until 20 eval 'test "$(field "s[\"pending_operations\"]")" = 0'

# Limits by time: at any time of the day it is one of the two.
dbxfs set "$MNT" bwlimit_down=1M@06:00/2M@18:00
test "$(field 's["limits"]["bwlimit_down_by_time"]')" = 1M@06:00/2M@18:00
test "$(field 's["limits"]["bwlimit_down"] in (1 << 20, 2 << 20)')" = True
dbxfs set "$MNT" bwlimit_down=none
test "$(field 's["limits"]["bwlimit_down_by_time"]')" = None

# A name that Dropbox cannot have, and a mode that is sent alone.
printf x > "$MNT/own\\name"
dbxfs sync "$MNT" --timeout 100
chmod 700 "$MNT/theirs"
dbxfs sync "$MNT" --timeout 100

# The history.
wait_until 10 logged '"kind":"fetched"'
dbxfs log "$MNT" | cat
dbxfs log "$MNT" --json > "$WORK/log"
python3 - "$WORK/log" << 'EOF'
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
seen = {(event["kind"], event["path"]): event for event in events}
assert seen[("sent", "/folder/big")]["bytes"] == 4000000, seen
for key in [("made", "/folder"), ("sent", "/later"), ("added", "/theirs"), ("fetched", "/theirs")]:
    assert key in seen, (key, seen)
# As users see it, not as Dropbox has it.
assert ("sent", "/own\\name") in seen, seen
assert seen[("sent", "/theirs")]["reason"] == "mode, times or attributes", seen
assert all(event["account"] == "default" for event in events)
assert not any(event["path"] == "/folder/big" and event["kind"] in ("added", "changed") for event in events), events
EOF
test "$(dbxfs log "$MNT/folder" --kind sent | wc -l)" = 1
dbxfs log "$MNT/folder/big" | grep -q "sent  *$MNT/folder/big  3.8 MiB"
fails 1 'is removed meant' dbxfs log --kind remove
fails 1 'the kinds are sent, made' dbxfs log --kind everything
test "$(dbxfs log "$MNT" --lines 1 | wc -l)" = 1
test -z "$(dbxfs log "$MNT" --since 2100-01-01)"
test -z "$(dbxfs log "$MNT" --before 2020-01-01)"
fails 1 'takes a date and time' dbxfs log --since yesterday
fails 1 'without --before' dbxfs log -f --before 2020-01-01
fails 2 'nothing is mounted' dbxfs log "$WORK"
if [ "$(id -u)" = 0 ]; then dbxfs log --system > /dev/null; else fails 1 root dbxfs log --system; fi
dbxfs log "$MNT" --follow -n 1 --json > "$WORK/followed" &
follower=$!
# It shows what there was when it has begun to follow.
wait_until 20 test -s "$WORK/followed"
rm "$MNT/later"
dbxfs sync "$MNT"
wait_until 20 grep -q '"kind":"deleted".*"path":"/later"' "$WORK/followed"
kill $follower
# Nothing secret, and only for this user.
not grep -q "$TOKEN" "$DBXFS_STATE_DIR/default/history.jsonl"
test "$(stat -c %a "$DBXFS_STATE_DIR/default/history.jsonl")" = 600

# A conflict is told to the user's program, with the path of the copy.
printf one > "$MNT/both"
dbxfs sync "$MNT" --timeout 100
dbxfs pause "$MNT"
printf two > "$MNT/both"
echo three | "$TOOLS/dropbox.py" upload /both
wait_until 40 grep -q "^conflict 1 $MNT/both (" "$WORK/events"
dbxfs resume "$MNT"
dbxfs sync "$MNT" --timeout 100
test "$(dbxfs log "$MNT" --kind conflict | wc -l)" = 1

# A full account is told to the user's program.
admin POST /quota '{"bytes": 6}'
printf y > "$MNT/more"
wait_until 40 grep -q '^full 1 ' "$WORK/events"
wait_until 40 grep -q "^refused 1 $MNT/more" "$WORK/events"
wait_until 20 logged '"kind":"refused"'
grep -q "^default $MNT: Dropbox refuses a change.*(the account is full" "$WORK/texts"
rm "$MNT/more" "$MNT/folder/big"
dbxfs unmount "$MNT"
# The desktop's notifications have no names: other users see a program's arguments.
mkdir "$WORK/bin"
printf '#!/bin/sh\necho "$@" >> "%s"\n' "$WORK/notes" > "$WORK/bin/notify-send"
chmod +x "$WORK/bin/notify-send"
PATH="$WORK/bin:$PATH" dbxfs mount "$MNT" -o write_delay=0,on_event=notify
head -c 100 /dev/urandom > "$MNT/again"
wait_until 40 grep -q ' Dropbox Dropbox is full: changes wait' "$WORK/notes"
not grep -q again "$WORK/notes"
rm "$MNT/again"
dbxfs unmount "$MNT"
# Without a mount, by account.
dbxfs log default --json | grep -q '"kind":"full"'
