# A server that lists names, sizes, dates and revisions that cannot be: the mount shows what can be shown, leaves out
# the rest, and lives.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
entries() { python3 "$TOOLS/hostile_names.py" "$1" "$2" > "$WORK/$2"; }
for kind in shown refused surrogate; do
    entries $kind "$kind-first"
    entries $kind "$kind-later"
done
start_hostile_server plain
trap 'kill $hostile_server' EXIT
client() { python3 "$TOOLS/dropbox.py" "$@"; }
client mkdir /plain
echo text | client upload /plain/file

# Looks at everything below a folder. Failures come soon: only a time limit of its own ends timeout with 124.
look() {
    for command in 'ls -laR' 'find -ls' 'find -type f -exec head -c 8 {} +' 'find -exec stat {} +' 'du -a' 'getfattr -dR'; do
        status=0
        (cd "$1" && timeout 60 $command > "$WORK/seen" 2>&1) || status=$?
        test $status != 124
        kill -0 "$pid"
    done
}
serves() {
    kill -0 "$pid"
    test "$(timeout 60 cat "$MNT/plain/file")" = text
}
# Each name that Linux can have is there, byte for byte; and none that it cannot.
complete() {
    python3 "$TOOLS/hostile_names.py" names "$1" > "$WORK/names"
    python3 - "$MNT/$1" "$WORK/names" << 'END'
import os, sys
listed = set(os.listdir(os.fsencode(sys.argv[1])))
wanted = set(open(sys.argv[2], "rb").read().split(b"\0")) - {b""}
missing = wanted - listed
assert not missing, f"not shown: {missing}"
for name in wanted:
    os.lstat(os.path.join(os.fsencode(sys.argv[1]), name))
others = {b"date %d" % n for n in range(6)} | {b"largest", b"empty", b"twice", b"two ids", b"kind"}
assert others <= listed, f"not shown: {others - listed}"
assert len([name for name in listed if name.lower() == b"case"]) == 1, listed
END
}
harmless() {
    python3 - "$MNT" "$1" << 'END'
import os, sys
mount, folder = map(os.fsencode, sys.argv[1:])
for where, folders, files in os.walk(mount):
    for name in folders + files:
        assert name and name not in (b".", b"..") and len(name) <= 255 and b"/" not in name, name
        status = os.lstat(os.path.join(where, name))
        assert 0 <= status.st_size <= 1 << 42, (name, status)
assert folder in os.listdir(mount)
assert b"up" not in os.listdir(mount) and b"etc" not in os.listdir(mount)
END
}

# From the first listing on.
export DBXFS_ENDPOINT="$(cat "$WORK/address")"
for kind in shown refused; do
    mode listing "$WORK/$kind-first"
    dbxfs mount "$MNT"
    pid=$(lock_owner)
    wait_for_delta "first-$kind"
    look "$MNT"
    if test $kind = shown; then complete shown-first; fi
    harmless "$kind-first"
    # A tree with such rows opens again.
    mode plain
    dbxfs unmount "$MNT"
    dbxfs mount "$MNT"
    pid=$(lock_owner)
    look "$MNT"
    harmless "$kind-first"
    serves
    # The same by a page of changes, on the mount that runs.
    mode entries "$WORK/$kind-later"
    wait_for_delta "later-$kind"
    look "$MNT"
    if test $kind = shown; then complete shown-later; fi
    harmless "$kind-later"
    serves
    mode plain
    # Changes by users among them.
    touch "$MNT/$kind-later/mine"
    mv "$MNT/$kind-later/mine" "$MNT/mine-$kind"
    rm "$MNT/mine-$kind"
    dbxfs unmount "$MNT" --timeout 20 || test $? = 3
    rm -rf "$DBXFS_STATE_DIR/default"
done

# A page that is no JSON, because half a character is none, is asked for again.
mode plain
dbxfs mount "$MNT"
pid=$(lock_owner)
wait_for_delta before-half
mode entries "$WORK/surrogate-later"
wait_for_delta after-half
look "$MNT"
serves
dbxfs unmount "$MNT"
