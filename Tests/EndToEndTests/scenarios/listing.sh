# How far a listing is: the first one, of which only a page has come, and a later one, in the status, its JSON, the metrics, `doctor` and
# `conflicts`.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
for name in a b c d e f; do printf abc | "$TOOLS/dropbox.py" upload "/$name"; done
admin POST /settings '{"page_size": 2}' > "$WORK/settings"
# stall SKIP: a page of a listing comes after 25 seconds.
stall() {
    admin POST /faults \
        "{\"route\": \"files/list_folder/continue\", \"kind\": \"stall\", \"seconds\": 25, \"skip\": $1, \"count\": 1}" > "$WORK/fault"
}
# listing FIELD: of the listing that is running.
listing() {
    dbxfs status --json "$MNT" |
        python3 -c 'import json, sys; print((json.load(sys.stdin)["listing"] or {}).get(sys.argv[1]))' "$1"
}
has_listed() { test "$(listing entries)" = "$1"; }
is_complete() { test "$(status_field tree_complete)" = True; }

# The command returns when the mount's folder can be opened, for which it waits for a page, too, and for 30 seconds at most.
stall 0
dbxfs mount "$MNT" > "$WORK/mounted" 2>&1 &
mounting=$!
wait_until 20 has_listed 2
test "$(listing first) $(listing bytes) $(listing expected_bytes) $(listing expected_entries)" = 'True 6 18 None'
dbxfs status "$MNT" > "$WORK/text"
cat "$WORK/text"
grep -q 'state  *online: listing the account for [0-9]* s: 2 entries with 6 B of about 18 B; folders' "$WORK/text"
grep -q 'tree  *2 entries known so far' "$WORK/text"
dbxfs status --metrics > "$WORK/metrics"
grep -q '^dbxfs_listing_entries{.*} 2$' "$WORK/metrics"
grep -q '^dbxfs_listing_expected_bytes{.*} 18$' "$WORK/metrics"
dbxfs doctor > "$WORK/findings" || true
grep -q "^note *mount $MNT: online, and not all of the account is known yet: listing the account" "$WORK/findings"
dbxfs conflicts "$MNT" 2> "$WORK/message"
grep -q 'there may be more; listing the account for .*: 2 entries' "$WORK/message"

wait_until 60 is_complete
wait $mounting
test "$(status_field listing) $(status_field listing_seconds)" = 'None None'
dbxfs doctor > "$WORK/findings" || true
grep -q "^ok *mount $MNT: online$" "$WORK/findings"
grep -q 'dbxfs_listing_entries{' "$WORK/metrics"
dbxfs status --metrics > "$WORK/metrics"
grep -q 'dbxfs_listing_entries{' "$WORK/metrics" && exit 1

# Another one begins when Dropbox has forgotten the cursor, and knows how many entries there were.
stall 1
admin POST /cursors/reset '{}'
printf abc | "$TOOLS/dropbox.py" upload /g
compares() { dbxfs status "$MNT" | grep -q 'tree  *6 entries known, .*; comparing the account for [0-9]* s: [24] of about 6 entries'; }
wait_until 40 compares
test "$(listing first) $(listing expected_entries)" = 'False 6'
wait_until 60 contains "$MNT/g" abc
dbxfs unmount "$MNT"
