# Owner, group and masks as options say.
# options: uid=1234,gid=4321,fmask=137,dmask=027
. "$TOOLS/lib.sh"
echo text > "$MNT/file"
mkdir "$MNT/folder"
"$TOOLS/dropbox.py" upload /remote < "$MNT/file"
wait_until 30 test -e "$MNT/remote"
test "$(stat -c '%u %g %a' "$MNT/remote")" = '1234 4321 640'
test "$(stat -c '%u %g %a' "$MNT")" = '1234 4321 750'
