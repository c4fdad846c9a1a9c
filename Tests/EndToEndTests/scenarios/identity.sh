# A token of another person's account: nothing is listed by it or sent, however the mount began.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
# The tree of an account, by the API and no mount.
names_of() {
    curl -sf -X POST "$ENDPOINT/2/files/list_folder" -H "Authorization: Bearer $1" \
        -H 'Content-Type: application/json' -d '{"path":""}' |
        python3 -c 'import json, sys; print(*sorted(e["name"] for e in json.load(sys.stdin)["entries"]))'
}

admin POST /accounts '{"given_name":"Mallory","surname":"Other","email":"mallory@example.com","token":"mallorys"}'
"$TOOLS/dropbox.py" upload /of-sample < /dev/null

# The state folder keeps Mallory's files, one of them in the queue only.
export DBXFS_ACCESS_TOKEN=mallorys
dbxfs mount "$MNT"
echo sent > "$MNT/sent"
dbxfs sync "$MNT" --timeout 60
stop_emulator
echo private > "$MNT/PRIVATE"
dbxfs unmount --timeout 1 "$MNT" || true
wait_until 60 not mountpoint -q "$MNT"

# Without a network, the mount cannot know that this is Sample's token. When the server is back, it does.
for way in variable file; do
    unset DBXFS_ACCESS_TOKEN
    case $way in
    variable) export DBXFS_ACCESS_TOKEN="$TOKEN" ;;
    file) (umask 077; echo "$TOKEN" > "$DBXFS_STATE_DIR/default/token") ;;
    esac
    dbxfs mount "$MNT" 2> "$WORK/said"
    grep -q 'mounted offline' "$WORK/said"
    test "$(ls "$MNT")" = "$(printf 'PRIVATE\nsent')"
    echo more > "$MNT/MORE"
    start_emulator
    wait_until 60 has_state auth-required
    dbxfs status "$MNT" > "$WORK/status"
    grep -q "Sample User" "$WORK/status"
    grep -q "Mallory Other" "$WORK/status"
    # Nothing was listed: what Sample has does not show. Nothing was sent, nor is it by waiting or by asking for it.
    test "$(cat "$MNT/PRIVATE")" = private
    cat "$MNT/of-sample" 2> /dev/null && exit 1
    dbxfs sync "$MNT" --timeout 3 2> "$WORK/said" && exit 1
    test "$(names_of "$TOKEN")" = of-sample
    test "$(names_of mallorys)" = sent
    rm "$MNT/MORE"
    stop_emulator
    dbxfs unmount --timeout 1 "$MNT" || true
    wait_until 60 not mountpoint -q "$MNT"
    rm -f "$DBXFS_STATE_DIR/default/token"
done

# A server that fails to say whose the token is gets nothing either, until it does; then all goes where it belongs.
start_emulator
admin POST /faults '{"kind":"server_error","route":"users/get_current_account","status":500}'
export DBXFS_ACCESS_TOKEN="$TOKEN"
dbxfs mount "$MNT" 2> "$WORK/said"
grep -q 'mounted offline' "$WORK/said"
# Time for the change that must not be sent.
sleep 3
test "$(names_of "$TOKEN")" = of-sample
admin DELETE /faults
wait_until 60 has_state auth-required
test "$(names_of "$TOKEN")" = of-sample
dbxfs unmount --timeout 1 "$MNT" || true
wait_until 60 not mountpoint -q "$MNT"

# With the server there from the beginning, it is refused at once.
status=0
dbxfs mount "$MNT" 2> "$WORK/said" || status=$?
test $status = 32
grep -q 'keeps the files of Mallory Other' "$WORK/said"

# And the account's own token sends the queue.
export DBXFS_ACCESS_TOKEN=mallorys
dbxfs mount "$MNT"
dbxfs sync "$MNT" --timeout 60
test "$(names_of mallorys)" = 'PRIVATE sent'
test "$(names_of "$TOKEN")" = of-sample
dbxfs unmount "$MNT"

# A note of whose files they are that is damaged, gone or another folder's gives them to no other account: the database knows
# its account. That account's own token mounts, and writes the note anew.
note="$DBXFS_STATE_DIR/default/account.json"
cp -p "$note" "$WORK/note"
for damage in '' '{' '[]' '{}' '{"accountID":7,"name":"A","email":"a@example.com"}' gone \
    '{"accountID":"dbid:sample","name":"A","email":"a@example.com"}'; do
    if test "$damage" = gone; then rm "$note"; else printf %s "$damage" > "$note"; fi
    status=0
    DBXFS_ACCESS_TOKEN="$TOKEN" dbxfs mount "$MNT" 2> "$WORK/said" || status=$?
    test $status = 32
    test "$(wc -l < "$WORK/said")" = 1
    grep -q 'keeps the files of Mallory Other <mallory@example.com>' "$WORK/said"
    test "$damage" = gone || test "$(cat "$note")" = "$damage"
    dbxfs mount "$MNT"
    test "$(cat "$MNT/PRIVATE")" = private
    dbxfs unmount "$MNT"
    cmp "$note" "$WORK/note"
done

# Another server gets no request, not even about the account, until the folder's own is set again. A folder
# from before its server was noted takes the one that is there.
"$EMULATOR" --port 0 --port-file "$WORK/port" --state "$WORK/elsewhere" --request-log "$WORK/asked" --token mallorys $EMULATOR_OPTIONS \
    --exit-with-parent > /dev/null 2>&1 &
elsewhere=$!
wait_while_running $elsewhere 60 test -s "$WORK/port"
other=http://127.0.0.1:$(cat "$WORK/port")
status=0
DBXFS_ENDPOINT="$other" dbxfs mount "$MNT" 2> "$WORK/said" || status=$?
test $status = 32
grep -qF "default keeps files of $ENDPOINT, but the server is $other," "$WORK/said"
test "$(wc -l < "$WORK/said")" = 1
test ! -s "$WORK/asked"
kill $elsewhere
server() {
    python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    for (value,) in db.execute(sys.argv[2]): print(value)' "$DBXFS_STATE_DIR/default/tree.sqlite" "$1"
}
server "DELETE FROM setting WHERE key = 'account.server'"
dbxfs mount "$MNT"
dbxfs unmount "$MNT"
test "$(server "SELECT value FROM setting WHERE key = 'account.server'")" = "$ENDPOINT"

# A database that does not know its account (an older version's) leaves the note to decide: a damaged one is refused.
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db: db.execute("DELETE FROM setting WHERE key = ?", ("account.id",))' \
    "$DBXFS_STATE_DIR/default/tree.sqlite"
for damage in '' '{"accountID":7,"name":"A","email":"a@example.com"}'; do
    printf %s "$damage" > "$note"
    for token in mallorys "$TOKEN"; do
        status=0
        DBXFS_ACCESS_TOKEN="$token" dbxfs mount "$MNT" 2> "$WORK/said" || status=$?
        test $status = 32
        test "$(wc -l < "$WORK/said")" = 1
        grep -q 'account.json, which says whose files are beside it, cannot be read' "$WORK/said"
    done
    test "$(cat "$note")" = "$damage"
done
cp -p "$WORK/note" "$note"
dbxfs mount "$MNT"
dbxfs unmount "$MNT"
