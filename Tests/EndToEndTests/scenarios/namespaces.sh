# A mount that another mount namespace has a copy of, as a container's: unmounting it here says so and returns, the copy works on,
# and the process ends with it.
# mounts: itself
# needs: root
# limit: 60
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
