# State folders that earlier builds have left, killed with changes queued, open and go on.
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
# states/DATE.tar.xz has the state folder that the build of that day left, and the emulator's. They belong to this address of the
# emulator. From the second one on, it also has the list of all names, inodes, modes, sizes and targets, and of the contents.
#   KEEP_STATE=$PWD/FILE.tar.xz SCENARIO=earlier-state Scripts/run-mount-tests     makes one of the present build, before a release
# that has changed the format.
stop_emulator
PORT=39117
export ENDPOINT="http://127.0.0.1:$PORT" ADMIN="http://127.0.0.1:$PORT/admin"
export DBXFS_ENDPOINT="$ENDPOINT"

# The next one listens at the same port.
end_emulator() {
    stop_emulator
    wait_until 20 not curl -sf "$ADMIN/stats"
}

# The names of a mount, with all that a state folder keeps of them; times and the mountpoint's own row are left out.
listing() {
    (cd "$MNT" && LC_ALL=C find . -mindepth 1 \( -type d -printf '%P %y %i %m\n' \) -o -printf '%P %y %i %m %s %l\n' | LC_ALL=C sort)
    (cd "$MNT" && LC_ALL=C find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
    # Without the mountpoint, and how much of the content is cached: the cache is not kept.
    dbxfs pins "$MNT" | sed "s|^$MNT||; s|: .*||"
}

if [ -n "${KEEP_STATE:-}" ]; then
    mkdir "$WORK/kept"
    EMULATOR_STATE="$WORK/kept/dropbox"
    export DBXFS_STATE_DIR="$WORK/kept/state"
    start_emulator
    dbxfs mount "$MNT"
    mkdir "$MNT/folder" "$MNT/empty" "$MNT/folder/inner"
    echo 'on the server' > "$MNT/edited"
    echo stays > "$MNT/settled"
    chmod 640 "$MNT/settled"
    echo inside > "$MNT/folder/inner/file"
    echo 'to be moved' > "$MNT/arrives"
    echo bye > "$MNT/deleted"
    echo kept > "$MNT/pinned"
    printf '#!/bin/sh\n' > "$MNT/program"
    chmod 755 "$MNT/program"
    ln -s edited "$MNT/known link"
    echo 'a name of its own' > "$MNT/colon: and back\\slash"
    dbxfs pin "$MNT/pinned"
    dbxfs sync "$MNT" --timeout 60
    dbxfs unmount "$MNT"
    # Changes from here on are queued.
    dbxfs mount "$MNT" -o write_delay=1h
    echo appended >> "$MNT/edited"
    mkdir "$MNT/new"
    echo 'never sent' > "$MNT/new/file"
    ln -s ../edited "$MNT/new/link"
    echo 'another own name' > "$MNT/new/question?"
    mkfifo "$MNT/new/fifo"
    mv "$MNT/arrives" "$MNT/empty/arrived"
    mv "$MNT/folder" "$MNT/renamed"
    rm "$MNT/deleted"
    chmod 600 "$MNT/program"
    cat "$MNT/edited" "$MNT/settled" > /dev/null
    test "$(status_field pending_operations)" -gt 0
    listing > "$WORK/kept/listing"
    kill -9 "$(status_field pid)"
    wait_until 30 not stat -f "$MNT"
    end_emulator
    rm -rf "$WORK/kept/state/run"
    (cd "$WORK/kept" && tar --sort=name --owner=0 --group=0 --numeric-owner -cJf "$KEEP_STATE" state dropbox listing)
    fails 3 'not on Dropbox yet' dbxfs unmount "$MNT" --lazy
    start_emulator
    exit 0
fi

# The one of 25 November 2026 has no listing.
check_first() {
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
}

for archive in "$TOOLS"/../states/*.tar.xz; do
    place="$WORK/$(basename "$archive" .tar.xz)"
    mkdir "$place"
    tar -xJf "$archive" -C "$place"
    EMULATOR_STATE="$place/dropbox"
    # The cache of another account must not answer for it.
    export DBXFS_STATE_DIR="$place/state" DBXFS_CACHE_DIR="$place/cache"
    start_emulator

    # All names and contents, synced or not, are there, and have their inodes.
    dbxfs mount "$MNT" -o write_delay=1h
    test "$(status_field pending_operations)" -gt 0
    if [ -e "$place/listing" ]; then
        listing | diff "$place/listing" -
    else
        check_first
    fi
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
    end_emulator
done
start_emulator
