# Two machines of one account, for scenarios that need both: each is a mount with state and cache of its own. To be read after
# lib.sh, whose words are used here.

# on 1|2 COMMAND…: a command of one machine, or a function.
on() (
    export DBXFS_STATE_DIR="$WORK/state$1" DBXFS_CACHE_DIR="$WORK/cache$1"
    shift
    "$@"
)
# Changes are sent by `sync` only, so that their requests can be counted.
mount_on() { on "$1" dbxfs mount "$2" -o write_delay=1h; }
sync_on() { on "$1" dbxfs sync "$2" --timeout 120; }
pid_on() { on "$1" status_field pid "$2"; }
cached_on() { on "$1" status_field cached_bytes "$2"; }
# crash 1|2 MOUNTPOINT: ends the process as a crash does.
crash() {
    kill -9 "$(pid_on "$1" "$2")"
    wait_until 30 not stat -f "$2"
}
# meet FROM 1|2 TO: sends what one machine has. The deltas of all of it are on the other one once it sees what came last.
_settled=0
meet() {
    _settled=$((_settled + 1))
    echo $_settled > "$1/settled"
    sync_on "$2" "$1"
    wait_until 60 contains "$3/settled" $_settled
}
