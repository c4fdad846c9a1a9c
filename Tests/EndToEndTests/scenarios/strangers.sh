# What other users of the machine may not do: to files of dbxfs, to its socket, to a mount; and that there is nothing else of it
# that they could reach.
# needs: root
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
# Others are let through to everything that is not dbxfs's own: what keeps them out has to be its doing.
above=$MNT
while [ "$above" != / ]; do
    chmod a+x "$above"
    above=$(dirname "$above")
done
chmod 777 "$WORK"
# A stranger may not be let through to a python of root's own.
python=/usr/bin/python3
stranger() { timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
denied() { if stranger "$@" > "$WORK/said" 2>&1; then cat "$WORK/said"; exit 1; fi; }

# Modes are dbxfs's own, under any umask of the user.
seq 50000 | "$TOOLS/dropbox.py" upload /remote
umask 0
dbxfs mount "$MNT"
mkdir "$MNT/folder"
seq 100000 > "$MNT/folder/file"
dbxfs sync "$MNT" --timeout 60
cat "$MNT/remote" "$MNT/folder/file" > /dev/null
echo queued > "$MNT/folder/queued"
find "$DBXFS_STATE_DIR" "$DBXFS_CACHE_DIR" | sort > "$WORK/files"
grep -q 'sqlite$' "$WORK/files"
grep -q 'sock$' "$WORK/files"
grep -q 'log$' "$WORK/files"
find "$DBXFS_STATE_DIR"/* "$DBXFS_CACHE_DIR"/* -perm /077 > "$WORK/open"
cat "$WORK/open"
test ! -s "$WORK/open"
# State and cache belong to the account's folders; the folders above are the user's.
for folder in "$DBXFS_STATE_DIR/default" "$DBXFS_STATE_DIR/run" "$DBXFS_CACHE_DIR/default"; do
    denied ls "$folder"
    denied touch "$folder/x"
done
denied cat "$DBXFS_STATE_DIR/default/dbxfs.log"
umask 022

# A mount listens to no network.
pid=$(status_field pid)
python3 - "$pid" << 'END'
import os, sys
held = set()
for name in os.listdir(f"/proc/{sys.argv[1]}/fd"):
    try:
        held.add(os.readlink(f"/proc/{sys.argv[1]}/fd/{name}"))
    except FileNotFoundError:
        pass
assert any(name.startswith("socket:") for name in held)
for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
    for line in open(f"/proc/{sys.argv[1]}/net/{table}").readlines()[1:]:
        fields = line.split()
        # 0A is LISTEN; sockets of the others have no other side.
        if f"socket:[{fields[9]}]" in held and (fields[3] == "0A" or table[0] != "t"):
            raise SystemExit(f"{table}: {line}")
END

# Its socket answers only the user's programs, and the mount survives all that they send.
socket=$(find "$DBXFS_STATE_DIR/run" -name '*.sock')
cat > "$WORK/control.py" << 'END'
import json, socket, sys
def ask(line):
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(sys.argv[1])
        end.settimeout(60)
        try:
            end.sendall(line + b"\n")
            end.shutdown(socket.SHUT_WR)
            while end.recv(1 << 16):
                pass
        except (BrokenPipeError, ConnectionResetError):
            pass
def say(command, **fields):
    ask(json.dumps(dict(fields, command=command)).encode())
if len(sys.argv) > 2:
    say("status")
    sys.exit()
strange = ["..", "/..", "/../..", "../../etc/passwd", "/.", "//", "", "/\0", "/\n", "/\x1b]0;x\7", "/\u202e", "/" + "x" * 256,
           "/" + "x/" * 2000, "/" + "x" * 500000, "folder", "/folder/", "/folder/file/x", "/.dbxfs"]
for path in strange:
    for command in ("pin", "unpin", "conflicts", "revisions", "restore", "link"):
        say(command, paths=[path], timeout=0, limit=-1, revision="../x")
for number in (0, -1, 1, -2**63, 2**63 - 1):
    say("revisions", paths=["/folder/file"], limit=number)
for number in (0, -1, -1e308, 5e-324):
    say("sync", timeout=number)
    say("pin", paths=["/folder/file"], timeout=number)
say("pin", paths=["/folder"] * 5000, timeout=0)
for name, value in (("cache_size", "0"), ("cache_size", "9223372036854775807"), ("bwlimit_up", "1B"), ("bwlimit_up", "none"),
                    ("bwlimit_down", "9223372036854775807"), ("write_delay", "1e9"), ("write_delay", "0"), ("log_level", "x")):
    say("set", settings=[{"name": name, "value": value}])
ask(b"[" * 200000)
ask(b"x" * (2 << 20))
END
stranger $python -c ""
denied $python "$WORK/control.py" "$socket" once
python3 "$WORK/control.py" "$socket" once
python3 "$WORK/control.py" "$socket"
dbxfs unpin "$MNT/folder" || true
dbxfs set "$MNT" bwlimit_down=none write_delay=1s
test "$(status_field pid)" = "$pid"
has_state online

# Without -o allow_other no other user comes in.
for path in "$MNT" "$MNT/folder" "$MNT/folder/file"; do
    denied stat "$path"
    denied ls "$path"
done
denied cat "$MNT/folder/file"
denied sh -c 'echo x > "$MNT/x"'
dbxfs sync "$MNT" --timeout 60
dbxfs unmount "$MNT"

# With it, modes and owners count, and bits that give rights do not, even where the options ask for them.
dbxfs mount "$MNT" -o allow_other,uid=0,gid=0,suid,dev
findmnt -rn -o VFS-OPTIONS,FS-OPTIONS --mountpoint "$MNT" | tr ' ' ',' > "$WORK/options"
for option in nosuid nodev allow_other default_permissions; do
    grep -qE "(^|,)$option(,|$)" "$WORK/options"
done
cp /bin/true "$MNT/program"
chmod 4755 "$MNT/program" || true
test "$(stat -c %a "$MNT/program")" = 755
chmod 2755 "$MNT/folder" || true
test "$(stat -c %a "$MNT/folder")" = 755
mknod "$MNT/device" c 1 3 && exit 1
chmod 644 "$MNT/folder/file"
echo secret > "$MNT/secret"
chmod 600 "$MNT/secret"
mkdir "$MNT/closed" "$MNT/sticky"
echo inner > "$MNT/closed/inner"
chmod 700 "$MNT/closed"
echo theirs > "$MNT/sticky/theirs"
chmod 1777 "$MNT/sticky"
stranger cat "$MNT/folder/file" > /dev/null
denied cat "$MNT/secret"
denied ls "$MNT/closed"
denied cat "$MNT/closed/inner"
denied stat "$MNT/closed/inner"
cd "$MNT"
export MNT
while read -r command; do
    denied sh -c "$command"
done << 'END'
echo x > folder/file
echo x >> folder/file
: > folder/new
mkdir folder/new
mkfifo folder/new
mknod folder/new c 1 3
ln -s x folder/new
ln folder/file folder/new
rm -f folder/file && test ! -e folder/file
rmdir closed
mv folder/file folder/other
mv folder other
mv folder/file sticky/mine
truncate -s 0 folder/file
fallocate -p -o 0 -l 4096 folder/file
chmod 777 folder/file
chmod 777 secret
chown 65534 folder/file
chgrp 65534 folder/file
touch -d 2000-01-01 folder/file
touch folder/file
cp folder/file secret
cat secret
setfattr -n user.x -v y folder/file
ln secret sticky/mine
/usr/bin/python3 -c 'import os; os.open("folder/file", os.O_RDWR)'
/usr/bin/python3 -c 'import os; os.open("secret", os.O_RDONLY)'
/usr/bin/python3 -c 'import os; os.setxattr("folder/file", "user.x", b"y")'
/usr/bin/python3 -c 'import os; os.removexattr("folder/file", "user.x")'
END
cd /
test "$(cat "$MNT/secret")" = secret
test "$(wc -l < "$MNT/folder/file")" = 100000
denied fusermount3 -u "$MNT"
denied umount "$MNT"
denied env DBXFS_STATE_DIR="$DBXFS_STATE_DIR" "$DBXFS" unmount "$MNT"
denied kill "$(status_field pid)"
has_state online
dbxfs unmount "$MNT"

# The token is no child's: what opens a browser is one.
mkdir -p "$WORK/bin"
cat > "$WORK/bin/xdg-open" << END
#!/bin/sh
env > "$WORK/environment.new"
mv "$WORK/environment.new" "$WORK/environment"
END
chmod +x "$WORK/bin/xdg-open"
test -n "$DBXFS_ACCESS_TOKEN"
export DBXFS_REFRESH_TOKEN=renewable-secret
PATH="$WORK/bin:$PATH" DISPLAY=:0 env -u TOKEN "$DBXFS" login --app-key test-app < /dev/null > "$WORK/login" 2>&1 &
login=$!
wait_while_running $login 30 test -e "$WORK/environment"
kill $login
wait $login || true
grep -q '^DISPLAY=:0$' "$WORK/environment"
grep -F -e DBXFS_ACCESS_TOKEN -e "$DBXFS_ACCESS_TOKEN" -e DBXFS_REFRESH_TOKEN -e renewable-secret \
    "$WORK/environment" && exit 1
true
