# A mount's metrics are scraped at a socket and at a port: the text of `dbxfs status --metrics`; no client delays the unmount, no other file is
# replaced, and a place that is taken refuses the mount.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# Names and labels without the numbers, which change between two texts.
shape() { sed 's/ [^ ]*$//' "$1" | sort; }
# same_metrics CURL-ARGUMENTS…
same_metrics() {
    curl -sSf --max-time 20 -o "$WORK/scraped" "$@"
    dbxfs status --metrics "$MNT" > "$WORK/told"
    shape "$WORK/scraped" > "$WORK/scraped.shape"
    shape "$WORK/told" | cmp - "$WORK/scraped.shape"
}
code() { curl -sS --max-time 20 -o "$WORK/body" -w '%{http_code}' "$@"; }

# At a socket, which a process that was killed has left.
socket="$WORK/metrics.sock"
dbxfs mount -o "metrics=$socket" "$MNT"
test "$(stat -c '%F %a' "$socket")" = 'socket 600'
kill -9 "$(status_field pid)"
wait_until 30 not stat -f "$MNT"
test -S "$socket"
dbxfs mount -o "metrics=unix:$socket" "$MNT"
test "$(status_field metrics_address)" = "$socket"
echo text > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
wait_until 30 same_metrics --unix-socket "$socket" http://localhost/metrics
grep -q '^dbxfs_state{.*state="online"} 1$' "$WORK/scraped"
/usr/bin/python3 - "$WORK/scraped" << 'END'
import sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(open(sys.argv[1]).read()))
assert len(families) > 30, families
END
set -- --unix-socket "$socket"
curl -sSfI --max-time 20 "$@" http://localhost/metrics > "$WORK/head"
grep -q '^Content-Type: text/plain; version=0.0.4; charset=utf-8' "$WORK/head"
test "$(code "$@" http://localhost/)" = 404
test "$(code "$@" -d x=1 http://localhost/metrics)" = 405

# Clients that say half a request, or take nothing of an answer, do not delay the unmount, and see its end.
python3 - "$socket" > "$WORK/clients" << 'END' &
import socket, sys
clients = [socket.socket(socket.AF_UNIX) for _ in range(20)]
for number, client in enumerate(clients):
    # A socket with a time limit does not wait for a place in the queue: its connect fails with EAGAIN.
    client.connect(sys.argv[1])
    client.settimeout(120)
    client.sendall([b"", b"GET /metrics HT", b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 9000][number % 3])
print("hanging", flush=True)
for client in clients:
    # A reset where the mount has not read all bytes.
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass
END
clients=$!
wait_while_running $clients 30 grep -q hanging "$WORK/clients"
timeout 60 dbxfs unmount "$MNT"
test ! -e "$socket"
wait $clients

# At a port of this machine, which is free again when the unmount is done.
port=$(free_port)
for _ in 1 2 3; do
    dbxfs mount -o "metrics=$port" "$MNT"
    wait_until 30 same_metrics "http://127.0.0.1:$port/metrics"
    dbxfs unmount "$MNT"
done
dbxfs mount -o "metrics=$port" "$MNT"
test "$(status_field metrics_address)" = "localhost:$port"
test "$(code "http://127.0.0.1:$port/metrics")" = 200
test "$(code -H 'Host: evil.example' "http://127.0.0.1:$port/metrics")" = 403
fails_in_one_line 1 'cannot be changed while it is mounted' dbxfs set "$MNT" metrics=9417

# Taken: the second mount is refused before anything is mounted.
mkdir "$WORK/other"
fails_in_one_line 32 "metrics cannot be served at localhost:$port (another process serves it)" \
    dbxfs mount -o "metrics=$port" other: "$WORK/other"
test "$(grep -c "$WORK/other" /proc/mounts)" = 0
dbxfs unmount "$MNT"

# Places where they cannot be.
echo precious > "$WORK/precious"
fails_in_one_line 32 'no socket of yours' dbxfs mount -o "metrics=$WORK/precious" "$MNT"
contains "$WORK/precious" precious
ln -s "$MNT" "$WORK/link"
for place in "$MNT/metrics" "$WORK/link/metrics"; do
    fails_in_one_line 32 'it is inside the mountpoint' timeout 60 dbxfs mount -o "metrics=$place" "$MNT"
done
fails_in_one_line 1 'metrics takes a port' dbxfs mount -o metrics=example.com:9417 "$MNT"
fails 2 'nothing is mounted' dbxfs status "$MNT"
