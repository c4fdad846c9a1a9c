# Nobody gets the memory of a process that knows a token, whatever becomes of core dumps on the machine.
# needs: root
# mounts: itself
# limit: 120
pattern=/proc/sys/kernel/core_pattern
before=$(cat $pattern)
# The runtime of a debug build would catch the signal and print a trace instead.
export SWIFT_BACKTRACE=enable=no
pid_of() { dbxfs status --json "$MNT" | python3 -c 'import json, sys; print(json.load(sys.stdin)["pid"])'; }

dbxfs mount "$MNT"
pid=$(pid_of)
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
until grep -q '^http' "$WORK/login"; do
    kill -0 $login
    sleep 0.1
done
test "$(stat -c %u "/proc/$login/environ")" = 0
setpriv --reuid=65534 --regid=65534 --clear-groups cat "/proc/$login/environ" && exit 1
exec 9>&-
wait $login && exit 1

# A handler that takes what it is given, if this machine lets us have one: the setting is the whole machine's, so it
# is put back whatever happens, also by a process of its own when this one is killed.
cat > "$WORK/handler" << END
#!/bin/sh
for id in \$(cat "$WORK/victims"); do
    if [ "\$id" = "\$1" ]; then cat > "$WORK/core.\$1"; fi
done
END
chmod +x "$WORK/handler"
: > "$WORK/victims"
export pattern before
# shellcheck disable=SC2016
setsid sh -c 'while kill -0 "$1" 2> /dev/null; do sleep 0.2; done; printf %s "$before" > "$pattern"' - $$ \
    > /dev/null 2>&1 &
trap 'printf %s "$before" > "$pattern"' EXIT
if ! printf '|%s %%P' "$WORK/handler" > $pattern; then
    echo 'skipped: core_pattern cannot be changed here'
    exit 0
fi
# The handler is called at all, also where no byte is allowed in a file.
(ulimit -c 0 && exec sleep 1000) &
other=$!
until [ "$(cat /proc/$other/comm)" = sleep ]; do sleep 0.05; done
echo $other >> "$WORK/victims"
kill -SEGV $other
wait $other || true
tries=0
until [ -s "$WORK/core.$other" ]; do
    tries=$((tries + 1))
    if [ $tries = 100 ]; then
        echo 'skipped: the kernel does not find the handler, because this is a container'
        exit 0
    fi
    sleep 0.1
done
# But not for a mount: the victim's whole memory would have the token in it.
dbxfs mount "$MNT"
pid=$(pid_of)
grep -q -a "$DBXFS_ACCESS_TOKEN" "/proc/$pid/environ"
echo "$pid" >> "$WORK/victims"
kill -SEGV "$pid"
# The kernel writes a dump before it closes a process's files, and the mount ends with these.
while stat "$MNT" > /dev/null 2>&1; do sleep 0.05; done
umount -l "$MNT"
test ! -e "$WORK/core.$pid"
