# Patterns for what stays on this machine: programs see no difference, Dropbox none of it.
# mounts: itself
# limit: 240
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"
# Everything that Dropbox has, sorted.
remote() { dbxfs ls-remote --recursive --json | python3 -c '
import json, sys
print(" ".join(sorted(json.loads(line)["path"] for line in sys.stdin)))'; }

export DBXFS_CONFIG="$WORK/config.toml"
config() {
    printf 'write_delay = "0"\nignore = """\n%s\n"""\n[account.default]\nignore = "*.swp\\n!kept.swp"\n' \
        "$1" > "$DBXFS_CONFIG"
}
config '[broken'
fails 1 'ignore, line 1: the bracket \[ is not closed' dbxfs mount "$MNT"
config '# what a build makes
node_modules/
/project/out'
printf theirs > "$WORK/theirs"
$other upload /known.swp < "$WORK/theirs"
dbxfs mount "$MNT"

mkdir -p "$MNT/project/node_modules/left-pad" "$MNT/project/src"
echo 'module' > "$MNT/project/node_modules/left-pad/index.js"
ln -s ../left-pad "$MNT/project/node_modules/link"
head -c 300000 /dev/urandom > "$WORK/out"
cp "$WORK/out" "$MNT/project/out"
echo 'code' > "$MNT/project/src/main.c"
echo 'swap' > "$MNT/project/.main.c.swp"
echo 'kept' > "$MNT/kept.swp"
dbxfs sync "$MNT" --timeout 60
test "$(remote)" = '/kept.swp /known.swp /project /project/src /project/src/main.c'
test "$(getfattr -n user.dropbox.local --only-values "$MNT/project/out")" = 1
test "$(status_field local_entries)" = 6
test "$(status_field pending_operations)" = 0
dbxfs status "$MNT" | grep -q 'local  *6 entries, .* on this machine only'

# Renamed to another name: sent. To an ignored one: deleted on Dropbox, and kept.
mv "$MNT/project/out" "$MNT/project/result"
mv "$MNT/project/src/main.c" "$MNT/main.c.swp"
dbxfs sync "$MNT" --timeout 60
test "$(remote)" = '/kept.swp /known.swp /project /project/result /project/src'
cmp "$WORK/out" "$MNT/project/result"
test "$(cat "$MNT/main.c.swp")" = code
# A folder that Dropbox has is copied by mv, with its content.
mkdir "$MNT/modules"
echo 'shared' > "$MNT/modules/file"
dbxfs sync "$MNT" --timeout 60
dbxfs cache clear "$MNT"
mv "$MNT/modules" "$MNT/node_modules"
dbxfs sync "$MNT" --timeout 60
test "$(remote)" = '/kept.swp /known.swp /project /project/result /project/src'
test "$(cat "$MNT/node_modules/file")" = shared
# And back, by a rename.
mv "$MNT/node_modules" "$MNT/modules"
dbxfs sync "$MNT" --timeout 60
test "$($other get /modules/file)" = shared

# A file that Dropbox has goes on there, saved in either way.
echo 'edited' >> "$MNT/known.swp"
dbxfs sync "$MNT" --timeout 60
test "$($other get /known.swp)" = theirsedited
echo 'saved' > "$MNT/new.swp"
mv "$MNT/new.swp" "$MNT/known.swp"
dbxfs sync "$MNT" --timeout 60
test "$($other get /known.swp)" = saved

# Others delete the folder around it: local-only nodes stay, and Dropbox does not get the folder back.
$other delete /project
wait_until 30 test ! -e "$MNT/project/result"
dbxfs sync "$MNT" --timeout 60
test "$(cat "$MNT/project/node_modules/left-pad/index.js")" = module
test "$(remote)" = '/kept.swp /known.swp /modules /modules/file'
fails 1 'not empty' rmdir "$MNT/project"

# It survives a crash and the death of everything that could be fetched again, and nothing waits for it.
pid=$(status_field pid)
kill -9 "$pid"
dbxfs unmount --lazy "$MNT" || true
rm -r "$DBXFS_CACHE_DIR"
dbxfs mount "$MNT"
test "$(cat "$MNT/project/node_modules/left-pad/index.js")" = module
test "$(readlink "$MNT/project/node_modules/link")" = ../left-pad
test "$(cat "$MNT/main.c.swp")" = code
pid=$(status_field pid)
dbxfs unmount "$MNT" --timeout 30
# A purge of the package must not take this folder for one that can go.
wait_until 30 not grep -s dbxfs "/proc/$pid/cmdline"
test ! -e "$DBXFS_STATE_DIR/default/all-sent"

# Other patterns: nodes that they no longer match are sent.
config '/nothing'
dbxfs mount "$MNT"
dbxfs sync "$MNT" --timeout 60
test "$($other get /project/node_modules/left-pad/index.js)" = module
test "$(cat "$MNT/project/node_modules/left-pad/index.js")" = module
# The account's own patterns are the same as before.
test "$(cat "$MNT/main.c.swp")" = code
remote | grep -q 'main.c.swp' && exit 1
rm -r "$MNT/project" "$MNT/modules" "$MNT/main.c.swp"
dbxfs sync "$MNT" --timeout 60
test "$(remote)" = '/kept.swp /known.swp'
test "$(status_field local_entries)" = 0
dbxfs unmount "$MNT"
wait_until 30 test -e "$DBXFS_STATE_DIR/default/all-sent"
