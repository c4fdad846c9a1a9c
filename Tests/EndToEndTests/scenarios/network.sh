# A network that goes away and comes back: noticed at once, and changes are there seconds after it is back.
# mounts: itself
# needs: root
# limit: 240
. "$TOOLS/lib.sh"
if ! unshare -n true 2> /dev/null; then
    echo 'skipped: no network namespaces here'
    exit 0
fi
# An emulator and a mount in a network of their own, whose only link is the loopback. The mount stays in this mount namespace.
stop_emulator
unshare -n sleep 600 &
network=$!
trap 'kill $network 2> /dev/null || true' EXIT
inside() { nsenter -t $network -n "$@"; }
wait_until 10 eval 'test "$(readlink /proc/$network/ns/net)" != "$(readlink /proc/self/ns/net)"'
inside ip link set lo up
inside "$EMULATOR" --port "$PORT" --state "$EMULATOR_STATE" --token "$TOKEN" --token "$TOKEN2" \
    >> "$WORK/../emulator.log" 2>&1 &
emulator=$!
wait_while_running $emulator 60 inside curl -sf "$ADMIN/stats"
echo $emulator > "$EMULATOR_PID_FILE"
inside dbxfs mount "$MNT"
wait_until 20 has_state online
milliseconds() { date +%s%3N; }
changes_noticed() { grep -c 'the network has changed' "$DBXFS_STATE_DIR/default/dbxfs.log"; }
has_noticed() { test "$(changes_noticed)" -gt "$1"; }

for round in 1 2 3 3; do
    noticed=$(changes_noticed || true)
    inside ip link set lo down
    wait_until 10 has_noticed "$noticed"
    if [ $round = 1 ]; then
        # Without its link the loopback drops all that is sent, so each of a call's attempts takes 15 seconds.
        wait_until 120 has_state offline
        dbxfs status "$MNT" | grep -q 'state  *offline: .*('
    fi
    # A connection that was begun without the link is begun anew: the kernel has repeated its first packet after 1 and 3 seconds, and
    # would do so again after 7. So is a request for changes on a connection from before.
    if [ $round = 3 ]; then sleep 4; fi
    inside ip link set lo up
    echo "round $round" | inside "$TOOLS/dropbox.py" upload "/round$round-$noticed"
    begin=$(milliseconds)
    wait_until 10 contains "$MNT/round$round-$noticed" "round $round"
    spent=$(($(milliseconds) - begin))
    echo "changes after $spent ms"
    test $spent -lt 2000
done
dbxfs unmount "$MNT"
kill $emulator
