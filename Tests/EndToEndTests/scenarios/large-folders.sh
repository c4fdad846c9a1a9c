# Folders with more entries than Dropbox moves at once are moved in parts.
# limit: 120
curl -sf -X POST "$ADMIN/relocation_limit" -d '{"entries": 20}' > /dev/null
cd "$MNT"
mkdir -p large/inner/deep small
for number in $(seq 30); do
    echo "$number" > "large/$number"
    echo "inner $number" > "large/inner/$number"
done
echo deep > large/inner/deep/file
echo small > small/file
dbxfs sync "$MNT" --timeout 60
folder=$(stat -c %i large)
file=$(getfattr --only-values -n user.dropbox.id large/inner/7)

# To another folder, and on while parts of it are on their way.
mkdir target
mv large target/moved
dbxfs sync "$MNT" --timeout 60
mv target/moved small/moved
mv small renamed
dbxfs sync "$MNT" --timeout 60
test "$(stat -c %i renamed/moved)" = "$folder"
test "$(getfattr --only-values -n user.dropbox.id renamed/moved/inner/7)" = "$file"
test "$(find renamed -type f | wc -l)" = 62
test "$(cat renamed/moved/inner/30)" = 'inner 30'
dbxfs ls-remote :/ --recursive > "$WORK/remote"
test "$(grep -c 'renamed/moved/inner/.' "$WORK/remote")" = 32
grep -q large "$WORK/remote" && exit 1

# Two of them change places.
mkdir other
for number in $(seq 25); do echo "other $number" > "other/$number"; done
dbxfs sync "$MNT" --timeout 60
mv renamed/moved passing
mv other renamed/moved
mv passing other
dbxfs sync "$MNT" --timeout 60
test "$(cat other/inner/30)" = 'inner 30'
test "$(cat renamed/moved/25)" = 'other 25'

# A change of case only is one move of all, and waits; by another name it is none.
mv other Other
dbxfs sync "$MNT" --timeout 20 2> "$WORK/said" && exit 1
grep -q 'only in case' "$WORK/said"
mv Other another
dbxfs sync "$MNT" --timeout 60
mv another Other
dbxfs sync "$MNT" --timeout 60
dbxfs ls-remote :/ > "$WORK/remote"
grep -q Other "$WORK/remote"
