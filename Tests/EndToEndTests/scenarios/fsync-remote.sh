# With fsync=remote, fsync returns when Dropbox has the content.
# options: fsync=remote,write_delay=1h
# A file that is open for writing is sent at once, and not 30 seconds after its last change.
timeout 20 python3 - << 'END'
import os

with open(os.path.join(os.environ["MNT"], "file"), "w") as file:
    file.write("durable")
    file.flush()
    os.fsync(file.fileno())
END
test "$("$TOOLS/dropbox.py" get /file)" = durable
echo 'in no hurry' > "$MNT/unhurried"
if "$TOOLS/dropbox.py" get /unhurried > /dev/null 2>&1; then exit 1; fi
