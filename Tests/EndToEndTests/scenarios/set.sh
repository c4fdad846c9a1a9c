# dbxfs set: limits of a mount that runs.
# mounts: itself
# limit: 180
. "$TOOLS/lib.sh"
limit() {
    dbxfs status --json "$MNT" | python3 -c '
import json, sys
print(json.load(sys.stdin)["limits"][sys.argv[1]])' "$1"
}
elapsed() {
    before=$(date +%s)
    "$@"
    echo $(($(date +%s) - before))
}

fails 2 'nothing is mounted' dbxfs set bwlimit_up=1M
DBXFS_LOG_LEVEL=info dbxfs mount "$MNT" -o bwlimit_up=100K,cache_size=64M,write_delay=0
test "$(limit bwlimit_up)" = 102400
test "$(limit bwlimit_down)" = None
dbxfs status "$MNT" | grep -q 'limits  *100.0 KiB/s up$'

fails 1 "'fsync' cannot be changed while it is mounted" dbxfs set "$MNT" fsync=remote
fails 1 "bwlimit_up=fast is not valid" dbxfs set "$MNT" bwlimit_up=fast
fails 1 'name a setting' dbxfs set "$MNT"
fails 2 'nothing is mounted' dbxfs set "$WORK" bwlimit_up=1M
# Of several, all or none.
fails 1 "'ro'" dbxfs set "$MNT" bwlimit_up=none ro=1
test "$(limit bwlimit_up)" = 102400

# An upload that runs gets its new limit, too: 3 MB would take half a minute.
head -c 3000000 /dev/urandom > "$WORK/content"
cp "$WORK/content" "$MNT/content"
# The upload runs at the old rate for a while, which no page shows.
sleep 1
dbxfs status --json "$MNT" | grep -q '"pending_operations":1'
dbxfs set "$MNT" bwlimit_up=none
test "$(elapsed dbxfs sync "$MNT" --timeout 100 | tail -n 1)" -lt 15
dbxfs set bwlimit_down=500K
dbxfs cache clear "$MNT"
test "$(elapsed cmp "$WORK/content" "$MNT/content" | tail -n 1)" -ge 4
dbxfs set "$MNT/content" bwlimit_down=0 cache_size=1M
test "$(limit bwlimit_down)" = None
dbxfs status --json "$MNT" | python3 -c '
import json, sys
status = json.load(sys.stdin)
assert status["cached_bytes"] <= 1 << 20, status["cached_bytes"]
assert status["pins"]["cache_size"] == status["limits"]["cache_size"] == 1 << 20, status'

dbxfs set "$MNT" write_delay=1h log_level=debug
printf x > "$MNT/late"
# Time for the upload that must wait.
sleep 2
dbxfs status --json "$MNT" | grep -q '"pending_operations":1'
grep -q ' debug ' "$DBXFS_STATE_DIR/default/dbxfs.log"
grep -q 'settings changed' "$DBXFS_STATE_DIR/default/dbxfs.log"
dbxfs unmount "$MNT"

# The next mount begins with its options.
dbxfs mount "$MNT" -o write_delay=2s
test "$(limit write_delay)" = 2
test "$(limit bwlimit_up)" = None
dbxfs unmount "$MNT"
