# Two machines, each with its own state, and a third client that knows nothing of modes and links: a tree that is unpacked on one
# is the same tree on the other, and costs three requests more than without.
# mounts: itself
# limit: 300
. "$TOOLS/lib.sh"
. "$TOOLS/machines.sh"
third="$TOOLS/dropbox.py"
# Deltas of what was sent come in as many parts as they come.
requests() { admin_stats 'sum(route["requests"] for name, route in routes.items()
    if not name.endswith(("longpoll", "list_folder/continue", "get_space_usage")))'; }
# Users see this: modes, sizes, times to the nanosecond, attributes, links. The times of folders are those of each machine.
seen() {
    (cd "$1/$2" && find . -type f -printf '%p %M %s %T@\n' -o -type d -printf '%p %M\n' \
        -o -type l -printf '%p -> %l %M %s %T@\n' | sort)
    (cd "$1/$2" && getfattr -R -d -m '^user\.' . 2> /dev/null | sort)
}
has_mode() { test "$(stat -c %a "$1")" = "$2"; }

mkdir "$WORK/one" "$WORK/two"
one="$WORK/one" two="$WORK/two"

# A tree of 490 files, 30 of them programs, and five links: two requests have room for the content of 500.
(
    mkdir "$WORK/tree"
    cd "$WORK/tree"
    for folder in $(seq 10); do
        mkdir "d$folder"
        for file in $(seq 46); do echo "$folder $file" > "d$folder/f$file"; done
        for file in 1 2 3; do
            printf '#!/bin/sh\necho "runs $0"\n' > "d$folder/run$file"
            chmod 755 "d$folder/run$file"
        done
    done
    chmod 600 d1/f1
    chmod 400 d1/f2
    touch -d '2001-02-03 04:05:06.123456789 UTC' d1/f3
    setfattr -n user.origin -v 'https://example.org/ü' d1/f4
    ln -s f1 d1/link
    ln -s ../d2/run1 d1/up
    ln -s /nowhere/at/all d3/dangling
    ln -s ../d4 d9/folder
    ln -s "$(printf 'caf\351 %%')" d5/bytes
    touch -h -d '2002-03-04 05:06:07.987654321 UTC' d1/link
)
(cd "$WORK" && tar --xattrs -cf tree.tar tree)

# As before, modes stay on the machine. The requests of that:
on 1 dbxfs mount "$one" -o posix=local,write_delay=1h
tar --xattrs -C "$one" -xf "$WORK/tree.tar"
admin POST /stats/reset '{}'
sync_on 1 "$one"
without=$(requests)
has_mode "$one/tree/d1/run1" 755
rm -r "$one/tree"
sync_on 1 "$one"
on 1 dbxfs unmount "$one"

mount_on 1 "$one"
wait_until 60 eval 'test "$(on 1 dbxfs status --json "$one" | grep -c "\"state\":\"online\"")" = 1'
tar --xattrs -C "$one" -xf "$WORK/tree.tar"
admin POST /stats/reset '{}'
sync_on 1 "$one"
with=$(requests)
# Three for the template; the listing that follows it may come between two batches, which are four then.
echo "$with requests, $without without sharing"
test "$with" -le "$((without + 7))"
seen "$one" tree > "$WORK/seen1"
grep -q 'd1/run1 -rwxr-xr-x' "$WORK/seen1"
grep -q 'd1/link -> f1 lrwxrwxrwx 2 1015218367.987654321' "$WORK/seen1"
test "$(grep -c -a -- '->' "$WORK/seen1")" = 5
test "$(find "$one/tree" -type f | wc -l)" = 490

# The other machine.
mount_on 2 "$two"
wait_until 60 test -e "$two/tree/d10/run3"
wait_until 60 has_mode "$two/tree/d1/f1" 600
seen "$two" tree > "$WORK/seen2"
diff "$WORK/seen1" "$WORK/seen2"
diff -r --no-dereference "$one/tree" "$two/tree"
diff -r --no-dereference "$WORK/tree" "$two/tree"
test "$("$two/tree/d3/run2")" = "runs $two/tree/d3/run2"
test "$(stat -c %y "$two/tree/d1/f3")" = "$(stat -c %y "$WORK/tree/d1/f3")"
test "$(getfattr -n user.origin --only-values "$two/tree/d1/f4")" = 'https://example.org/ü'

# Changes of modes alone, both ways: one request for each, and none twice.
on 1 dbxfs unmount "$one"
mount_on 1 "$one"
admin POST /stats/reset '{}'
for file in $(seq 40); do
    chmod 755 "$two/tree/d4/f$file"
    chmod 700 "$two/tree/d4/f$file"
done
sync_on 2 "$two"
test "$(admin_stats 'routes["file_properties/properties/overwrite"]["requests"]')" = 40
wait_until 60 has_mode "$one/tree/d4/f40" 700
chmod 700 "$one/tree/d2"
chmod -x "$one/tree/d3/run2"
setfattr -x user.origin "$one/tree/d1/f4"
touch -d '1999-12-31 23:59:59.5 UTC' "$one/tree/d1/f5"
sync_on 1 "$one"
wait_until 60 has_mode "$two/tree/d3/run2" 644
wait_until 60 has_mode "$two/tree/d2" 700
wait_until 60 eval 'test -z "$(getfattr -d "$two/tree/d1/f4")"'
wait_until 60 eval 'test "$(stat -c %y "$two/tree/d1/f5")" = "$(stat -c %y "$one/tree/d1/f5")"'

# A program saved over by an editor, which writes another file and renames it.
printf '#!/bin/sh\necho edited\n' > "$two/tree/d5/new"
chmod 755 "$two/tree/d5/new"
mv "$two/tree/d5/new" "$two/tree/d5/run1"
sync_on 2 "$two"
wait_until 60 eval 'test "$("$one/tree/d5/run1")" = edited'

# The third client edits a program, which stays one, and moves it; a copy that it makes is an ordinary file.
printf '#!/bin/sh\necho third\n' | $third upload /tree/d5/run1
wait_until 60 eval 'test "$("$one/tree/d5/run1")" = third'
wait_until 60 eval 'test "$("$two/tree/d5/run1")" = third'
$third move /tree/d5/run2 /tree/moved
wait_until 60 has_mode "$two/tree/moved" 755
wait_until 60 has_mode "$one/tree/moved" 755
echo plain | $third upload /tree/d5/run2
wait_until 60 has_mode "$two/tree/d5/run2" 644

# To the third client a link is a text. It moves with the link, and edited it is a file, whose place a link can take again.
is_link() { test "$(readlink "$1")" = "$2"; }
is_file() { test ! -L "$1" && contains "$1" "$2"; }
test "$($third get /tree/d1/link)" = 'This file is a symbolic link (dbxfs). Its target is the next line:
f1'
$third move /tree/d1/up /tree/up
for mount in "$one" "$two"; do wait_until 60 is_link "$mount/tree/up" ../d2/run1; done
printf edited | $third upload /tree/d1/link
for mount in "$one" "$two"; do wait_until 60 is_file "$mount/tree/d1/link" edited; done
ln -sfn f2 "$two/tree/d1/link"
sync_on 2 "$two"
wait_until 60 is_link "$one/tree/d1/link" f2
test "$(cat "$one/tree/d1/link")" = '1 2'
echo instead > "$one/tree/new"
mv -T "$one/tree/new" "$one/tree/d9/folder"
mv "$one/tree/d1/link" "$one/tree/d2/link"
rm "$one/tree/d5/bytes"
sync_on 1 "$one"
wait_until 60 is_file "$two/tree/d9/folder" instead
wait_until 60 is_link "$two/tree/d2/link" f2
wait_until 60 test ! -L "$two/tree/d5/bytes"
$third delete /tree/d3/dangling
for mount in "$one" "$two"; do wait_until 60 test ! -L "$mount/tree/d3/dangling"; done

# A server whose changes do not tell of modes alone: they come with the next version.
admin POST /settings '{"tell_properties": false}'
chmod 755 "$one/tree/d6/f1"
sync_on 1 "$one"
echo next > "$one/tree/d6/f1"
sync_on 1 "$one"
wait_until 60 contains "$two/tree/d6/f1" next
has_mode "$two/tree/d6/f1" 755

# All of it is removed from Dropbox; what each machine knows stays there.
on 1 dbxfs posix --remove | grep -q '^Removed'
on 1 dbxfs posix --account default --remove | grep -q 'keeps no modes'
if [ "$(id -u)" = 0 ]; then on 1 dbxfs posix --system --remove | grep -q 'keeps no modes'; fi
printf '#!/bin/sh\necho later\n' | $third upload /tree/d7/run1
wait_until 60 eval 'test "$("$two/tree/d7/run1")" = later'
has_mode "$two/tree/d7/run1" 755
is_link "$two/tree/d2/link" f2
fails 1 'say --remove' on 1 dbxfs posix
on 1 dbxfs unmount "$one"
on 2 dbxfs unmount "$two"
on 3 dbxfs mount "$MNT" -o posix=local
has_mode "$MNT/tree/d8/run1" 644
test "$(tail -n 1 "$MNT/tree/d2/link")" = f2
test ! -L "$MNT/tree/d2/link"
on 3 dbxfs unmount "$MNT"
