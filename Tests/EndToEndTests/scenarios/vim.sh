# vim saves by way of other files: a backup beside it, a new file, renames, a swap file.
cd "$MNT"
printf 'first line\nsecond line\n' > notes.txt
inode=$(stat -c %i notes.txt)
for backupcopy in no yes auto; do
    vim -u NONE -es -c "set backup writebackup backupskip= backupcopy=$backupcopy fsync" \
        -c '1s/first/FIRST/e' -c "normal Goadded with $backupcopy" -c 'wq' notes.txt < /dev/null
done
test "$(head -1 notes.txt)" = 'FIRST line'
test "$(grep -c added notes.txt)" = 3
test -f notes.txt~
test -z "$(ls -A | grep swp)"

dbxfs sync "$MNT"
"$TOOLS/dropbox.py" get /notes.txt | cmp - notes.txt
test "$inode" != 0
