# No other user gets the memory of a process that knows a token, in any setting of core dumps on the machine.
# needs: root
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
# The runtime of a debug build would catch the signal and print a trace instead.
export SWIFT_BACKTRACE=enable=no
dbxfs mount "$MNT"
pid=$(status_field pid)
# 1 is the kernel's sign for no dump, for handlers that are programs, too; 0 is not.
grep -q 'Max core file size *1  *1 ' "/proc/$pid/limits"
dbxfs unmount "$MNT"

# Of another user's process, nothing that tells of memory or variables is that user's.
mkdir "$WORK/nobody"
cp "$DBXFS" "$WORK/nobody/dbxfs"
chmod -R a+rX "$WORK/nobody" && chown 65534 "$WORK/nobody"
# Everything above has to let others through; the temporary folder may not.
above=$WORK/nobody
while above=$(dirname "$above") && [ "$above" != / ]; do chmod a+x "$above"; done
mkfifo "$WORK/code"
setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$WORK/nobody" DBXFS_STATE_DIR="$WORK/nobody/state" \
    DBXFS_CACHE_DIR="$WORK/nobody/cache" "$WORK/nobody/dbxfs" login --no-browser --app-key test-app \
    < "$WORK/code" > "$WORK/login" 2> "$WORK/message" &
login=$!
exec 9> "$WORK/code"
wait_while_running $login 30 grep '^http' "$WORK/login"
test "$(stat -c %u "/proc/$login/environ")" = 0
setpriv --reuid=65534 --regid=65534 --clear-groups cat "/proc/$login/environ" && exit 1
exec 9>&-
wait $login && exit 1

# A handler that takes what it is given, if this machine lets us have one. The setting is the whole machine's: one run at a
# time has it, dumps of other programs go where they went, and it is put back in every case, by a process of its own
# when this one is killed. That holds the lock until then.
pattern=/proc/sys/kernel/core_pattern
exec 8< $pattern
flock -w 60 8
before=$(cat $pattern)
case $before in
    *dbxfs-e2e-*)
        echo "$pattern is a handler of an earlier run, which somebody has to put back: $before"
        exit 1 ;;
esac
# As the kernel does it for files.
before_name=$before
case $(cat /proc/sys/kernel/core_uses_pid)$before in
    0* | *%p* | 1'|'*) ;;
    *) before_name=$before.%p ;;
esac
cat > "$WORK/handler" << END
#!/bin/sh
# The process, its limit, its user, its group and whether it may be dumped; then the pattern before.
id=\$1 limit=\$2 user=\$3 group=\$4 dumpable=\$5
shift 5
for victim in \$(cat "$WORK/victims"); do
    if [ "\$victim" = "\$id" ]; then exec cat > "$WORK/core.\$id"; fi
done
case '$before' in '|'*) exec "\$@" ;; esac
# The kernel writes no file of such, and a file in the folder and with the rights of the process.
if [ "\$#" = 0 ] || [ "\$limit" = 0 ] || [ "\$dumpable" != 1 ]; then exit 0; fi
cd "/proc/\$id/cwd"
exec setpriv --reuid="\$user" --regid="\$group" --clear-groups sh -c \
    'umask 077; rm -f "\$1"; set -C; exec head -c "\$2" > "\$1"' - "\$*" "\$limit"
END
chmod +x "$WORK/handler"
: > "$WORK/victims"
ours="|$WORK/handler %P %c %u %g %d ${before_name#|}"
# The kernel's limit, with the null byte.
if [ ${#ours} -gt 127 ]; then
    echo 'skipped: core_pattern has no room for a handler that passes on what is not its own'
    exit 0
fi
restore() { test "$(cat $pattern)" != "$ours" || printf '%s' "$before" > $pattern; }
export pattern before ours
# shellcheck disable=SC2016
setsid sh -c 'while kill -0 "$1" 2> /dev/null; do sleep 0.2; done
    test "$(cat "$pattern")" != "$ours" || printf %s "$before" > "$pattern"' - $$ > /dev/null 2>&1 &
trap restore EXIT
if ! printf '%s' "$ours" > $pattern; then
    echo 'skipped: core_pattern cannot be changed here'
    exit 0
fi
# The handler is called at all, also where no byte is allowed in a file.
(ulimit -c 0 && exec sleep 1000) &
other=$!
wait_until 30 contains /proc/$other/comm sleep
echo $other >> "$WORK/victims"
kill -SEGV $other
wait $other || true
if ! within 10 test -s "$WORK/core.$other"; then
    echo 'skipped: the kernel does not find the handler, because this is a container'
    exit 0
fi
# A dump of another user's process goes where it went, if that is a file beside the program.
case $before in
    */* | *%* | '|'* | '') ;;
    *)
        mkdir "$WORK/others"
        (cd "$WORK/others" && ulimit -c 100000 && exec sleep 1000) &
        stranger=$!
        wait_until 30 contains /proc/$stranger/comm sleep
        kill -SEGV $stranger
        wait $stranger || true
        wait_until 10 eval '[ -s "$WORK/others/$before" ] || [ -s "$WORK/others/$before.$stranger" ]'
        test ! -e "$WORK/core.$stranger" ;;
esac
# But not for a mount: the victim's whole memory would have the token in it.
dbxfs mount "$MNT"
pid=$(status_field pid)
grep -q -a "$DBXFS_ACCESS_TOKEN" "/proc/$pid/environ"
echo "$pid" >> "$WORK/victims"
kill -SEGV "$pid"
# The kernel writes a dump before it closes a process's files, and the mount ends with these. It answers `stat` from what
# it keeps for long after that; `stat -f` it asks of the process.
wait_until 60 not stat -f "$MNT"
umount -l "$MNT"
test ! -e "$WORK/core.$pid"
