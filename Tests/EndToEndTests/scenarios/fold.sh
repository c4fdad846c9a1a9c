# With case=fold, a name in another case finds the file, and nothing of it stays behind in the kernel.
# options: case=fold
. "$TOOLS/lib.sh"
cd "$MNT"
echo one > Report.txt
test "$(cat REPORT.TXT)" = one
test "$(ls)" = Report.txt
test "$(stat -c %i Report.txt)" = "$(stat -c %i report.TXT)"

# Written, replaced and removed by another name, it is the same file.
echo two > report.txt
test "$(cat Report.txt)" = two
echo three > new
mv new REPORT.txt
test "$(ls)" = Report.txt
test "$(cat Report.txt)" = three
test "$(cat rePort.txt)" = three
mv repORT.txt renamed
test "$(ls)" = renamed
test ! -e Report.txt
stat renamed RENAMED > /dev/null
rm RENAMED
# The kernel gets the other cases' names a little later, and would else believe in them for an hour.
wait_until 30 test ! -e renamed
wait_until 30 test ! -e RENAMED
test -z "$(ls)"

# A name that was looked for in vain is found once the file is there in another case.
test ! -e LATER
echo later > later
test "$(cat LATER)" = later

# Folders.
mkdir -p Photos/2024
echo picture > PHOTOS/2024/a.jpg
test "$(cat photos/2024/A.JPG)" = picture
status=0
mkdir photos 2> /dev/null || status=$?
test $status = 1
rm -r photos
wait_until 30 test ! -e Photos
"$TOOLS/dropbox.py" mkdir /Theirs
echo theirs | "$TOOLS/dropbox.py" upload /Theirs/File
wait_until 30 contains THEIRS/FILE theirs
