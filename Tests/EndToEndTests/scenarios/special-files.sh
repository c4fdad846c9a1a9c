# FIFOs and sockets: programs of this machine meet at them, and the server has none.
# limit: 60
# options: write_delay=0
. "$TOOLS/lib.sh"
mkdir "$MNT/folder"
cd "$MNT/folder"
mkfifo -m 620 pipe
test "$(stat -c '%F %a' pipe)" = 'fifo 620'
test -p pipe
(timeout 20 cat pipe > "$WORK/heard") &
timeout 20 sh -c 'echo hello > pipe'
wait $!
contains "$WORK/heard" hello

timeout 30 python3 - << 'END'
import os
import socket
import stat

server = socket.socket(socket.AF_UNIX)
server.bind("address")
server.listen()
assert stat.S_ISSOCK(os.stat("address").st_mode)
os.chmod("address", 0o600)
os.rename("address", "moved")
client = socket.socket(socket.AF_UNIX)
client.connect("moved")
connection, _ = server.accept()
client.sendall(b"hello")
assert connection.recv(5) == b"hello"
try:
    socket.socket(socket.AF_UNIX).bind("moved")
    raise SystemExit("a second socket got the same name")
except OSError:
    pass
END
test "$(stat -c '%F %a' moved)" = 'socket 600'

# As backups and copies keep them.
echo content > file
cp -a "$MNT/folder" "$MNT/copy"
test -p "$MNT/copy/pipe"
tar -C "$MNT" -cf "$WORK/special.tar" folder 2> /dev/null
mkdir "$MNT/unpacked"
tar -C "$MNT/unpacked" -xf "$WORK/special.tar"
test "$(stat -c '%F %a' "$MNT/unpacked/folder/pipe")" = 'fifo 620'
mv pipe "$MNT/copy/other pipe"
rm "$MNT/copy/pipe"

cd "$MNT"
fails 1 'Operation not permitted' mknod device c 1 3
dbxfs sync "$MNT" --timeout 30
rm -r copy
test ! -e copy
