# What people and programs see of mounts: accounts, metrics, the live screen, and names that no terminal
# may get as they are.
# mounts: itself
# limit: 200
escape=$(printf '\033')
place="$WORK/m${escape}[2Jt"
mkdir "$place"
clean() {
    # Nothing but line feeds may be left of what commands a terminal.
    ! LC_ALL=C grep -q "[$(printf '\001')-$(printf '\010')$(printf '\013')-$(printf '\037')]" "$@"
}
metrics() {
    dbxfs status --metrics "$@" > "$WORK/metrics"
    /usr/bin/python3 - "$WORK/metrics" << 'END'
import sys
from prometheus_client.parser import text_string_to_metric_families
for family in text_string_to_metric_families(open(sys.argv[1]).read()):
    assert family.documentation and family.type in ("gauge", "counter"), family
    for sample in family.samples:
        print(family.type, sample.name, sample.value, *sorted(sample.labels.items()))
END
}

# Before anything is there.
dbxfs accounts 2> "$WORK/message"
grep -q 'run: dbxfs login' "$WORK/message"
test -z "$(dbxfs accounts --json)"
metrics | grep -qx 'gauge dbxfs_mounts 0.0'

mkdir -p -m 700 "$DBXFS_STATE_DIR/default"
(umask 077 && echo "$TOKEN" > "$DBXFS_STATE_DIR/default/token")
unset DBXFS_ACCESS_TOKEN
dbxfs mount "$place"
mkdir "$place/folder"
echo text > "$place/folder/file"
dbxfs sync "$place" --timeout 60

# Names.
dbxfs status > "$WORK/plain"
grep -qF 'm\u{1b}[2Jt' "$WORK/plain"
dbxfs pin "$place/folder" --timeout 60
dbxfs pins > "$WORK/pins"
grep -qF 'm\u{1b}[2Jt/folder' "$WORK/pins"
dbxfs status "$WORK/no${escape}thing" 2> "$WORK/message" && exit 1
grep -qF 'no\u{1b}thing' "$WORK/message"
clean "$WORK/plain" "$WORK/pins" "$WORK/message"

# Accounts: no secret, and the same number queued as the mount says.
dbxfs accounts > "$WORK/accounts"
cat "$WORK/accounts"
grep -q '^default$' "$WORK/accounts"
grep -q '^  access     token file$' "$WORK/accounts"
grep -qF 'm\u{1b}[2Jt (process ' "$WORK/accounts"
grep -q '^  person     .*@' "$WORK/accounts"
dbxfs accounts --json >> "$WORK/accounts"
grep -q '"pending_operations":0' "$WORK/accounts"
clean "$WORK/accounts"
grep -qF "$TOKEN" "$WORK/accounts" && exit 1

# Metrics, as Prometheus takes them.
metrics "$place" > "$WORK/samples"
cat "$WORK/samples"
grep -q "^gauge dbxfs_state 1.0 .*'online'" "$WORK/samples"
test "$(grep -c '^gauge dbxfs_state ' "$WORK/samples")" = 5
grep -q "^counter dbxfs_requests_total [1-9].*('route', 'files/" "$WORK/samples"
grep -q "^counter dbxfs_calls_total [1-9].*('call', 'create')" "$WORK/samples"
grep -q '^counter dbxfs_sent_bytes_total [1-9]' "$WORK/samples"
grep -q '^gauge dbxfs_pins_files 1.0' "$WORK/samples"
grep -q '^gauge dbxfs_mounts 1.0' "$WORK/samples"
dbxfs status --metrics --json 2> "$WORK/message" && exit 1
dbxfs status --interval 1 2> "$WORK/message" && exit 1

# Without a terminal, the status again and again.
timeout 10 dbxfs status --watch --interval 0.2 > "$WORK/watched" && exit 1
test "$(grep -c '^  state      online' "$WORK/watched")" -ge 10
timeout 30 dbxfs status --watch --interval 0.2 --json "$place" | head -3 > "$WORK/watched"
test "$(wc -l < "$WORK/watched")" = 3
grep -c '^{.*}$' "$WORK/watched" | grep -qx 3

# On a terminal: one screen, drawn over, of the terminal's size also when that changes, and gone in the end.
python3 - << 'END'
import fcntl, os, pty, signal, struct, termios, time

def watch(size, after, *arguments):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execvp("dbxfs", ["dbxfs", "status", "--watch", "--interval", "0.2", *arguments])
    resize = lambda size: fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    resize(size)
    output = b""
    def more(text, count):
        nonlocal output
        count, end = output.count(text) + count, time.monotonic() + 30
        while output.count(text) < count:
            assert time.monotonic() < end, (text, output)
            output += read(terminal, time.monotonic() + 0.1)
    more(HOME, 8)
    after(pid, resize, more, terminal)
    end = time.monotonic() + 30
    while (done := os.waitpid(pid, os.WNOHANG))[0] == 0:
        assert time.monotonic() < end, "it does not end"
        output += read(terminal, time.monotonic() + 0.1)
    output += read(terminal, time.monotonic() + 0.1)
    assert echoes(terminal), "the terminal is not as it was"
    os.close(terminal)
    # The terminal makes a line feed of its own of each.
    return done[1], output.replace(b"\r\r\n", b"\r\n")

def echoes(terminal):
    return bool(termios.tcgetattr(terminal)[3] & (termios.ECHO | termios.ICANON))

def read(terminal, end):
    import select
    ready = select.select([terminal], [], [], max(end - time.monotonic(), 0))[0]
    try:
        return os.read(terminal, 65536) if ready else b""
    except OSError:
        return b""

ENTER, LEAVE, HOME = b"\033[?1049h", b"\033[?1049l", b"\033[H"
for number in signal.SIGINT, signal.SIGTERM:
    status, output = watch((24, 80), lambda pid, *_: os.kill(pid, number))
    assert status == 0, status
    assert output.count(ENTER) == 1 and output.count(LEAVE) == 1, output
    assert output.index(ENTER) == 0 and output.endswith(LEAVE), output
    frames = output.split(HOME)[2:]
    assert len(frames) >= 5, frames
    for frame in frames[1:-1]:
        lines = frame.removesuffix(b"\033[J").split(b"\r\n")
        assert all(line.endswith(b"\033[K") for line in lines), frame
        texts = [line.removesuffix(b"\033[K").decode() for line in lines]
        assert all(text.isprintable() and len(text) <= 80 for text in texts), texts
        assert any("online" in text for text in texts), texts
        assert any("/s down" in text for text in texts), texts

# A key without Enter: other keys are no more than that, and none is echoed.
def type_keys(pid, resize, more, terminal):
    assert not echoes(terminal)
    os.write(terminal, b"xyz")
    more(HOME, 2)
    os.write(terminal, b"q")

status, output = watch((24, 80), type_keys)
assert status == 0 and output.endswith(LEAVE) and b"xyz" not in output, (status, output)

def shrink(pid, resize, more, _):
    resize((5, 30))
    more(HOME, 4)
    os.kill(pid, signal.SIGINT)

_, output = watch((24, 80), shrink)
last = output.split(HOME)[-1].split(b"\033[J")[0].split(b"\r\n")
assert len(last) == 5, last
assert all(len(line.removesuffix(b"\033[K").decode()) <= 30 for line in last), last

def pause(pid, _, more, terminal):
    os.kill(pid, signal.SIGTSTP)
    os.waitpid(pid, os.WUNTRACED)
    assert echoes(terminal)
    os.kill(pid, signal.SIGCONT)
    more(ENTER, 1)
    os.kill(pid, signal.SIGTERM)

_, output = watch((24, 80), pause)
assert output.count(ENTER) == 2 and output.count(LEAVE) == 2, output
END

# Accounts of system mounts are root's.
if [ "$(id -u)" = 0 ]; then
    DBXFS_STATE_DIR="$WORK/none" dbxfs accounts --system 2> "$WORK/message"
    grep -q 'run: dbxfs login --system' "$WORK/message"
else
    dbxfs accounts --system 2> "$WORK/message" && exit 1
fi

# The queue is known without a mount, too.
dbxfs unmount "$place"
kill -STOP "$(cat "$EMULATOR_PID_FILE")"
dbxfs mount "$place" 2> "$WORK/message"
echo waiting > "$place/waiting"
test "$(dbxfs accounts --json | grep -c '"pending_operations":1')" = 1
status=0
dbxfs unmount "$place" --timeout 0 || status=$?
test $status = 3
dbxfs accounts --json > "$WORK/accounts"
grep -q '"mountpoint":null.*"pending_operations":1' "$WORK/accounts"
dbxfs accounts | grep -q 'to send by the next mount'
chmod 644 "$DBXFS_STATE_DIR/default/token"
dbxfs accounts | grep -q 'chmod 600'
dbxfs accounts --json | grep -q '"access":"unusable"'
