# What root's mount may still do while it reads what comes from the network: unmount, and pass folders of others.
# needs: root
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
expected=$(printf '%016x' $((1 << 21 | 1 << 2)))
rights() {
    for status in "/proc/$1"/task/*/status; do
        # A thread may end while it is looked at.
        cat "$status" 2> /dev/null || true
    done | grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' | sort -u | tr -d '\t'
}
check() {
    pid=$(status_field pid)
    cat "$MNT"/*.txt > /dev/null || true
    check_rights "$pid"
    test $((0x$(sed -n 's/^CapEff://p' "$WORK/rights") & 1 << 21)) != 0
}
check_rights() {
    rights "$1" > "$WORK/rights"
    cat "$WORK/rights"
    for set in CapPrm CapEff CapBnd; do
        test "$(grep -c "^$set" "$WORK/rights")" = 1
        # A capability that the container lacks is not added.
        test $((0x$(sed -n "s/^$set://p" "$WORK/rights") & ~0x$expected)) = 0
    done
    grep -qx 'CapInh:0000000000000000' "$WORK/rights"
    grep -qx 'CapAmb:0000000000000000' "$WORK/rights"
    grep -qx 'NoNewPrivs:1' "$WORK/rights"
}

# In the background, below folders of another user that no third one may pass; ended by a signal, so that the
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
wait_until 60 not grep -q " $MNT fuse.dbxfs " /proc/mounts

# In the foreground, as systemd runs it, ended by umount(8).
dbxfs mount --foreground "$MNT" > "$WORK/log" 2>&1 &
mount=$!
wait_while_running $mount 60 dbxfs status "$MNT"
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
# It says nothing until it is ended.
time.sleep(100)
END
echo code > "$WORK/code"
for command in ls-remote doctor 'login --system --account in --app-key test-app --no-browser' 'logout --system --account out'; do
    # The shell of the background empties the file only some time later: the last port would be read again.
    : > "$WORK/port"
    python3 "$WORK/silent.py" > "$WORK/port" & server=$!
    wait_while_running $server 30 grep . "$WORK/port"
    address=http://127.0.0.1:$(head -n 1 "$WORK/port")
    mkdir -p -m 700 "$DBXFS_STATE_DIR/out"
    (umask 077; cat > "$DBXFS_STATE_DIR/out/credentials.json" << END
{"app_key":"test-app","refresh_token":"x","scopes":[],"account_id":"dbid:x","server":"$address"}
END
    )
    DBXFS_ENDPOINT=$address dbxfs $command < "$WORK/code" > "$WORK/log" 2>&1 & asking=$!
    wait_while_running $asking 30 grep accepted "$WORK/port"
    check_rights $asking
    kill $asking $server
    wait $asking $server || true
done

# The opener of the browser has none either, and so the browser. A login that fails leaves no folder.
mkdir "$WORK/bin"
cat > "$WORK/bin/xdg-open" << END
#!/bin/sh
grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status | tr -d '\t' > "$WORK/opener.new"
mv "$WORK/opener.new" "$WORK/opener"
END
chmod +x "$WORK/bin/xdg-open"
PATH="$WORK/bin:$PATH" DISPLAY=:0 dbxfs login --system --account none --app-key test-app > "$WORK/log" 2>&1 & asking=$!
wait_while_running $asking 30 test -e "$WORK/opener"
check_rights $asking
# A program of root's has all that its bounding set has.
for set in CapPrm CapEff CapBnd; do test $((0x$(sed -n "s/^$set://p" "$WORK/opener") & ~0x$expected)) = 0; done
grep -qx 'NoNewPrivs:1' "$WORK/opener"
kill $asking
wait $asking || true
status=0
dbxfs login --system --account none --app-key test-app --no-browser < /dev/null > "$WORK/log" 2>&1 || status=$?
test $status = 2
test ! -e "$DBXFS_STATE_DIR/none"

# Where the kernel is told to refuse the giving up, no server is asked with all capabilities.
cat > "$WORK/refusing.py" << 'END'
import ctypes, os, platform, struct, sys
number = {"x86_64": 126, "aarch64": 91}[platform.machine()]
# Loads the number of the call; capset is EPERM, and all others are allowed.
code = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
filter = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in code))
program = struct.pack("@HP", len(code), ctypes.addressof(filter))
assert ctypes.CDLL(None).prctl(22, 2, program, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
END
for command in ls-remote 'login --system --account in --app-key test-app --no-browser' 'logout --system --account out' "mount $MNT"; do
    if DBXFS_ENDPOINT=$address python3 "$WORK/refusing.py" dbxfs $command < "$WORK/code" > "$WORK/log" 2>&1; then exit 1; fi
    cat "$WORK/log"
    grep -q 'cannot be given up (Operation not permitted)' "$WORK/log"
done
