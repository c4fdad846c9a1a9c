# A login that is rclone's, with an app of the user's own: it is tried before it is kept, mounts, is renewed with the app's secret, is
# named where it cannot be used, and ends for both at a logout.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
unset DBXFS_ACCESS_TOKEN DISPLAY WAYLAND_DISPLAY BROWSER
# What rclone has after a login in which the user has named an app.
by_code '' --app-key test-app
python3 - "$DBXFS_STATE_DIR/default/credentials.json" > "$WORK/rclone.conf" << 'END'
import json, os, sys
login = json.load(open(sys.argv[1]))
token = {"access_token": "old", "token_type": "bearer", "refresh_token": login["refresh_token"],
         "expiry": "2020-01-01T00:00:00Z"}
print(f"""[own]
type = dropbox
client_id = {login["app_key"]}
client_secret = s3cret
token_url = {os.environ["DBXFS_ENDPOINT"]}/oauth2/token
token = {json.dumps(token)}

[standard]
type = dropbox
token = {json.dumps(token)}

[elsewhere]
type = dropbox
client_id = {login["app_key"]}
token = {json.dumps(token)}

[other-app]
type = dropbox
client_id = other-app
token_url = {os.environ["DBXFS_ENDPOINT"]}/oauth2/token
token = {json.dumps(token)}

[box]
type = crypt
remote = own:
""")
END
export RCLONE_CONFIG="$WORK/rclone.conf"
takeover() { dbxfs login --account taken "$@"; }
credentials="$DBXFS_STATE_DIR/taken/credentials.json"

# What cannot be used is said, and changes nothing. No token goes to a server that did not give it.
fails 2 'several, own, standard, elsewhere, other-app' takeover --from-rclone
fails 2 "of the type crypt" takeover --from-rclone box
fails 2 "uses rclone's own app.*dbxfs login --app-key KEY" takeover --from-rclone standard
fails 2 'it is for Dropbox, and dbxfs talks to http' takeover --from-rclone elsewhere
fails 2 'does not accept the app' takeover --from-rclone other-app
fails 2 'has no configuration file' env RCLONE_CONFIG="$WORK/none" "$DBXFS" login --from-rclone
fails 2 'there is no .*maestral.ini' dbxfs login --account taken --from-maestral
fails 1 'name one of' takeover --from-rclone --from-maestral
fails 1 'leave out --app-key' takeover --from-rclone own --app-key x
fails 1 "unexpected argument 'own'" takeover own
test ! -e "$DBXFS_STATE_DIR/taken"

# A login without a permission that dbxfs needs is not kept, and still serves rclone.
admin POST /faults \
    '{"route": "files/list_folder/get_latest_cursor", "kind": "missing_scope", "scope": "files.metadata.read", "count": 1}'
fails 2 'lacks the permission files.metadata.read' takeover --from-rclone own
test ! -e "$credentials"

takeover --from-rclone own: > "$WORK/login" 2> "$WORK/message"
cat "$WORK/login" "$WORK/message"
grep -q '^Logged in as .*@' "$WORK/login"
grep -q 'rclone goes on with the same login' "$WORK/login"
test "$(stat -c %a "$credentials")" = 600
grep -q '"app_secret" *: *"s3cret"' "$credentials"
grep -q '"app_secret"' "$DBXFS_STATE_DIR/default/credentials.json" && exit 1

# It mounts, and is renewed, which the emulator sees as a request of the app itself.
dbxfs mount taken "$MNT"
echo 'written' > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /file)" = written
admin POST /faults '{"route": "files/upload", "kind": "expired_token", "count": 1}'
echo 'renewed' > "$MNT/renewed"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /renewed)" = renewed
grep -qF s3cret "$DBXFS_STATE_DIR/taken/dbxfs.log" "$WORK/login" "$WORK/message" && exit 1
dbxfs unmount "$MNT"

# One login of two clients ends for both.
dbxfs logout --account taken
test ! -e "$credentials"
fails 2 'has ended the login of rclone' takeover --from-rclone own
