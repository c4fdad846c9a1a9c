# Functions that several scenarios need: waits, expected failures, questions to a mount, logins, the emulator and a hostile server. A scenario has
# `. "$TOOLS/lib.sh"` above its first command; it runs in `sh -eu`. Variables that begin with `_` belong to this file.

# Waiting. A condition is a command, a function of the scenario, or `eval` and a text.

# within SECONDS COMMAND…: repeats a silent command until it succeeds; fails if it did not in time.
within() {
    _end=$(($(date +%s) + $1))
    shift
    case $- in *x*) _trace=x ;; *) _trace= ;; esac
    { set +x; } 2> /dev/null
    until "$@" > /dev/null 2>&1; do
        if [ "$(date +%s)" -gt "$_end" ]; then
            # The last try is shown.
            if [ -n "$_trace" ]; then set -x; fi
            "$@"
            return
        fi
        sleep 0.1
    done
    if [ -n "$_trace" ]; then set -x; fi
}
# wait_until SECONDS COMMAND…: as `within`; if the time is over, the scenario fails and says for what it waited.
wait_until() {
    within "$@" || give_up "in $1 seconds, this has not become true" "$@"
}
# wait_while_running PID SECONDS COMMAND…: as `wait_until`, for the work of a process; its end ends the waiting.
wait_while_running() {
    _process=$1
    shift
    _seconds=$1
    shift
    within "$_seconds" succeeds_or_ended "$@" ||
        give_up "in $_seconds seconds, this has not become true" "$_seconds" "$@"
    "$@" > /dev/null || give_up "process $_process has ended, and this has not become true" "$_seconds" "$@"
}
succeeds_or_ended() { "$@" || has_ended "$_process"; }
# give_up TEXT SECONDS COMMAND…
give_up() {
    { set +x; } 2> /dev/null
    timeout 10 dbxfs status 2>&1 || true
    timeout 10 ls -lR "$MNT" 2>&1 | tail -n 40 || true
    tail -n 5 "$DBXFS_STATE_DIR"/*/dbxfs.log 2> /dev/null || true
    _text=$1
    shift 2
    echo "$_text: $*"
    exit 1
}

# Conditions.
not() { ! "$@"; }
# contains FILE TEXT: this and nothing else.
contains() { test "$(timeout 60 cat "$1" 2> /dev/null)" = "$2"; }
has_ended() { ! kill -0 "$1" 2> /dev/null; }
# has_state STATE: of the mount.
has_state() { test "$(status_field state)" = "$1"; }
# Entered another namespace of mounts.
has_own_mounts() { test "$(readlink "/proc/$1/ns/mnt")" != "$(readlink /proc/self/ns/mnt)"; }

# Expected failures.

# fails STATUS TEXT COMMAND…: the command ends with that status, and its output, which is in $WORK/message, has a line
# that matches the text.
fails() {
    _expected=$1 _text=$2
    shift 2
    _status=0
    "$@" > "$WORK/message" 2>&1 || _status=$?
    cat "$WORK/message"
    test $_status = "$_expected"
    grep -q -- "$_text" "$WORK/message"
}
# The same, and the output is one line.
fails_in_one_line() {
    fails "$@"
    test "$(wc -l < "$WORK/message")" = 1
}

# The mount.

# status_field FIELD [MOUNTPOINT]: of its status.
status_field() {
    dbxfs status --json "${2:-$MNT}" | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"
}
# The process that has the account's lock, which is there before the mount answers.
lock_owner() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["pid"])' "$DBXFS_STATE_DIR/default/lock"
}

# peak_memory PID: the most memory that a process has occupied, in kB, without the pages of its program: how many of those are
# in memory is the kernel's choice.
peak_memory() { awk '/^VmHWM/ { peak = $2 } /^RssFile/ { program = $2 } END { print peak - program }' "/proc/$1/status"; }

# Logging in.

# by_code EMAIL OPTION…: a user copies the address into a browser, and the code back. The output is in $WORK/login and
# $WORK/message.
by_code() {
    _email=$1
    shift
    rm -f "$WORK/code" "$WORK/login"
    mkfifo "$WORK/code"
    : > "$WORK/login"
    dbxfs login --no-browser "$@" < "$WORK/code" > "$WORK/login" 2> "$WORK/message" &
    _login=$!
    exec 9> "$WORK/code"
    wait_while_running $_login 30 grep '^http' "$WORK/login"
    _address=$(grep '^http' "$WORK/login")
    case $_address in *redirect_uri*) exit 1 ;; esac
    printf '  %s \n' "$("$TOOLS/browser.py" "$_address" $_email)" >&9
    exec 9>&-
    _status=0
    wait $_login || _status=$?
    cat "$WORK/login" "$WORK/message"
    return $_status
}

# The emulator.

stop_emulator() { kill -9 "$(cat "$EMULATOR_PID_FILE")"; }
start_emulator() {
    # shellcheck disable=SC2086
    "$EMULATOR" --port "$PORT" --state "$EMULATOR_STATE" --token "$TOKEN" --token "$TOKEN2" $EMULATOR_OPTIONS \
        >> "$WORK/../emulator.log" 2>&1 &
    echo $! > "$EMULATOR_PID_FILE"
    wait_while_running $! 60 curl -sf "$ADMIN/stats"
}
# admin METHOD PATH [BODY]
admin() {
    curl -sSf -X "$1" "$ADMIN$2" ${3+-d "$3"}
}
# admin_stats EXPRESSION: a Python expression over `stats`, and the `routes` in it by name.
admin_stats() {
    python3 -c 'import json, sys, urllib.request
stats = json.load(urllib.request.urlopen(sys.argv[1]))
routes = stats["routes"]
print(eval(sys.argv[2]))' "$ADMIN/stats" "$1"
}

# A server between the mount and the emulator, which is hostile as `mode` says.

start_hostile_server() {
    export MODE="$WORK/mode" COUNTS="$WORK/counts"
    mode "$@"
    python3 "$TOOLS/hostile.py" > "$WORK/address" &
    hostile_server=$!
    wait_while_running $hostile_server 60 test -s "$WORK/address"
}
mode() { echo "$*" > "$MODE.new"; mv "$MODE.new" "$MODE"; : > "$COUNTS"; }
# The mount applies a change of another client.
wait_for_delta() {
    echo "$1" | "$TOOLS/dropbox.py" upload "/plain/$1"
    wait_until 120 contains "$MNT/plain/$1" "$1"
}
