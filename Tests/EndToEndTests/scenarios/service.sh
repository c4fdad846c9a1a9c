# As a service of systemd's: where the configuration file says, readiness, status, an end in time.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
export XDG_CONFIG_HOME="$WORK/config"
mkdir -p "$XDG_CONFIG_HOME/dbxfs"
configuration="$XDG_CONFIG_HOME/dbxfs/config.toml"
cat > "$configuration" << END
write_delay = "1h"
[account.work]
mountpoint = "$MNT"
folder = "/Projects"
uid = 1234
END
"$TOOLS/dropbox.py" mkdir /Projects
said() { grep -q -- "$1" "$WORK/messages"; }
# Starts the service; what follows are the supervisor's options.
serve() {
    rm -f "$WORK/messages" "$WORK/messages.socket"
    : > "$WORK/messages"
    "$TOOLS/supervisor.py" "$@" "$WORK/messages" dbxfs mount --foreground --account work \
        2> "$WORK/log" &
    supervisor=$!
    wait_until 30 said '^READY=1$'
    # Nothing was said before that, and it is true.
    head -1 "$WORK/messages" | grep -qx 'READY=1'
    test "$(stat -c %u "$MNT")" = 1234
}
main() { cat "$WORK/messages.pid"; }
ended() {
    status=0
    wait $supervisor || status=$?
    test $status = "$1"
    ! mountpoint -q "$MNT"
}

# The file, and faults of one.
fails 1 'NAME stands for' dbxfs mount --account work "$MNT"
echo 'speed = 1' > "$WORK/wrong.toml"
fails 1 "$WORK/wrong.toml: speed: unknown key" env DBXFS_CONFIG="$WORK/wrong.toml" dbxfs mount "$MNT"
: > "$WORK/open.toml"
chmod 666 "$WORK/open.toml"
fails 1 'others can write to it' env DBXFS_CONFIG="$WORK/open.toml" dbxfs mount "$MNT"
fails 1 "$WORK/missing.toml" env DBXFS_CONFIG="$WORK/missing.toml" dbxfs mount "$MNT"
fails 1 'cache_size' dbxfs mount "$MNT" -o cache_size=much
# Without an entry, and without the directory.
dbxfs mount --account other
findmnt -n -o SOURCE --mountpoint "$HOME/Dropbox-other" | grep -qx other:
dbxfs unmount "$HOME/Dropbox-other"
# Without anything: the account `default`.
dbxfs mount
findmnt -n -o SOURCE --mountpoint "$HOME/Dropbox" | grep -qx default:
dbxfs unmount "$HOME/Dropbox"
fails 1 'or nothing' dbxfs mount a b c

# Readiness, status, and everything sent at the end although it was not due for an hour.
serve
wait_until 30 said 'STATUS=online: everything is on Dropbox'
# With a misspelt key, commands for running mounts work, and the doctor begins with it.
DBXFS_CONFIG="$WORK/wrong.toml" dbxfs status "$MNT" | grep -q online
DBXFS_CONFIG="$WORK/wrong.toml" dbxfs sync "$MNT"
DBXFS_CONFIG="$WORK/wrong.toml" dbxfs pins "$MNT"
DBXFS_CONFIG="$WORK/wrong.toml" dbxfs doctor > "$WORK/findings" || true
head -1 "$WORK/findings" | grep -q "^problem .*configuration: $WORK/wrong.toml: speed: unknown key"
# Children do not get the socket, or the supervisor would be told of them.
tr '\0' '\n' < "/proc/$(main)/environ" > "$WORK/environ"
echo 'in time' > "$MNT/file"
wait_until 30 said 'STATUS=online: 1 change, 8 B to send'
kill "$(main)"
ended 0
said '^STOPPING=1 EXTEND_TIMEOUT_USEC='
test "$("$TOOLS/dropbox.py" get /Projects/file)" = 'in time'

# The same with a socket outside of the filesystem. An unsent change keeps the process for a while,
# for which it asks; a second signal ends that, and the rest stays queued.
serve --abstract
stop_emulator
echo 'later' > "$MNT/later"
kill "$(main)"
wait_until 30 said '^STOPPING=1 EXTEND_TIMEOUT_USEC='
wait_until 30 said '^EXTEND_TIMEOUT_USEC='
said 'STATUS=.*1 change, 6 B to send'
kill "$(main)"
ended 3

# Another process unmounts it: also an end.
start_emulator
serve
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /Projects/later)" = later
dbxfs unmount "$MNT"
ended 0
