# What mount(8) and umount(8) run for this type: options, exit codes, and a process that ends by itself.
# beside: nothing
# mounts: itself
# needs: root
# limit: 240
. "$TOOLS/lib.sh"
mkdir "$WORK/sbin" "$WORK/outside"
chmod 711 "$WORK/.." "$WORK"
helper="$WORK/sbin/mount.dbxfs"
for name in mount.dbxfs mount.fuse.dbxfs umount.dbxfs umount.fuse.dbxfs; do
    ln -s "$DBXFS" "$WORK/sbin/$name"
done
# As at boot: no home, no terminal, hardly a variable. root's mounts would use /var/lib/dbxfs; the test
# has other folders.
cat > "$WORK/at boot" << END
#!/bin/sh
exec env -i PATH=/sbin:/usr/sbin:/bin:/usr/bin DBXFS_STATE_DIR="$DBXFS_STATE_DIR" \\
    DBXFS_CACHE_DIR="$DBXFS_CACHE_DIR" DBXFS_CONFIG="$WORK/config.toml" "\$@"
END
chmod +x "$WORK/at boot"
shown() { findmnt -n -o "$1" --mountpoint "$MNT"; }

echo "endpoint = '$DBXFS_ENDPOINT'" > "$WORK/config.toml"
# The account has a token file; variables do not reach a mount at boot.
mkdir -p -m 700 "$DBXFS_STATE_DIR/work"
(umask 077; echo "$TOKEN" > "$DBXFS_STATE_DIR/work/token")
unset DBXFS_ACCESS_TOKEN
"$TOOLS/dropbox.py" mkdir /Projects
echo theirs | "$TOOLS/dropbox.py" upload /Projects/theirs

# Wrong in one way or another.
fails_in_one_line 1 fastest "$WORK/at boot" "$helper" work "$MNT" -o rw,fastest
fails_in_one_line 1 'a/b' "$WORK/at boot" "$helper" a/b "$MNT"
fails_in_one_line 32 'mkdir' "$WORK/at boot" "$helper" work "$WORK/nowhere"
fails_in_one_line 32 'no login' "$WORK/at boot" "$helper" nobody "$MNT"
status=0
"$WORK/at boot" "$helper" work || status=$?
test $status = 1
"$WORK/at boot" "$helper" --version | grep -q '^0\.'

# An account that was never seen, without a network.
fails_in_one_line 32 'cannot be reached' "$WORK/at boot" env DBXFS_ENDPOINT=http://127.0.0.1:9 "$helper" work:/Projects "$MNT"

# -f does everything but mount.
"$WORK/at boot" "$helper" work:/Projects "$MNT" -f -v -o ro | grep -q 'would be mounted'
test -z "$(shown TARGET)"
fails_in_one_line 1 fastest "$WORK/at boot" "$helper" work "$MNT" -f -o fastest

# A line of /etc/fstab, as mount(8) hands it on. An unknown option is left out with -s.
"$WORK/at boot" "$helper" work:/Projects "$MNT" -s -n -t dbxfs -o rw,allow_other,uid=1234,gid=4321,umask=027,noexec \
    -o 'context="system_u:object_r:fusefs_t:s0",_netdev,nofail,user,x-systemd.automount,comment=x,fastest'
test "$(shown FSTYPE)" = fuse.dbxfs
test "$(shown SOURCE)" = work:/Projects
for option in noexec nosuid nodev allow_other default_permissions; do
    shown VFS-OPTIONS,FS-OPTIONS | grep -qw $option
done
test "$(stat -c '%u %g %a' "$MNT" "$MNT/theirs")" = '1234 4321 750
1234 4321 640'
fails_in_one_line 32 'mounted at .* already' "$WORK/at boot" "$helper" work:/Projects "$MNT"
# Owners and masks hold for all users.
as() { who=$1; shift; setpriv --reuid="$who" --regid="$who" --clear-groups "$@"; }
as 1234 sh -ec 'echo mine > "$MNT/mine"'
test "$(as 1234 cat "$MNT/mine")" = mine
test "$(as 4321 cat "$MNT/mine")" = mine
as 4321 sh -c 'echo more >> "$MNT/mine"' && exit 1
as 999 ls "$MNT" && exit 1
printf '#!/bin/sh\n' > "$MNT/program"
chmod 755 "$MNT/program"
"$MNT/program" && exit 1
test "$(stat -c %u "$MNT/mine")" = 1234

# The user of the files may ask, and wait; other users may not, and only root may change something.
chmod 711 "$DBXFS_STATE_DIR"
cp "$DBXFS" "$WORK/program"
# The folder of root's own sockets is closed to them; that of users is beside it.
mkdir "$WORK/users"
ln -s "$DBXFS_STATE_DIR/run-users" "$WORK/users/run-users"
asking() {
    _who=$1
    shift
    as "$_who" env -i PATH=/bin:/usr/bin HOME="$WORK" DBXFS_RUNTIME_DIR="$WORK/users/run" "$WORK/program" "$@"
}
as 1234 sh -c 'echo asked > "$MNT/asked"'
asking 1234 sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /Projects/asked)" = asked
asking 1234 status "$MNT" | grep -q "$MNT"
asking 1234 status | grep -q "$MNT"
asking 1234 conflicts "$MNT"
asking 1234 revisions "$MNT/asked" > "$WORK/output"
test -s "$WORK/output"
for request in "set $MNT write_delay=0" "pause $MNT" "cache clear $MNT" "pin $MNT/asked" "link $MNT/asked"; do
    # shellcheck disable=SC2086
    fails 2 'as root' asking 1234 $request
done
fails 2 'as root' asking 1234 unmount "$MNT"
fails 2 'as root' asking 4321 status "$MNT"
asking 4321 status > "$WORK/output" 2> "$WORK/message"
test ! -s "$WORK/output"
fails 1 'system is for root' asking 1234 ls-remote "$MNT"

# umount(8)'s helper returns when the queue is empty, and the process ends.
process=$(status_field pid)
echo 'in time' > "$MNT/last"
"$WORK/at boot" "$WORK/sbin/umount.fuse.dbxfs" "$MNT" -n -v -t fuse.dbxfs | grep -q unmounted
test "$("$TOOLS/dropbox.py" get /Projects/last)" = 'in time'
wait_until 5 has_ended "$process"
test -z "$(shown TARGET)"
test -e "$DBXFS_STATE_DIR/work@Projects/all-sent"
fails_in_one_line 32 'nothing is mounted' "$WORK/at boot" "$WORK/sbin/umount.dbxfs" "$MNT"
fails_in_one_line 2 'mount -i -o remount,ro' "$WORK/at boot" "$helper" work:/Projects "$MNT" -o remount,ro,uid=0
mount -t tmpfs none "$MNT"
fails_in_one_line 32 'type tmpfs' "$WORK/at boot" "$WORK/sbin/umount.dbxfs" "$MNT"
umount "$MNT"

# The kernel's umount knows no queue: the process keeps what cannot be sent, ends by itself, and the next
# mount sends it.
"$WORK/at boot" "$WORK/sbin/mount.fuse.dbxfs" work:/Projects "$MNT" -o write_delay=1h
test ! -e "$DBXFS_STATE_DIR/work@Projects/all-sent"
process=$(status_field pid)
stop_emulator
echo 'later' > "$MNT/later"
umount -i "$MNT"
test "$(ls -A "$MNT")" = ''
# It would go on trying for a minute, unless it is told a second time. Signals that come before the first one
# was taken note of are one signal.
wait_until 20 not kill "$process"
test ! -e "$DBXFS_STATE_DIR/work@Projects/all-sent"

# Boot without a network: a known account comes up with its known tree.
"$WORK/at boot" "$helper" work:/Projects "$MNT" -o ro > "$WORK/message" 2>&1
grep -q 'mounted offline' "$WORK/message"
test "$(cat "$MNT/later")" = later
ls "$MNT/theirs"
touch "$MNT/refused" && exit 1
start_emulator
dbxfs sync "$MNT" --timeout 120
test "$("$TOOLS/dropbox.py" get /Projects/later)" = later

# In use, it stays, unless it is detached.
exec 3< "$MNT/theirs"
fails_in_one_line 32 'is in use' "$WORK/at boot" "$WORK/sbin/umount.dbxfs" "$MNT"
"$WORK/at boot" "$WORK/sbin/umount.dbxfs" "$MNT" -l -f -r
test -z "$(shown TARGET)"
exec 3<&-

# In another namespace of mounts.
unshare -m sleep 1000 & other=$!
wait_until 30 has_own_mounts $other
"$WORK/at boot" "$helper" work "$MNT" -N "/proc/$other/ns/mnt"
test -z "$(shown TARGET)"
nsenter -t $other -m findmnt -n -o SOURCE --mountpoint "$MNT" | grep -qx work
"$WORK/at boot" "$WORK/sbin/umount.fuse.dbxfs" "$MNT" -N "/proc/$other/ns/mnt"
nsenter -t $other -m findmnt --mountpoint "$MNT" && exit 1
kill $other
fails_in_one_line 2 'cannot be entered' "$WORK/at boot" "$helper" work "$MNT" -N /nowhere
