# An unused mount is asleep: what wakes it up, and what it asks of Dropbox, is counted.
# limit: 120
. "$TOOLS/lib.sh"
mkdir "$MNT/folder"
for number in $(seq 50); do echo "$number" > "$MNT/folder/$number"; done
cat "$MNT"/folder/* > /dev/null
dbxfs sync "$MNT" --timeout 60
pid=$(status_field pid)
requests() { admin_stats 'stats["requests"]'; }
# The work of the seconds after a change is over.
sleep 10
before=$(requests)
"$TOOLS/idle.py" "$pid" 30 > "$WORK/idle"
requests=$(($(requests) - before))
cat "$WORK/idle"
# One wakeup a second is libdispatch's, which looks at its threads; a longpoll takes at least as long as this.
python3 -c 'import json, sys
idle = json.load(open(sys.argv[1]))
assert idle["wakeups"] < 120, idle
assert idle["cpu_seconds"] < 0.3, idle' "$WORK/idle"
test $requests -le 4
