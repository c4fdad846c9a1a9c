# inotify(7): programs that watch a mount are told of the changes of other clients, and these stay what they were.
# limit: 120
# mounts: itself
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
# watch FILE PATH…: watches paths, with the events in a file.
watch() {
    _events=$1
    shift
    "$TOOLS/watch.py" "$@" > "$_events" &
    watcher=$!
    wait_while_running $watcher 30 grep -qx ready "$_events"
}
# told FILE EVENT: within seconds.
told() { wait_until 30 grep -qxF -- "$2" "$1"; }
attributes_set() {
    dbxfs status --json "$MNT" | python3 -c 'import json, sys; print(json.load(sys.stdin)["calls"].get("setxattr", 0))'
}

dbxfs mount "$MNT" -o write_delay=0
for name in old changed gone moved; do echo "$name" | $other upload "/seen/$name"; done
$other mkdir /seen/folder
$other mkdir /unseen
wait_until 60 contains "$MNT/seen/moved" moved
ls -l "$MNT/seen"
stat -c '%Y %s %a' "$MNT/seen/old" > "$WORK/old"
watch "$WORK/events" "$MNT/seen" "$MNT/seen/changed" "$MNT/seen/gone"
admin POST /stats/reset '{}'

# New files, also under a name that is no name of Dropbox's own.
echo new | $other upload "/seen/new one"
told "$WORK/events" '0 CLOSE_WRITE new one'
told "$WORK/events" '0 ATTRIB new one'
told "$WORK/events" '0 ATTRIB,ISDIR'
test "$(cat "$MNT/seen/new one")" = new

# Other content: the file's own watchers are told, too.
echo other | $other upload /seen/changed
told "$WORK/events" '0 CLOSE_WRITE changed'
told "$WORK/events" '1 CLOSE_WRITE'
test "$(cat "$MNT/seen/changed")" = other

# What goes away, and where it appears: its folder is told.
: > "$WORK/events"
$other delete /seen/gone
told "$WORK/events" '0 ATTRIB,ISDIR'
test ! -e "$MNT/seen/gone"
: > "$WORK/events"
$other move /seen/moved /seen/folder/moved
told "$WORK/events" '0 ATTRIB,ISDIR'
test ! -e "$MNT/seen/moved"
: > "$WORK/events"
$other move /seen/folder/moved /seen/back
told "$WORK/events" '0 CLOSE_WRITE back'
told "$WORK/events" '0 ATTRIB,ISDIR'

# Changes where no program has looked cost no call.
sets=$(attributes_set)
for n in $(seq 20); do echo $n | $other upload /unseen/$n; done
echo last | $other upload /seen/last
told "$WORK/events" '0 CLOSE_WRITE last'
wait_until 30 eval 'test "$(attributes_set)" -ge $((sets + 2))'
test "$(attributes_set)" = $((sets + 2))
cat "$WORK/events"

# Nothing was changed by it: no upload, nothing to send, no attribute, times as before.
dbxfs sync "$MNT"
test "$(admin_stats "sum(r['requests'] for n, r in routes.items() if 'upload' in n)")" = 23
test "$(stat -c '%Y %s %a' "$MNT/seen/old")" = "$(cat "$WORK/old")"
test "$(status_field pending_operations)" = 0
python3 -c 'import os, sys; assert os.listxattr(sys.argv[1]) == [], os.listxattr(sys.argv[1])' "$MNT/seen/new one"
setfattr_fails() { python3 -c 'import os, sys; os.getxattr(sys.argv[1], "user.dropbox.changed")' "$1"; }
not setfattr_fails "$MNT/seen/old" 2> /dev/null
kill $watcher

# With `inotify=no`, no watcher is told.
dbxfs unmount "$MNT"
dbxfs mount "$MNT" -o write_delay=0,inotify=no
ls "$MNT/seen"
watch "$WORK/silent" "$MNT/seen"
echo once | $other upload /seen/silent
wait_until 60 contains "$MNT/seen/silent" once
# Longer than events take.
sleep 2
test "$(attributes_set)" = 0
test "$(cat "$WORK/silent")" = ready
kill $watcher

# With `inotify=all`, all are told who have looked. With the kernel's cache for writes, of the folder's times alone.
dbxfs unmount "$MNT"
dbxfs mount "$MNT" -o write_delay=0,inotify=all,writeback_cache
ls "$MNT/seen"
echo once | $other upload /seen/unwatched
wait_until 30 eval 'test "$(attributes_set)" -ge 1'
watch "$WORK/all" "$MNT/seen"
echo twice | $other upload /seen/unwatched
told "$WORK/all" '0 CLOSE_WRITE unwatched'
not grep 'ATTRIB unwatched' "$WORK/all"
kill $watcher
python3 "$TOOLS/compare.py" "$MNT"
dbxfs unmount "$MNT"
