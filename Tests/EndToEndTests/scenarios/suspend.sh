# A machine that sleeps: the mount's process is frozen, a clock goes on, and its connection is dead afterwards. Changes are there 2
# seconds after waking.
# mounts: itself
# needs: root
# limit: 240
. "$TOOLS/lib.sh"
compiler=$(command -v cc || command -v clang || echo "$(dirname "$(realpath "$(command -v swift)")")/clang")
"$compiler" -shared -fPIC -O1 -o "$WORK/boottime.so" "$TOOLS/boottime.c"
# sleep_for SECONDS: the clock that goes on in a suspend runs ahead so far.
sleep_for() {
    python3 -c 'import os, struct, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.pwrite(file, struct.pack("=q", int(sys.argv[2])), 0)' "$WORK/ahead" "$1"
}
sleep_for 0
BOOTTIME_AHEAD="$WORK/ahead" LD_PRELOAD="$WORK/boottime.so" dbxfs mount "$MNT"
wait_until 20 has_state online
pid=$(status_field pid)
log="$DBXFS_STATE_DIR/default/dbxfs.log"
milliseconds() { date +%s%3N; }
is_stopped() { grep -q '^State:.T' "/proc/$pid/status"; }
freeze() { kill -STOP "$pid"; wait_until 10 is_stopped; }

# The next wait for changes is never answered: its connection died while the machine slept.
admin POST /faults '{"route": "files/list_folder/longpoll", "kind": "stall", "seconds": 600, "count": 1}' > "$WORK/fault"
echo one | "$TOOLS/dropbox.py" upload /one
wait_until 20 contains "$MNT/one" one
is_hit() { curl -sf "$ADMIN/faults" | python3 -c 'import json, sys; sys.exit("\"hits\": 1" not in json.dumps(json.load(sys.stdin)))'; }
wait_until 20 is_hit

# A pause that is no sleep changes nothing: it goes on waiting.
freeze
echo two | "$TOOLS/dropbox.py" upload /two
kill -CONT "$pid"
# For as long as changes may take after a sleep.
sleep 2
test ! -e "$MNT/two"
grep -q 'the machine has slept' "$log" && exit 1

# A sleep of an hour. When it ends, the kernel sets the clock, here by microseconds.
freeze
sleep_for 3600
begin=$(python3 -c 'import os, signal, sys, time
os.kill(int(sys.argv[1]), signal.SIGCONT)
begin = time.time_ns()
try:
    time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_REALTIME))
except PermissionError:
    sys.exit()
print(begin // 1000000)' "$pid")
if [ -z "$begin" ]; then
    echo 'skipped: the clock may not be set here'
    dbxfs unmount "$MNT"
    exit 0
fi
wait_until 10 contains "$MNT/two" two
spent=$(($(milliseconds) - begin))
echo "changes after $spent ms"
grep -q 'the machine has slept.*3600' "$log"
test $spent -lt 2000

# A file that is written after it is sent.
echo mine > "$MNT/mine"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /mine)" = mine
dbxfs unmount "$MNT"
