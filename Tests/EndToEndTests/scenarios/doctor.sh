# What `dbxfs doctor` says of an account that is well, and of one with each thing that breaks.
# mounts: itself
# limit: 300
. "$TOOLS/lib.sh"
unset DBXFS_ACCESS_TOKEN
folder="$DBXFS_STATE_DIR/default"
# A mount of another scenario that is dead for a while is a problem of this machine, too.
has_foreign_problem() {
    grep -hE '^problem +mount|"check":"mount".*"level":"problem"' "$WORK/lines" "$WORK/findings" |
        grep -qvF "$(basename "${WORK%/work}")"
}
# doctor STATUS: what it says goes to $WORK/findings, as JSON.
doctor() {
    expected=$1
    shift
    for _ in $(seq 40); do
        status=0
        timeout 60 dbxfs doctor "$@" > "$WORK/lines" 2> "$WORK/message" || status=$?
        json_status=0
        timeout 60 dbxfs doctor --json "$@" > "$WORK/findings" 2> /dev/null || json_status=$?
        has_foreign_problem || break
        # The scenario beside this one takes its dead mount away.
        sleep 2
    done
    cat "$WORK/lines" "$WORK/message"
    test $status = "$expected"
    test $json_status = "$expected"
    python3 -c 'import json, sys
for line in open(sys.argv[1]): assert json.loads(line).keys() == {"check", "subject", "level", "text"}' \
        "$WORK/findings"
    ! grep -qF -e "$TOKEN" -e wrong-token "$WORK/lines" "$WORK/message" "$WORK/findings"
}
# says CHECK LEVEL TEXT
says() {
    python3 -c 'import json, sys
_, path, check, level, text = sys.argv
found = [f for f in map(json.loads, open(path)) if f["check"] == check and f["level"] == level]
assert any(text in f["text"] for f in found), found' "$WORK/findings" "$@"
}
problems() { grep -c '"level":"problem"' "$WORK/findings" || :; }

# Before the first login, the login is missing.
doctor 2
says credentials problem 'run: dbxfs login'
says state-folder ok 'made by the first mount'
grep -q '^dbxfs: 1 problem found' "$WORK/message"

# All is well.
mkdir -p -m 700 "$DBXFS_STATE_DIR" "$folder"
(umask 077 && echo "$TOKEN" > "$folder/token")
doctor 0
says fuse-device ok /dev/fuse
says versions ok libfuse
says server ok 'the account of'
says clock ok 'within'
test "$(problems)" = 0
dbxfs mount "$MNT"
echo text > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
doctor 0
says mount ok online
says database ok "$MNT"
says cache-folder ok free
timeout 60 dbxfs doctor --deep > "$WORK/lines"
grep -q "^ok       tree .*nothing in it contradicts" "$WORK/lines"
process=$(status_field pid)
dbxfs unmount "$MNT"
# The database is the process's until it ends, which is a little later than the mount.
wait_until 60 has_ended "$process"
doctor 0 --account default
says database ok sound
# A mount's options count, and not the configuration file.
dbxfs mount "$MNT" -o posix=local
process=$(status_field pid)
doctor 0
says posix ok '(posix=local)'
dbxfs unmount "$MNT"
wait_until 60 has_ended "$process"
timeout 60 dbxfs doctor --account a/b 2> "$WORK/message" && exit 1
grep -q "'a/b'" "$WORK/message"
if [ "$(id -u)" = 0 ]; then
    timeout 60 dbxfs doctor --system --account default > "$WORK/lines"
    grep -qF "$DBXFS_STATE_DIR" "$WORK/lines"
fi

# The cache of an account lies where the configuration file says, unless a variable does.
mkdir -m 700 "$WORK/blocks"
printf '[account.default]\ncache_dir = "%s"\n' "$WORK/blocks" > "$WORK/config.toml"
(
    DBXFS_CONFIG="$WORK/config.toml"
    export DBXFS_CONFIG
    doctor 0
    test "$(grep -c ' cache-folder ' "$WORK/lines")" = 1
    grep ' cache-folder ' "$WORK/lines" | grep -qF "$DBXFS_CACHE_DIR"
    unset DBXFS_CACHE_DIR
    doctor 0
    test "$(grep -c ' cache-folder ' "$WORK/lines")" = 1
    grep ' cache-folder ' "$WORK/lines" | grep -qF "$WORK/blocks"
    rmdir "$WORK/blocks"
    echo > "$WORK/blocks"
    doctor 2
    says cache-folder problem cache_dir
)

# Patterns that mounts refuse.
echo 'ignore = "[z"' > "$WORK/config.toml"
(
    DBXFS_CONFIG="$WORK/config.toml"
    export DBXFS_CONFIG
    doctor 2
    says configuration problem ignore
)

# A refused token, none, and one that others can read.
(umask 077 && echo wrong-token > "$folder/token")
doctor 2
says server problem 'does not accept the access token'
test "$(problems)" = 1
echo "$TOKEN" > "$folder/token"
chmod 644 "$folder/token"
doctor 2
says credentials problem 'chmod 600'
chmod 600 "$folder/token"
doctor 2 --account other
says credentials problem 'dbxfs login --account other'

# No process listens, or none answers.
(
    DBXFS_ENDPOINT=http://127.0.0.1:9
    doctor 2
    says server problem 'cannot be reached'
)
admin POST /faults '{"route": "users/*", "kind": "stall", "seconds": 100}'
status=0
timeout 50 dbxfs doctor > "$WORK/lines" 2> "$WORK/message" || status=$?
cat "$WORK/lines"
test $status = 2
grep -q '^problem  server default: .*check the network and the proxy' "$WORK/lines"
admin DELETE /faults

# A change that Dropbox refuses.
dbxfs mount "$MNT"
admin POST /quota '{"bytes": 6}'
echo more > "$MNT/refused"
status=0
dbxfs sync "$MNT" --timeout 30 || status=$?
test $status = 3
doctor 2
says refused problem '/refused: '
says queue ok '1 change queued'
admin POST /quota '{"bytes": 1000000}'
dbxfs sync "$MNT" --timeout 60
doctor 0

# A process that hangs.
pid=$(status_field pid)
kill -STOP "$pid"
doctor 2
says mount problem 'says nothing'
fails 2 'does not answer' timeout 60 dbxfs unmount
# No command takes it for one that is not there, or waits for it.
fails 2 "$MNT: its process does not answer" timeout 60 dbxfs sync
fails 2 'does not answer' timeout 60 dbxfs sync --timeout 3 "$MNT"
# Not even with a full queue of connections.
python3 - "$(find "$DBXFS_STATE_DIR/run" -name '*.sock')" << 'END'
import socket, sys
clients = []
while True:
    clients.append(socket.socket(socket.AF_UNIX))
    clients[-1].setblocking(False)
    try:
        clients[-1].connect(sys.argv[1])
    except BlockingIOError:
        break
END
fails 2 'does not answer' timeout 60 dbxfs revisions "$MNT/file"
fails 2 '"state":"silent"' timeout 60 dbxfs status --json
grep -qF " $MNT " /proc/self/mountinfo
kill -CONT "$pid"
# A process that is gone, while the kernel has the attributes of its folder.
stat "$MNT" > /dev/null
kill -KILL "$pid"
wait_until 60 has_ended "$pid"
doctor 2
says mount problem "fusermount3 -uz $MNT"
fails 2 "$MNT: its process is gone" timeout 60 dbxfs sync
fails 2 'is gone: mount it again' timeout 60 dbxfs sync "$MNT"
fusermount3 -uz "$MNT"
doctor 0

# Rows that contradict each other, which only --deep looks for.
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as tree: tree.execute("UPDATE node SET parent = 999 WHERE parent = 1")' \
    "$folder/tree.sqlite"
doctor 0
doctor 2 --deep
says tree problem 'is in no folder that users see'

# A damaged database.
dd if=/dev/urandom of="$folder/tree.sqlite" bs=4096 seek=1 count=4 conv=notrunc 2> /dev/null
rm -f "$folder/tree.sqlite-wal" "$folder/tree.sqlite-shm"
doctor 2
says database problem 'keep a copy'
