# Logging in by code and by browser, mounting with that, losing the login, logging in again, logging out.
# mounts: itself
# limit: 400
. "$TOOLS/lib.sh"
unset DBXFS_ACCESS_TOKEN DISPLAY WAYLAND_DISPLAY BROWSER
credentials="$DBXFS_STATE_DIR/default/credentials.json"
# As the library's, without input, and with one line of errors.
fails() {
    expected=$1 text=$2
    shift 2
    status=0
    DBXFS_LOG_LEVEL=info "$@" < /dev/null > "$WORK/output" 2> "$WORK/message" || status=$?
    cat "$WORK/output" "$WORK/message"
    test $status = "$expected"
    grep -q -- "$text" "$WORK/message"
    test "$(wc -l < "$WORK/message")" = 1
}
# A browser on this machine, which xdg-open would start.
mkdir "$WORK/bin"
cat > "$WORK/bin/xdg-open" << END
#!/bin/sh
echo "\$@" >> "$WORK/opened"
"$TOOLS/browser.py" "\$1" \$(cat "$WORK/choice") > "$WORK/page" 2>&1
echo noise that must not be seen
END
chmod +x "$WORK/bin/xdg-open"
: > "$WORK/choice"
by_browser() {
    PATH="$WORK/bin:$PATH" DISPLAY=:0 DBXFS_LOG_LEVEL=trace timeout 60 "$@" \
        < /dev/null > "$WORK/login" 2> "$WORK/message"
}

# Without a login, an app, an answer or a right answer.
fails 32 'run: dbxfs login' dbxfs mount "$MNT"
# The steps to an app stand above the error, which is the last line.
status=0
DBXFS_LOG_LEVEL=info dbxfs login < /dev/null > "$WORK/output" 2> "$WORK/message" || status=$?
test $status = 1
tail -n 1 "$WORK/message" | grep -q '^dbxfs: no app to log in with: make one as above'
test "$(grep -c '^dbxfs: ' "$WORK/message")" = 1
for text in https://www.dropbox.com/developers/apps 'files.content.read files.content.write' \
    'files.metadata.write sharing.read sharing.write' \
    'http://localhost:53682/ http://localhost:53683/ http://localhost:53684/' 'dbxfs login --app-key KEY'; do
    grep -qF -- "$text" "$WORK/message"
done
fails 1 'App key' dbxfs login --app-key 'a&b'
fails 1 'a/b' dbxfs login --account a/b
fails 2 'no code was entered' dbxfs login --no-browser --app-key test-app
echo wrong > "$WORK/wrong"
status=0
dbxfs login --app-key test-app < "$WORK/wrong" 2> "$WORK/message" || status=$?
test $status = 2
grep -q 'does not accept the code' "$WORK/message"
fails 2 'no login here' dbxfs logout
test ! -e "$credentials"

# By a code. White space around it does not matter.
by_code '' --app-key test-app
grep -q '^Logged in as .*@.* used\.$' "$WORK/login"
grep -qxF "Mount it at $HOME/Dropbox: dbxfs mount" "$WORK/login"
grep -qxF 'Or elsewhere: dbxfs mount MOUNTPOINT' "$WORK/login"
test "$(stat -c %a "$credentials")" = 600
test "$(stat -c %a "$DBXFS_STATE_DIR/default")" = 700

dbxfs mount "$MNT"
echo 'before' > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /file)" = before

# The secret alone does, with its app, and is nowhere to be read.
(
    DBXFS_REFRESH_TOKEN=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["refresh_token"])' \
        "$credentials")
    export DBXFS_REFRESH_TOKEN DBXFS_STATE_DIR="$WORK/fleet/state" DBXFS_CACHE_DIR="$WORK/fleet/cache"
    mkdir -p "$WORK/fleet/mnt"
    fails 1 'set DBXFS_APP_KEY' dbxfs mount "$WORK/fleet/mnt"
    export DBXFS_APP_KEY=test-app
    dbxfs mount "$WORK/fleet/mnt"
    test "$(cat "$WORK/fleet/mnt/file")" = before
    # Other mounts of this machine may have problems.
    dbxfs doctor > "$WORK/findings" || true
    grep -q 'the token in DBXFS_REFRESH_TOKEN' "$WORK/findings"
    dbxfs unmount "$WORK/fleet/mnt"
    ! grep -rqF -e "$DBXFS_REFRESH_TOKEN" "$WORK/fleet" "$WORK/findings"
)
echo 'theirs' | "$TOOLS/dropbox.py" upload /cached
wait_until 30 contains "$MNT/cached" theirs

# The user takes the access away: cached content can be read, writes wait, and a message says what
# to do.
admin POST /logins/revoke '{}'
echo 'while out' > "$MNT/waiting"
status=0
dbxfs sync "$MNT" --timeout 60 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 3
grep -q 'run: dbxfs login' "$WORK/message"
wait_until 120 has_state auth-required
dbxfs status "$MNT" | tee "$WORK/message"
grep -q 'no access: .*run: dbxfs login' "$WORK/message"
dbxfs status --json "$MNT" | grep -q '"advice":"[^"]*run: dbxfs login'
test "$(cat "$MNT/cached")" = theirs
test "$(cat "$MNT/waiting")" = 'while out'

# Another person's login is not mixed with this account's files, and is not kept.
admin POST /accounts '{"given_name": "Other", "email": "other@example.com"}'
cp "$credentials" "$WORK/before"
status=0
by_code other@example.com || status=$?
test $status = 2
grep -q 'must not be mixed' "$WORK/message"
cmp "$credentials" "$WORK/before"
# A refresh token would remain of it.
find "$EMULATOR_STATE" -name accounts.json -exec grep -q '"refresh_tokens": *\[ *\]' {} +

# A refusal changes nothing.
echo - > "$WORK/choice"
status=0
by_browser dbxfs login || status=$?
cat "$WORK/login" "$WORK/message" "$WORK/page"
test $status = 2
grep -q 'access was not allowed' "$WORK/message"
grep -q 'No access' "$WORK/page"
cmp "$credentials" "$WORK/before"

# By the browser, with the app of the last login; the mount goes on by itself.
: > "$WORK/choice"
by_browser dbxfs login
cat "$WORK/login" "$WORK/page"
grep -q '^Logged in as' "$WORK/login"
grep -q noise "$WORK/login" "$WORK/message" && exit 1
cp "$WORK/message" "$WORK/log of login"
grep -q 'Nearly done' "$WORK/page"
# The program that opens it gets an address that says nothing of the login, and another one than the terminal: it
# works once.
grep -qxE 'http://localhost:5368[234]/[A-Za-z0-9_-]{32}' "$WORK/opened"
grep -qxE 'http://localhost:5368[234]/[A-Za-z0-9_-]{32}' "$WORK/login"
grep '^http' "$WORK/login" | grep -q -x -f "$WORK/opened" && exit 1
grep -q 'state=.*code_challenge=\|code_challenge=.*state=' "$WORK/asked"
wait_until 20 has_state online
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /waiting)" = 'while out'
dbxfs status "$MNT"

# Modes on other machines need a permission that a login does not ask for if it is told so.
grep -q '^http.*scope=[^&]*files.metadata.write' "$WORK/asked"
PATH="$WORK/bin:$PATH" DISPLAY=:0 timeout 60 dbxfs login --no-posix < /dev/null > "$WORK/login" 2> "$WORK/message"
grep -q '^http.*scope=' "$WORK/asked"
grep -q 'files.metadata.write' "$WORK/asked" && exit 1
wait_until 20 has_state online

# Links need permissions that a login asks for unless it is told not to.
by_browser dbxfs login --no-sharing
grep -q 'scope=' "$WORK/asked"
grep -q 'sharing' "$WORK/asked" && exit 1
fails 2 'login since then: `dbxfs login`' dbxfs link "$MNT/waiting"
# An app that has not got them: the login goes on without them, and says so, unless it insists.
files='"account_info.read", "files.metadata.read", "files.content.read", "files.content.write"'
admin POST /settings "{\"app_scopes\": [$files]}"
by_browser dbxfs login
grep -q 'lacks sharing.read and sharing.write.*--no-sharing' "$WORK/message"
grep -q 'lacks the permission files.metadata.write' "$WORK/message"
fails 2 'login since then' dbxfs link "$MNT/waiting"
cp "$credentials" "$WORK/kept"
status=0
by_browser dbxfs login --sharing || status=$?
test $status = 2
grep -q 'lacks the permission sharing.read, sharing.write' "$WORK/message"
# If Dropbox's page refuses them, the error says what asks for less.
admin POST /settings '{"refuse_scopes": true}'
status=0
by_browser dbxfs login || status=$?
test $status = 2
grep -q 'the app may not ask for files.metadata.write, sharing.read, sharing.write.*--no-sharing and --no-posix' "$WORK/message"
grep -q 'The app may not' "$WORK/page"
cmp "$credentials" "$WORK/kept"
grep -q 'error about scopes.*ask for less: --no-sharing and --no-posix' "$WORK/login"
by_browser dbxfs login --no-sharing --no-posix
grep -q 'error about scopes' "$WORK/login" && exit 1
admin POST /settings '{"app_scopes": null, "refuse_scopes": false}'
by_browser dbxfs login
grep -q '^http.*scope=[^&]*sharing.write' "$WORK/asked"
dbxfs link "$MNT/waiting" | grep -q '^https://.*/waiting'
wait_until 20 has_state online

# A login that may only read has read-only mounts.
dbxfs unmount "$MNT"
by_browser dbxfs login --read-only
grep -q 'mounts with it are read-only' "$WORK/login"
grep -q '\.write' "$WORK/asked" && exit 1
dbxfs mount "$MNT" 2> "$WORK/message"
grep -q 'mounted read-only, because the login may only read' "$WORK/message"
test "$(cat "$MNT/waiting")" = 'while out'
if (echo no > "$MNT/refused") 2> "$WORK/message"; then exit 1; fi
grep -qi 'read-only file system' "$WORK/message"
dbxfs doctor > "$WORK/findings" || true
grep -q 'it may only read' "$WORK/findings"
dbxfs unmount "$MNT"
by_browser dbxfs login
dbxfs mount "$MNT"

# A token that has expired is renewed, without a sign to programs.
renewals() { admin_stats 'routes["oauth2/token"]["requests"]'; }
before=$(renewals)
admin POST /faults '{"route": "files/upload", "kind": "expired_token", "count": 1}'
echo 'renewed' > "$MNT/renewed"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /renewed)" = renewed
test "$(renewals)" = $((before + 1))

# No secret is where it should not be.
pid=$(status_field pid)
find "$EMULATOR_STATE" -name accounts.json -exec python3 -c '
import json, sys
state = json.load(open(sys.argv[1]))
for token in state["tokens"] + state["refresh_tokens"]: print(token["token"])' {} + > "$WORK/secrets"
python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["refresh_token"])' "$WORK/before" \
    >> "$WORK/secrets"
test "$(wc -l < "$WORK/secrets")" -ge 4
dbxfs status --json > "$WORK/status"
cat "/proc/$pid/cmdline" "/proc/$pid/environ" > "$WORK/process"
grep -F -v -x -e "$TOKEN" -e "$TOKEN2" "$WORK/secrets" > "$WORK/login secrets"
grep -c -a -F -f "$WORK/login secrets" "$DBXFS_STATE_DIR/default/dbxfs.log" "$WORK/status" \
    "$WORK/process" "$WORK/login" "$WORK/log of login" "$WORK/opened" && exit 1
grep -q 'Max core file size *1 ' "/proc/$pid/limits"

# Another account of this machine has a login of its own.
by_code other@example.com --account other --app-key test-app
grep -qxF "Mount it at $HOME/Dropbox-other: dbxfs mount --account other" "$WORK/login"
# Put in this account's place, it is not used: not by the mount that runs, and not by the next one.
cp "$credentials" "$WORK/own"
cp "$DBXFS_STATE_DIR/other/credentials.json" "$credentials"
echo 'mine' > "$MNT/mine"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /mine)" = mine
dbxfs unmount "$MNT"
fails 32 'is the account dbid:.*keeps the files of Sample User' dbxfs mount "$MNT"
# One that says that it is this account's, and is not, is found out when Dropbox is back.
python3 -c 'import json, sys
login, own = (json.load(open(path)) for path in sys.argv[1:])
login["account_id"] = own["account_id"]
json.dump(login, open(sys.argv[1], "w"))' "$credentials" "$WORK/own"
kill -STOP "$(cat "$EMULATOR_PID_FILE")"
dbxfs mount "$MNT" 2> "$WORK/message"
grep -q 'mounted offline' "$WORK/message"
echo theirs > "$MNT/theirs"
kill -CONT "$(cat "$EMULATOR_PID_FILE")"
wait_until 120 has_state auth-required
dbxfs status "$MNT" > "$WORK/status"
grep -q 'the token is Other.*keeps the files of Sample User' "$WORK/status"
"$TOOLS/dropbox.py" get /theirs && exit 1
rm "$MNT/theirs"
dbxfs unmount "$MNT" --timeout 1 || true
cp "$WORK/own" "$credentials"
# A login goes to no other server than the one that gave it.
fails 32 "is for $ENDPOINT, but the server is http://127.0.0.1:9," env DBXFS_ENDPOINT=http://127.0.0.1:9 dbxfs mount "$MNT"
# A known account mounts without Dropbox.
kill -STOP "$(cat "$EMULATOR_PID_FILE")"
dbxfs mount "$MNT" 2> "$WORK/message"
grep -q 'mounted offline' "$WORK/message"
test "$(cat "$MNT/mine")" = mine
dbxfs unmount "$MNT"
kill -CONT "$(cat "$EMULATOR_PID_FILE")"
dbxfs mount "$MNT"
dbxfs logout --account other
test ! -e "$DBXFS_STATE_DIR/other/credentials.json"

# Not while it is mounted. The queue stays.
fails 2 "mounted at $MNT" dbxfs logout
dbxfs unmount "$MNT"
dbxfs mount "$MNT"
# Else it might be sent in the moment that unmounting takes.
admin POST /faults '{"route": "files/upload*", "kind": "server_error", "status": 503}'
echo 'later' > "$MNT/later"
status=0
dbxfs unmount "$MNT" --timeout 0 || status=$?
test $status = 3
admin DELETE /faults
refresh=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["refresh_token"])' "$credentials")
find "$EMULATOR_STATE" -name accounts.json -exec grep -q "$refresh" {} +
dbxfs logout > "$WORK/output" 2> "$WORK/message"
cat "$WORK/output" "$WORK/message"
grep -qx 'Logged out.' "$WORK/output"
grep -q '1 change still queued' "$WORK/message"
test ! -e "$credentials"
find "$EMULATOR_STATE" -name accounts.json -exec grep -q "$refresh" {} + && exit 1
fails 32 'run: dbxfs login' dbxfs mount "$MNT"

by_code '' --app-key test-app
chmod 644 "$credentials"
fails 32 'chmod 600' dbxfs mount "$MNT"
chmod 600 "$credentials"
dbxfs mount "$MNT"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /later)" = later
dbxfs unmount "$MNT"

# With --force, a mount is logged out, too; it waits for the next login.
dbxfs mount "$MNT"
dbxfs logout --force
echo 'waits' > "$MNT/waits"
status=0
dbxfs sync "$MNT" --timeout 60 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 3
grep -q 'was logged out; run: dbxfs login' "$WORK/message"
has_state auth-required
by_code '' --app-key test-app
wait_until 20 has_state online
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /waits)" = waits
dbxfs unmount "$MNT"

# Dropbox cannot be told: the login stays, unless that is wanted.
sed -i "s|$ENDPOINT|http://127.0.0.1:9|" "$credentials"
DBXFS_ENDPOINT=http://127.0.0.1:9
export DBXFS_ENDPOINT
fails 2 'could not be told' dbxfs logout
test -e "$credentials"
dbxfs logout --force
test ! -e "$credentials"
