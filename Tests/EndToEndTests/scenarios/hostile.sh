# A server that is hostile: with all of its answers, the mount lives, shows the rest, and takes no more memory than its
# budget.
# mounts: itself
# limit: 500
. "$TOOLS/lib.sh"
start_hostile_server plain
trap 'kill $hostile_server' EXIT
client() { python3 "$TOOLS/dropbox.py" "$@"; }
client mkdir /plain
echo text | client upload /plain/file

export DBXFS_ENDPOINT="$(cat "$WORK/address")"
dbxfs mount "$MNT"
pid=$(lock_owner)
serves() {
    kill -0 "$pid"
    test "$(timeout 60 cat "$MNT/plain/file")" = text
    timeout 60 ls -laR "$MNT/plain" > /dev/null
    peak=$(peak_memory "$pid")
    echo "peak $peak kB"
    test "$peak" -lt 204800
}
wait_for_delta first

# One id for a folder and a file in it, and folders that go into each other.
entry() {
    printf '{".tag":"%s","name":"%s","path_lower":"%s","path_display":"%s","id":"%s"' "$1" "${2##*/}" "$2" "$2" "$3"
    if test "$1" = file; then
        printf ',"rev":"015f000000000000000000000","size":3,"client_modified":"2020-01-01T00:00:00Z"'
        printf ',"server_modified":"2020-01-01T00:00:00Z","is_downloadable":true,"content_hash":"%064d"' 1
    fi
    printf '}'
}
number=0
attack() {
    number=$((number + 1))
    { printf '['; sep=; for part in "$@"; do printf '%s' "$sep"; entry $part; sep=,; done; printf ']'; } > "$WORK/page$number"
    mode entries "$WORK/page$number"
    wait_for_delta "after$number"
    serves
}
attack 'folder /a id:X' 'file /a/b id:X'
attack 'folder /a id:X' 'file /a/b/c/d id:X'
attack 'folder /a id:X' 'folder /b id:Y' 'folder /b/a id:X' 'file /b/a/b id:Y'
attack 'folder /b/a/b id:Y' 'folder /b/a/b/a id:X' 'file /a id:Y' 'folder /a/c id:X'

# Sizes that cannot be, and many of them; and the largest one that is believed, read.
mode plain
client mkdir /sizes
for size in 1125899906842624 9223372036854775807 4398046511104 2199019061248; do
    echo small | client upload "/sizes/claims $size"
done
wait_for_delta sizes
test ! -e "$MNT/sizes/claims 1125899906842624"
test ! -e "$MNT/sizes/claims 9223372036854775807"
test "$(stat -c %s "$MNT/sizes/claims 4398046511104")" = 4398046511104
timeout 60 dd if="$MNT/sizes/claims 4398046511104" bs=1M count=12 of=/dev/null || true
serves

# Longpolls that end at once, and pages without an end.
for kind in spin more; do
    mode $kind
    echo "$kind" | client upload "/plain/wakes $kind"
    wait_while_running "$pid" 60 grep continue "$COUNTS"
    # The time in which the questions are counted.
    sleep 6
    count=$(grep -cE 'longpoll|continue' "$COUNTS")
    echo "$kind: $count questions"
    test "$count" -lt 400
    mode plain
    serves
    wait_for_delta "after-$kind"
done

# Documents and archives that become more than they are.
mode values
echo values | client upload /plain/wakes-values
wait_while_running "$pid" 60 grep continue "$COUNTS"
serves
mode plain
wait_for_delta after-values
for kind in bomb endless; do
    mode plain
    client mkdir "/$kind"
    for file in $(seq 40); do echo "$kind $file" | client upload "/$kind/$file"; done
    wait_for_delta "has-$kind"
    mode $kind
    for file in $(seq 40); do test "$(timeout 100 cat "$MNT/$kind/$file")" = "$kind $file"; done
    serves
done
# Few values, and long ones: one name, as many as fit into an answer, and pages of deep paths without an end.
for strings in '1 60000000' '9000 7000' '1 7000000' '500 7000 200'; do
    mode strings $strings
    echo strings | client upload "/plain/wakes strings $strings"
    wait_while_running "$pid" 60 grep continue "$COUNTS"
    # Pages without an end have no end to wait for: the mount reads ten of them, or as many as it can in six seconds.
    within 6 eval 'test "$(grep -c continue "$COUNTS")" -ge 10' || true
    mode plain
    serves
    wait_for_delta "after strings $strings"
done
# A wish to wait for three hundred years.
mode retry 9223372037
echo mine > "$MNT/mine"
wait_while_running "$pid" 60 grep upload "$COUNTS"
serves
# The queue waits for the next mount.
dbxfs unmount "$MNT" --timeout 1 || test $? = 3

# A wish to wait for a day, while a process reads: it soon gets ENETDOWN. Cached content is read.
mode plain
dbxfs mount "$MNT"
pid=$(lock_owner)
echo late | client upload /plain/late
wait_while_running "$pid" 60 test -e "$MNT/plain/late"
mode later 86400
for _ in 1 2 3; do
    begin=$(date +%s)
    status=0
    timeout 100 cat "$MNT/plain/late" 2> "$WORK/said" || status=$?
    test $status = 1
    grep -q 'Network is down' "$WORK/said"
    test $(($(date +%s) - begin)) -le 70
done
test "$(grep -c download "$COUNTS")" = 1
serves
dbxfs unmount "$MNT" --timeout 1 || test $? = 3

# Nonsense about whose the token is: nothing is listed or sent until there is an answer.
account='"name":{"given_name":"","surname":"","familiar_name":"","display_name":"x","abbreviated_name":""},"email":"x@example.com"'
for text in '' nonsense null '[]' '{}' '{"account_id":7}' "{\"account_id\":null,$account}" "{\"account_id\":\"dbid:x\"}" \
    "$(head -c 100000 /dev/zero | tr '\0' '[')"; do
    printf %s "$text" > "$WORK/account"
    mode account "$WORK/account"
    dbxfs mount "$MNT" 2> "$WORK/said"
    grep -q 'mounted offline' "$WORK/said"
    echo unsure > "$MNT/unsure"
    # Time for the end that must not come.
    sleep 1
    pid=$(lock_owner)
    kill -0 "$pid"
    grep -q get_current_account "$COUNTS"
    grep -v -e get_current_account "$COUNTS" && exit 1
    dbxfs unmount "$MNT" --timeout 1 || test $? = 3
done
mode plain
dbxfs mount "$MNT"
dbxfs sync "$MNT" --timeout 100
test "$(client get /unsure)" = unsure
dbxfs unmount "$MNT"
