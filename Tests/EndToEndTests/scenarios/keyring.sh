# A login whose secret is in a keyring, a real one: commands and mounts with it, another login, a locked keyring, none, and logout.
# mounts: itself
# limit: 300
. "$TOOLS/lib.sh"
unset DBXFS_ACCESS_TOKEN DISPLAY WAYLAND_DISPLAY BROWSER
credentials="$DBXFS_STATE_DIR/default/credentials.json"

# A session with a bus, and a keyring that is unlocked. Both end with the bus.
mkdir -m 700 "$WORK/session"
export XDG_RUNTIME_DIR="$WORK/session" XDG_DATA_HOME="$WORK/session/data"
dbus-daemon --session --fork --print-address=1 --print-pid=1 > "$WORK/bus" 2> "$WORK/session/log"
trap 'kill "$(sed -n 2p "$WORK/bus")"' EXIT
DBUS_SESSION_BUS_ADDRESS=$(head -n 1 "$WORK/bus")
export DBUS_SESSION_BUS_ADDRESS
# Another daemon takes over: a user would enter the password.
unlock_keyring() {
    printf password | gnome-keyring-daemon --replace --unlock --components=secrets > "$WORK/unlocking" 2>&1
}
lock_keyring() {
    dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
        org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login
}
entry() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["keyring"])' "$credentials"; }
# The refresh token that the keyring has.
kept_secret() {
    secret-tool lookup service dbxfs account "$(entry)" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["refresh_token"])'
}
entries() { secret-tool search --all service dbxfs 2>&1 | grep -c '^attribute.account' || true; }
unlock_keyring

# Nothing is asked of the user, and nothing changes, where no keyring can be had.
fails 2 'DBUS_SESSION_BUS_ADDRESS' env -u DBUS_SESSION_BUS_ADDRESS dbxfs login --keyring --no-browser --app-key test-app
fails 2 'libsecret-tools' env PATH="$WORK/none" "$DBXFS" login --keyring --no-browser --app-key test-app
fails 1 'system mounts have no keyring' dbxfs login --system --keyring
test ! -e "$DBXFS_STATE_DIR/default"

by_code '' --keyring --app-key test-app
grep -q 'secret of the login is in the keyring' "$WORK/login"
test "$(stat -c %a "$credentials")" = 600
kept_secret > "$WORK/secrets"
grep -qF -f "$WORK/secrets" "$credentials" && exit 1
find "$EMULATOR_STATE" -name accounts.json -exec grep -qF -f "$WORK/secrets" {} +

# A mount, commands that ask Dropbox by themselves, and those that do not. Of a mount, the command asks the keyring,
# for which the desktop may ask for a password, and then the process behind the mount, once each.
mkdir "$WORK/bin"
cat > "$WORK/bin/secret-tool" << END
#!/bin/sh
echo "\$1" >> "$WORK/asked"
exec "$(command -v secret-tool)" "\$@"
END
chmod +x "$WORK/bin/secret-tool"
env PATH="$WORK/bin:$PATH" "$DBXFS" mount "$MNT"
echo 'first' > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
test "$(grep -c lookup "$WORK/asked")" = 2
test "$("$TOOLS/dropbox.py" get /file)" = first
dbxfs ls-remote : | grep -q file
dbxfs accounts | grep -q 'login, in the keyring'
dbxfs accounts --json | grep -q '"in_keyring":true'
# Other checks of this machine may find problems.
dbxfs doctor > "$WORK/findings" || true
grep -q 'a login, whose secret is in the keyring' "$WORK/findings"

# Dropbox ends the login. The next one is in the keyring, too, without a word; the mount takes it.
admin POST /logins/revoke '{}'
echo 'waits' > "$MNT/file"
fails 3 'run: dbxfs login' dbxfs sync "$MNT" --timeout 60
wait_until 120 has_state auth-required
by_code ''
wait_until 60 has_state online
test "$(entries)" = 1
kept_secret >> "$WORK/secrets"
test "$(sort -u "$WORK/secrets" | wc -l)" = 2
echo 'second' > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /file)" = second

# To a file and back, while it is mounted.
by_code '' --no-keyring
test "$(entries)" = 0
grep -q refresh_token "$credentials"
admin POST /faults '{"route": "files/upload", "kind": "expired_token", "count": 1}'
echo 'third' > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
by_code '' --keyring
test "$(entries)" = 1
kept_secret >> "$WORK/secrets"
admin POST /faults '{"route": "files/upload", "kind": "expired_token", "count": 1}'
echo 'fourth' > "$MNT/file"
dbxfs sync "$MNT" --timeout 60
test "$("$TOOLS/dropbox.py" get /file)" = fourth

# No secret is where it should not be.
pid=$(status_field pid)
cat "/proc/$pid/cmdline" "/proc/$pid/environ" > "$WORK/process"
dbxfs status --json > "$WORK/status"
grep -rqaF -f "$WORK/secrets" "$DBXFS_STATE_DIR" "$WORK/process" "$WORK/status" "$WORK/findings" "$WORK/login" && exit 1

# A signal ends the mount as one with a login in a file, after its queue: nothing that asks the keyring takes the signal.
echo 'fifth' > "$MNT/file"
kill -TERM "$pid"
wait_until 60 has_ended "$pid"
not mountpoint -q "$MNT"
test "$("$TOOLS/dropbox.py" get /file)" = fifth

# Locked: services and doctor do not wait, and a user's command does for as long as the desktop asks, which is no
# time without a display. The login stays.
lock_keyring
fails 2 'keyring is locked: unlock it' timeout 30 dbxfs mount --foreground "$MNT" < /dev/null
fails 2 'keyring is locked: unlock it' timeout 60 dbxfs mount "$MNT"
grep -q 'enter its password where the desktop asks' "$WORK/message"
fails 2 'keyring is locked: unlock it' timeout 60 dbxfs logout
timeout 60 dbxfs doctor > "$WORK/findings" && exit 1
grep -q 'keyring is locked: unlock it' "$WORK/findings"
unlock_keyring
dbxfs mount "$MNT"
test "$(cat "$MNT/file")" = fifth
dbxfs unmount "$MNT"

# Without a session, as root's mounts at boot.
fails 2 'dbxfs login --no-keyring' env -u DBUS_SESSION_BUS_ADDRESS dbxfs mount "$MNT"
# A bus without a keyring's service.
cat > "$WORK/bus.conf" << 'END'
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
END
fails 2 'keyring cannot be used' timeout 60 dbus-run-session --config-file="$WORK/bus.conf" -- dbxfs mount "$MNT"

# The end of the login, here and on Dropbox.
kept_secret > "$WORK/last"
dbxfs logout > "$WORK/output"
grep -qx 'Logged out.' "$WORK/output"
test "$(entries)" = 0
test ! -e "$credentials"
find "$EMULATOR_STATE" -name accounts.json -exec grep -qF -f "$WORK/last" {} + && exit 1
fails 32 'run: dbxfs login' dbxfs mount "$MNT"
