# A member of a team: the own folder, the team's whole space, one team folder, and a team's token.
# mounts: itself
# limit: 120
. "$TOOLS/lib.sh"
admin POST /accounts '{"given_name":"Ada","surname":"Member","email":"ada@example.com","team":true,"token":"own-token"}'
member=$(curl -sf -X POST -H 'Authorization: Bearer own-token' "$ENDPOINT/2/users/get_current_account" |
    python3 -c 'import json, sys; account = json.load(sys.stdin); print(account["account_id"], account["team_member_id"])')
admin POST /tokens "{\"account_id\":\"${member% *}\",\"token\":\"team-token\",\"team\":true}"
unset DBXFS_ACCESS_TOKEN
mkdir -p -m 700 "$DBXFS_STATE_DIR/work" "$DBXFS_STATE_DIR/admin"
(umask 077; echo own-token > "$DBXFS_STATE_DIR/work/token"; echo team-token > "$DBXFS_STATE_DIR/admin/token")

# The mount shows the home folder, with a word about the rest.
dbxfs mount work "$MNT" 2> "$WORK/said"
grep -q root=team "$WORK/said"
test -z "$(ls "$MNT")"
echo mine > "$MNT/note"
dbxfs unmount "$MNT"

# The team's space has that folder in it, and others. The token is the account's for every mounted root.
dbxfs mount work "$MNT" -o root=team
test "$(ls "$MNT")" = 'Ada Member'
test "$(cat "$MNT/Ada Member/note")" = mine
mkdir "$MNT/Projects"
echo plan > "$MNT/Projects/plan"
dbxfs sync "$MNT"
dbxfs unmount "$MNT"

# One team folder by its number, and a folder of the team's space by its path.
admin POST /share '{"token":"own-token","path":"/Projects","namespace_id":"4711"}' > /dev/null
dbxfs mount work "$MNT" -o root=4711
test "$(cat "$MNT/plan")" = plan
dbxfs unmount "$MNT"
dbxfs mount work:/Projects "$MNT" -o root=team
test "$(cat "$MNT/plan")" = plan
dbxfs unmount "$MNT"

# A team's token acts for the member that is named.
dbxfs mount admin "$MNT" -o "member=${member#* }"
test "$(cat "$MNT/note")" = mine
dbxfs unmount "$MNT"

# Its check acts for the member, too.
(
    DBXFS_CONFIG="$WORK/config.toml"
    export DBXFS_CONFIG
    printf '[account.admin]\nmember = "%s"\n' "${member#* }" > "$DBXFS_CONFIG"
    # The machine may have problems of its own.
    timeout 60 dbxfs doctor --account admin > "$WORK/lines" || test $? = 2
    cat "$WORK/lines"
    grep -q '^ok       server admin: .*ada@example.com' "$WORK/lines"
)

# A refused mount says why.
refused() {
    status=0
    dbxfs mount "$@" 2> "$WORK/said" || status=$?
    test $status = 32
    test "$(wc -l < "$WORK/said")" = 1
}
refused work "$MNT" -o root=99
grep -q 'root=99' "$WORK/said"
refused admin "$MNT" -o member=dbmid:nobody
export DBXFS_ACCESS_TOKEN=$TOKEN
refused "$MNT" -o root=team
grep -q 'no team' "$WORK/said"
unset DBXFS_ACCESS_TOKEN

# Offline, the team's space is the one that it was.
stop_emulator
dbxfs mount work "$MNT" -o root=team 2> /dev/null
test "$(ls "$MNT")" = "$(printf 'Ada Member\nProjects')"
dbxfs unmount --timeout 5 "$MNT"
