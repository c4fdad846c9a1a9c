# A mount that another mount namespace has a copy of, as a container's: unmounting it here says so and returns, the copy works on,
# and the process ends with it.
# beside: nothing
# mounts: itself
# needs: root
# limit: 150
. "$TOOLS/lib.sh"
ln -s "$(command -v dbxfs)" "$WORK/umount.dbxfs"
dbxfs mount "$MNT"
echo here > "$MNT/file"
process=$(status_field pid)
for unmount in "dbxfs unmount" "$WORK/umount.dbxfs"; do
    # A namespace's mounts are its own from its beginning.
    unshare --mount --propagation private sh -c 'echo inside > "$1/inside"; exec sleep 300' sh "$WORK" & holder=$!
    wait_until 10 has_own_mounts $holder
    wait_until 10 test -e "$WORK/inside"
    $unmount "$MNT" 2> "$WORK/said"
    grep -F "$MNT is unmounted here, and stays in use in another mount namespace" "$WORK/said"
    grep -F "sleep ($holder)" "$WORK/said"
    not mountpoint -q "$MNT"
    test "$(nsenter --mount --target $holder cat "$MNT/file")" = here
    kill $holder
    wait $holder || true
    wait_until 30 has_ended "$process"
    dbxfs mount "$MNT"
    process=$(status_field pid)
done
dbxfs unmount "$MNT" 2> "$WORK/said"
test ! -s "$WORK/said"

# In this namespace, a bind mount is the same mount: commands work there, and it stays until both are unmounted.
mkdir -p "$WORK/above/m" "$WORK/bind"
dbxfs mount "$WORK/above/m"
process=$(status_field pid "$WORK/above/m")
mount --bind "$WORK/above/m" "$WORK/bind"
test "$(status_field pid "$WORK/bind")" = "$process"
dbxfs log "$WORK/bind" > "$WORK/log"
test -s "$WORK/log"
# A folder of it is shown with the paths that it has there.
mkdir -p "$WORK/above/m/outer/inner" "$WORK/part"
for folder in outer outer/inner; do
    for name in a "a (Host's conflicted copy 2026-11-22)"; do echo of > "$WORK/above/m/$folder/$name"; done
done
dbxfs sync "$WORK/above/m" --timeout 60
dbxfs pin "$WORK/above/m/outer/a" "$WORK/above/m/outer/inner/a" --timeout 60
mount --bind "$WORK/above/m/outer/inner" "$WORK/part"
dbxfs pins "$WORK/part" --json | python3 -c 'import json, sys
assert json.loads(sys.stdin.read())["path"] == sys.argv[1]' "$WORK/part/a"
dbxfs conflicts "$WORK/part" --json | python3 -c 'import json, sys
copy = json.loads(sys.stdin.read())
assert copy["path"].startswith(sys.argv[1]) and copy["original"] == sys.argv[1], copy' "$WORK/part/a"
umount "$WORK/part"
dbxfs unmount "$WORK/above/m" 2> "$WORK/said"
grep -F "the same mount stays at $WORK/bind" "$WORK/said"
dbxfs unmount "$WORK/bind"
wait_until 30 has_ended "$process"

# A mount is found after a folder above it was renamed.
dbxfs mount "$WORK/above/m"
process=$(status_field pid "$WORK/above/m")
mv "$WORK/above" "$WORK/renamed"
test "$(status_field pid "$WORK/renamed/m")" = "$process"
dbxfs sync "$WORK/renamed/m"
dbxfs log "$WORK/renamed/m" | grep -qF "$WORK/renamed/m/"
dbxfs unmount
not mountpoint -q "$WORK/renamed/m"
wait_until 30 has_ended "$process"

# A mount that has no place in this namespace is not waited for: one that was detached while a program has a file open, and one that
# was made in another namespace.
dbxfs mount "$MNT"
process=$(status_field pid)
exec 7< "$MNT/file"
umount -l "$MNT"
timeout 60 dbxfs unmount "$MNT" 2> "$WORK/said"
grep -F "$MNT is not mounted here, and stays in use" "$WORK/said"
exec 7<&-
wait_until 30 has_ended "$process"
unshare --mount --propagation private sh -c 'dbxfs mount "$1"; echo inside > "$1/elsewhere"; exec sleep 300' sh "$MNT" & holder=$!
wait_until 60 eval 'test "$("$TOOLS/dropbox.py" get /elsewhere)" = inside'
process=$(status_field pid)
timeout 60 dbxfs unmount "$MNT" --timeout 30 2> "$WORK/said"
grep -F "$MNT is not mounted here, and stays in use in another mount namespace" "$WORK/said"
grep -F "($holder)" "$WORK/said"
nsenter --mount --target $holder dbxfs unmount "$MNT"
wait_until 30 has_ended "$process"
kill $holder
wait $holder || true
