# A full account, a refused token, too many requests, no server: work goes on as far as it can, status
# names the cause, and when that is over everything is sent by itself.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
says() {
    dbxfs status "$MNT" > "$WORK/status"
    cat "$WORK/status"
    grep -Eq "^  $1" "$WORK/status"
}
refused() {
    text=$1
    shift
    if timeout 20 "$@" > "$WORK/output" 2> "$WORK/message"; then exit 1; fi
    cat "$WORK/message"
    grep -qi "$text" "$WORK/message"
}
unsent() {
    code=0
    dbxfs sync "$MNT" --timeout 1 2> "$WORK/message" || code=$?
    cat "$WORK/message"
    test $code = 3
    grep -qi "$1" "$WORK/message"
}
on_server() {
    admin GET /tree | grep -q "\"path\": \"$1\""
}
sent() {
    says 'queue +empty: everything is on Dropbox$'
}
no_room_left() {
    test "$(stat -f -c %a "$MNT")" = 0
}
requests() { admin_stats "routes.get('$1', {'requests': 0})['requests']"; }

for name in big second third; do
    head -c 300000 /dev/urandom > "$WORK/$name"
done
dbxfs mount "$MNT" -o write_delay=0s
cp "$WORK/third" "$MNT/old"
echo hello > "$MNT/note"
echo doomed > "$MNT/doomed"
wait_until 20 sent

# The account is full, to the byte.
admin POST /quota '{"bytes": 300013}'
cp "$WORK/big" "$MNT/big"
wait_until 10 says 'problem +/big: the account is full: delete something or get more space$'
says 'queue +1 change, 293.0 KiB to send$'
says 'state +online$'
test "$(status_field problems)" = \
    "[{'path': '/big', 'reason': 'the account is full: delete something or get more space'}]"
test "$(status_field pending_operations) $(status_field pending_bytes)" = '1 300000'
refused 'disk quota exceeded' sh -c 'env echo x > "$MNT/new"'
refused 'disk quota exceeded' sh -c 'env echo more >> "$MNT/note"'
refused 'disk quota exceeded' truncate -s 1000 "$MNT/note"
# An empty file needs no room: that it was taken does not mean that there is some.
wait_until 10 on_server /new
refused 'disk quota exceeded' sh -c 'env echo more >> "$MNT/note"'
wait_until 5 no_room_left
cmp "$WORK/big" "$MNT/big"
cmp "$WORK/third" "$MNT/old"
mv "$MNT/note" "$MNT/renamed"
mkdir "$MNT/folder"
rm "$MNT/doomed" "$MNT/new"
wait_until 10 on_server /renamed
wait_until 10 on_server /folder
wait_until 10 says 'queue +1 change, 293.0 KiB to send$'
if on_server /doomed || on_server /big; then exit 1; fi
test "$(cat "$MNT/renamed")" = hello
unsent 'the account is full: delete something'

# A deletion here makes room: the uploads do not wait for their next try of long ago.
rm "$MNT/old"
wait_until 15 sent
"$TOOLS/dropbox.py" get /big | cmp "$WORK/big" -
echo again > "$MNT/new"
wait_until 10 sent
test "$("$TOOLS/dropbox.py" get /new)" = again

# Dropbox does not report room that was bought.
admin POST /quota '{"bytes": 300012}'
cp "$WORK/second" "$MNT/second"
wait_until 10 says 'problem +/second: the account is full'
admin POST /quota '{"bytes": 1000000000}'
wait_until 40 sent
"$TOOLS/dropbox.py" get /second | cmp "$WORK/second" -

# The refused file was given up: no try is left, and room is found all the same.
admin POST /quota '{"bytes": 600012}'
cp "$WORK/third" "$MNT/third"
wait_until 10 says 'problem +/third: the account is full'
rm "$MNT/third"
wait_until 5 sent
admin POST /quota '{"bytes": 1000000000}'
wait_until 40 sh -c 'echo more >> "$MNT/renamed"'
wait_until 10 sent
test "$("$TOOLS/dropbox.py" get /renamed)" = 'hello
more'
python3 "$TOOLS/compare.py" "$MNT"

# The token is revoked.
head -c 300000 /dev/urandom | "$TOOLS/dropbox.py" upload /remote
wait_until 10 test -e "$MNT/remote"
python3 - << 'END_OF_PROGRAM'
import os, urllib.request
headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
urllib.request.urlopen(urllib.request.Request(
    os.environ["ENDPOINT"] + "/2/auth/token/revoke", headers=headers, method="POST"))
END_OF_PROGRAM
echo 'without a token' > "$MNT/queued"
mv "$MNT/renamed" "$MNT/note"
rm "$MNT/new"
wait_until 10 says 'state +no access: .*access token is .*; unmount, and mount with another access token$'
says 'queue +3 changes, 16 B to send$'
test "$(status_field state)" = auth-required
test "$(status_field pending_operations) $(status_field pending_bytes)" = '3 16'
cmp "$WORK/big" "$MNT/big"
test "$(cat "$MNT/queued")" = 'without a token'
refused 'permission denied' cat "$MNT/remote"
unsent 'access token'
echo 'from elsewhere' | "$TOOLS/dropbox.py" upload /elsewhere
if on_server /queued; then exit 1; fi
admin POST /tokens "{\"token\": \"$TOKEN\"}"
wait_until 40 sent
wait_until 10 says 'state +online$'
test "$("$TOOLS/dropbox.py" get /queued)" = 'without a token'
test "$(cat "$MNT/elsewhere")" = 'from elsewhere'
python3 "$TOOLS/compare.py" "$MNT"

# Dropbox asks to wait.
admin POST /faults \
    '{"kind": "rate_limited", "reason": "too_many_requests", "retry_after": 15, "count": 3, "route": "files/upload"}'
admin POST /stats/reset '{}'
for name in 1 2 3; do
    echo "file $name" > "$MNT/limited $name"
done
mv "$MNT/limited 3" "$MNT/folder/limited 3"
wait_until 4 says 'state +online: Dropbox asked to wait'
says 'queue +3 changes, 21 B to send$'
test "$(status_field state)" = online
python3 -c "assert 0 < $(status_field waiting_seconds) <= 15"
unsent 'asked to wait'
cmp "$WORK/big" "$MNT/big"
wait_until 60 sent
says 'state +online$'
test "$(status_field problems) $(status_field waiting_seconds)" = '[] None'
# One for each file, and one for each refusal.
test "$(requests files/upload)" -le 6
test "$("$TOOLS/dropbox.py" get '/folder/limited 3')" = 'file 3'

# No server.
stop_emulator
wait_until 10 says 'state +offline: what is cached can be read, changes are queued \(.*connect'
says 'queue +empty'
echo 'written offline' > "$MNT/draft"
mkdir "$MNT/plans"
mv "$MNT/big" "$MNT/plans/big"
rm "$MNT/second"
cmp "$WORK/big" "$MNT/plans/big"
timeout 5 stat -f "$MNT"
says 'queue +4 changes, 16 B to send$'
test "$(status_field state)" = offline
test "$(status_field pending_operations) $(status_field pending_bytes)" = '4 16'
start_emulator
wait_until 40 sent
wait_until 10 says 'state +online$'
test "$("$TOOLS/dropbox.py" get /draft)" = 'written offline'
if on_server /second; then exit 1; fi
python3 "$TOOLS/compare.py" "$MNT"

# Longer than a process can wait: it gets the error at once, and Dropbox is not asked each time.
head -c 5000 /dev/urandom | "$TOOLS/dropbox.py" upload /late
wait_until 10 test -e "$MNT/late"
admin POST /faults \
    '{"kind": "rate_limited", "reason": "too_many_requests", "retry_after": 300, "route": "files/download"}'
admin POST /stats/reset '{}'
for round in 1 2 3 4 5; do
    refused 'network is down' cat "$MNT/late"
done
says 'state +online: Dropbox asked to wait'
test "$(requests files/download)" -le 2
admin DELETE /faults
dbxfs unmount "$MNT"
