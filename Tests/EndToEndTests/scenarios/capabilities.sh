# What root's mount may still do while it reads what comes from the network: unmount, and pass folders of others.
# needs: root
# mounts: itself
# limit: 120
expected=$(printf '%016x' $((1 << 21 | 1 << 2)))
rights() {
    for status in "/proc/$1"/task/*/status; do
        # A thread may end while it is looked at.
        cat "$status" 2> /dev/null || true
    done | grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' | sort -u | tr -d '\t'
}
check() {
    pid=$(dbxfs status --json "$MNT" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])')
    cat "$MNT"/*.txt > /dev/null || true
    check_rights "$pid"
    test $((0x$(sed -n 's/^CapEff://p' "$WORK/rights") & 1 << 21)) != 0
}
check_rights() {
    rights "$1" > "$WORK/rights"
    cat "$WORK/rights"
    for set in CapPrm CapEff CapBnd; do
        test "$(grep -c "^$set" "$WORK/rights")" = 1
        # What a container has not got, it does not get.
        test $((0x$(sed -n "s/^$set://p" "$WORK/rights") & ~0x$expected)) = 0
    done
    grep -qx 'CapInh:0000000000000000' "$WORK/rights"
    grep -qx 'CapAmb:0000000000000000' "$WORK/rights"
    grep -qx 'NoNewPrivs:1' "$WORK/rights"
}
gone() {
    tries=0
    while grep -q " $MNT fuse.dbxfs " /proc/mounts; do
        tries=$((tries + 1))
        test $tries -lt 300
        sleep 0.1
    done
}

# In the background, below folders of somebody else that nobody else may pass; ended by a signal, so that the
# process itself unmounts.
mkdir -p "$WORK/theirs/cache"
mv "$MNT" "$WORK/theirs/mnt"
MNT=$WORK/theirs/mnt
chown 65534 "$WORK/theirs" "$WORK/theirs/cache"
chmod 700 "$WORK/theirs"
dbxfs mount "$MNT" -o "cache_dir=$WORK/theirs/cache,allow_other"
check
echo text > "$MNT/written"
dbxfs sync "$MNT" --timeout 60
dbxfs cache clear "$MNT"
test "$(cat "$MNT/written")" = text
kill -TERM "$pid"
gone

# In the foreground, as systemd runs it, ended by umount(8).
dbxfs mount --foreground "$MNT" > "$WORK/log" 2>&1 &
mount=$!
until dbxfs status "$MNT" > /dev/null 2>&1; do
    kill -0 $mount
    sleep 0.1
done
check
umount "$MNT"
wait $mount

# Commands that ask a server themselves: one that accepts and says nothing.
cat > "$WORK/silent.py" << 'END'
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
connection = server.accept()
print("accepted", flush=True)
time.sleep(100)
END
for command in ls-remote doctor; do
    python3 "$WORK/silent.py" > "$WORK/port" & server=$!
    until grep -q . "$WORK/port"; do sleep 0.1; done
    DBXFS_ENDPOINT=http://127.0.0.1:$(head -n 1 "$WORK/port") dbxfs $command > "$WORK/log" 2>&1 & asking=$!
    until grep -q accepted "$WORK/port"; do
        kill -0 $asking
        sleep 0.1
    done
    check_rights $asking
    kill $asking $server
    wait $asking $server || true
done
