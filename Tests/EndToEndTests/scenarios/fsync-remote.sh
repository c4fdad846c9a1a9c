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
# An atomic save: the fsync of the folder waits for the new name, and for the end of the old one.
timeout 20 python3 - << 'END'
import os

mount = os.environ["MNT"]
with open(os.path.join(mount, "file.tmp"), "w") as file:
    file.write("saved")
    file.flush()
    os.fsync(file.fileno())
os.rename(os.path.join(mount, "file.tmp"), os.path.join(mount, "file"))
folder = os.open(mount, os.O_RDONLY | os.O_DIRECTORY)
os.fsync(folder)
os.close(folder)
END
test "$("$TOOLS/dropbox.py" get /file)" = saved
if "$TOOLS/dropbox.py" get /file.tmp > /dev/null 2>&1; then exit 1; fi
mkdir "$MNT/folder"
mv "$MNT/file" "$MNT/folder/moved"
timeout 20 python3 -c 'import os; os.fsync(os.open(os.environ["MNT"], os.O_RDONLY))'
test "$("$TOOLS/dropbox.py" get /folder/moved)" = saved
echo 'in no hurry' > "$MNT/unhurried"
if "$TOOLS/dropbox.py" get /unhurried > /dev/null 2>&1; then exit 1; fi
