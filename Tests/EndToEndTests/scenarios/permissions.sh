# Owner, group and masks as options say.
# options: uid=1234,gid=4321,fmask=137,dmask=027
echo text > "$MNT/file"
mkdir "$MNT/folder"
"$TOOLS/dropbox.py" upload /remote < "$MNT/file"
tries=0
until [ -e "$MNT/remote" ]; do
    tries=$((tries + 1))
    test $tries -lt 200
    sleep 0.1
done
test "$(stat -c '%u %g %a' "$MNT/remote")" = '1234 4321 640'
test "$(stat -c '%u %g %a' "$MNT")" = '1234 4321 750'
