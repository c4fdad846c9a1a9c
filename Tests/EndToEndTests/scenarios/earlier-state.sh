# A state folder that an earlier build has left, killed with changes queued, opens and goes on.
# mounts: itself
# limit: 60
. "$TOOLS/lib.sh"
# states/DATE.tar.xz has the state folder that the build of that day left, and the emulator's. The first one belongs to the
# emulator's address of that time.
stop_emulator
tar -xJf "$TOOLS/../states/2026-11-25.tar.xz" -C "$WORK"
PORT=39117
EMULATOR_STATE="$WORK/dropbox"
export ENDPOINT="http://127.0.0.1:$PORT" ADMIN="http://127.0.0.1:$PORT/admin"
export DBXFS_ENDPOINT="$ENDPOINT" DBXFS_STATE_DIR="$WORK/state"
start_emulator

# All names and contents, synced or not, are there, and have their inodes.
dbxfs mount "$MNT" -o write_delay=1h
test "$(status_field pending_operations)" -gt 0
contains "$MNT/edited" 'on the server
appended'
contains "$MNT/settled" stays
contains "$MNT/new/file" 'never sent'
contains "$MNT/empty/arrived" 'to be moved'
contains "$MNT/renamed/inner/file" inside
test "$(readlink "$MNT/new/link")" = ../edited
test ! -e "$MNT/deleted"
test ! -e "$MNT/folder"
test "$(stat -c %i "$MNT/edited" "$MNT/renamed/inner/file" "$MNT/new/file" | tr '\n' ' ')" = '2 8 21 '
test "$(stat -c %a "$MNT/settled")" = 640
dbxfs pins "$MNT" | grep -q "^$MNT/pinned: "
test "$(status_field lost)" = 0

# It is sent, and the folder is one of this build.
dbxfs sync "$MNT" --timeout 30
python3 "$TOOLS/compare.py" "$MNT"
echo 'of this build' > "$MNT/folder"
dbxfs unmount "$MNT"
dbxfs mount "$MNT"
contains "$MNT/folder" 'of this build'
python3 "$TOOLS/compare.py" "$MNT"
dbxfs doctor --deep
dbxfs unmount "$MNT"
