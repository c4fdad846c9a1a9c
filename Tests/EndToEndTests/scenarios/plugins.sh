# Dropbox's plug-ins for file managers, by their protocol: emblems, the menu, links and touches. The client is of this test.
# options: desktop,write_delay=1h
. "$TOOLS/lib.sh"
test "$(stat -c %a "$HOME/.dropbox" "$HOME/.dropbox/command_socket" | tr '\n' ' ')" = '700 600 '
ask() {
    python3 - "$@" << 'END'
import os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.path.expanduser("~/.dropbox/command_socket"))
connection.settimeout(30)
file = connection.makefile("rw", encoding="utf-8")
file.write("\n".join([sys.argv[1], *(arg.replace("=", "\t", 1) for arg in sys.argv[2:]), "done", ""]))
file.flush()
for line in file:
    print(line, end="")
    if line == "done\n":
        break
END
}
status() { ask icon_overlay_file_status "path=$1" | sed -n 's/^status\t//p'; }
has_status() { test "$(status "$1")" = "$2"; }

mkdir "$MNT/folder"
echo text > "$MNT/folder/file"
has_status "$MNT/folder/file" syncing
wait_until 30 has_status "$MNT/folder" syncing
test "$(getfattr --only-values -n user.dropbox.state "$MNT/folder")" = pending
# Plug-ins that wait for changes are told of them.
python3 - > "$WORK/touched" << 'END' &
import os, socket
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.path.expanduser("~/.dropbox/iface_socket"))
for line in connection.makefile(encoding="utf-8"):
    print(line, end="", flush=True)
END
listener=$!
told() { grep -qx "path	$1" "$WORK/touched"; }
told_of_new_file() {
    echo new > "$MNT/folder/new$(date +%N)"
    grep -q "folder/new" "$WORK/touched"
}
wait_until 30 told_of_new_file
grep -qx shell_touch "$WORK/touched"
dbxfs sync "$MNT" --timeout 60
wait_until 30 told "$MNT/folder/file"
kill $listener
wait_until 30 has_status "$MNT/folder" 'up to date'
test "$(getfattr --only-values -n user.dropbox.state "$MNT/folder/file")" = synced
has_status "$HOME" unwatched
mkfifo "$MNT/fifo"
has_status "$MNT/fifo" ignored

ask icon_overlay_context_options "paths=$MNT/folder" | grep -q 'Keep on this computer~[^~]*~pin'
ask icon_overlay_context_action "paths=$MNT/folder" verb=pin | grep -qx ok
wait_until 30 eval 'dbxfs pins | grep -q folder'
ask get_emblems "path=$MNT/folder/file" | grep -q 'dropbox-uptodate.downloads'
ask get_dropbox_status | grep -q 'Up to date'
ask rm "path=$MNT/folder" | grep -qx notok
test -e "$MNT/folder/file"
rm "$MNT/fifo"
