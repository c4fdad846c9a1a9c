# Desktops on a mount: programs that open everything fetch nothing, trash is refused, and the mount is remote to df.
. "$TOOLS/lib.sh"
findmnt -n -o SOURCE --mountpoint "$MNT" | grep -q :
df --output=target | grep -qxF "$MNT"
test -z "$(df -l --output=target | grep -xF "$MNT")"

for name in a b c; do head -c 300000 /dev/urandom | "$TOOLS/dropbox.py" upload "/$name.jpg"; done
wait_until 60 test -e "$MNT/c.jpg"

# Programs are known by their names, also if another thread than the first one reads.
cp /bin/cat "$WORK/tumblerd"
cat > "$WORK/localsearch-extractor-3" << 'END'
#!/usr/bin/python3
import sys, threading
failures = []
def read():
    try:
        open(sys.argv[1], "rb").read()
    except OSError as error:
        failures.append(error.strerror)
thread = threading.Thread(target=read, name="pool")
thread.start()
thread.join()
sys.exit("; ".join(failures) or None)
END
chmod +x "$WORK/localsearch-extractor-3"
refused() { fails 1 'Permission denied' "$@"; }
refused "$WORK/tumblerd" "$MNT/a.jpg"
refused "$WORK/localsearch-extractor-3" "$MNT/b.jpg"
test "$(admin_stats 'routes.get("files/download", {}).get("requests", 0)')" = 0

cat "$MNT/a.jpg" > "$WORK/content"
wait_until 30 eval '"$WORK/tumblerd" "$MNT/a.jpg" | cmp - "$WORK/content"'
"$WORK/localsearch-extractor-3" "$MNT/a.jpg"

# The trash of file managers; without gio, what it does first.
mkdir "$MNT/.Trash-$(id -u)" 2> "$WORK/message" && exit 1
grep -q 'not permitted' "$WORK/message"
if command -v gio > /dev/null; then
    fails 1 'rash' gio trash "$MNT/a.jpg"
    test -e "$MNT/a.jpg"
fi
dbxfs ls-remote | grep Trash && exit 1
rm "$MNT/a.jpg"
