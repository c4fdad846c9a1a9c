# A source tree of the kernel's shape on two machines: unpacked on one, committed there, built on the other. Both are killed in the
# middle of it, one while it sends the tree and the other while it reads it, and neither sends or fetches it a second time.
# mounts: itself
# limit: 400
. "$TOOLS/lib.sh"
. "$TOOLS/machines.sh"
export PYTHONDONTWRITEBYTECODE=1 GIT_CONFIG_NOSYSTEM=1
git config --global user.name 'A Tester'
git config --global user.email 'tester@example.com'
git config --global init.defaultBranch main
git config --global core.quotePath false
same="$TOOLS/same_tree.py"
one="$WORK/one" two="$WORK/two" tree="$WORK/tree"
mkdir "$one" "$two"
# on_server [--files]: how many files and folders Dropbox has, or how many files alone.
on_server() {
    admin GET /tree | python3 -c 'import json, sys
entries = json.load(sys.stdin)["entries"]
print(sum("rev" in entry for entry in entries) if sys.argv[1:] else len(entries))' "$@"
}
requests_of() { admin_stats "sum(route['requests'] for name, route in routes.items() if name == '$1')"; }
# phase NAME MOST: ends a phase, in which there were so many requests at most, without those that wait for changes and what follows them.
phase() {
    admin_stats '"\n".join("%7d %10d %10d  %s" % (route["requests"], route["bytes_in"], route["bytes_out"], name)
        for name, route in sorted(routes.items()) if route["requests"])'
    requests=$(admin_stats 'sum(route["requests"] for name, route in routes.items()
        if not name.endswith(("longpoll", "list_folder/continue", "get_space_usage")))')
    uploaded=$(admin_stats 'sum(route["bytes_in"] for route in routes.values())')
    downloaded=$(admin_stats 'sum(route["bytes_out"] for name, route in routes.items() if "download" in name)')
    echo "phase $1: $requests requests, $uploaded bytes to Dropbox, $downloaded downloaded, at $(date +%T)"
    admin POST /stats/reset '{}'
    test "$requests" -le "$2"
}

made=$("$TOOLS/kernel_tree.py" "$tree" 1500)
files=$(echo "$made" | cut -d ' ' -f 1)
folders=$(echo "$made" | cut -d ' ' -f 2)
links=$(echo "$made" | cut -d ' ' -f 3)
bytes=$(echo "$made" | cut -d ' ' -f 4)
entries=$((files + folders + links))
# GNU's own format cuts times.
tar -C "$WORK" --format=posix -cf "$WORK/tree.tar" tree

# Times below a second travel once the account has properties at all; the machine that made them lists it once more.
mount_on 1 "$one"
printf '#!/bin/sh\n' > "$one/program"
chmod 755 "$one/program"
sync_on 1 "$one"
wait_until 60 eval 'test "$(requests_of files/list_folder)" = 2'
phase prepare 12

# Unpacked, and killed while the unpacking is sent, before any delta has it, when Dropbox has a part of the files. Then it has
# forgotten the cursor, and all is listed; what that has is not asked for file by file.
admin POST /settings '{"longpoll_delay_ms": 600000, "upload_bytes_per_second": 3000000}'
tar -C "$one" -xf "$WORK/tree.tar"
sync_on 1 "$one" & sync=$!
wait_until 60 eval 'test "$(on_server --files)" -gt 100'
crash 1 "$one"
wait $sync && exit 1
test "$(on_server --files)" -lt "$files"
admin POST /cursors/reset '{}'
admin POST /settings '{"longpoll_delay_ms": 0, "upload_bytes_per_second": null}'
polls=$(requests_of files/list_folder/longpoll)
mount_on 1 "$one"
"$same" "$tree" "$one/tree"
sync_on 1 "$one"
test "$(on_server)" = $((entries + 2))
wait_until 60 eval 'test "$(requests_of files/list_folder/longpoll)" -gt "$polls"'
test "$(requests_of files/list_folder)" = 1
asked=$(requests_of files/get_metadata)
test "$asked" -le 20
phase unpack 120
# What was on its way when the process was killed is sent once more.
test "$uploaded" -le $((bytes * 2))
# Content that was sent before the kill is in the cache but for files that were just moved there, and the rest in staging files.
test "$downloaded" -le $((bytes / 4))
make -s -C "$one/tree" names

# Compared on the other machine, and killed while the comparison fetches.
mount_on 2 "$two"
meet "$one" 1 "$two"
phase list 12
admin POST /settings '{"latency_ms": 300}'
"$same" "$tree" "$two/tree" > "$WORK/interrupted" 2>&1 & comparison=$!
wait_until 60 eval 'test "$(cached_on 2 "$two")" -gt $((bytes / 4))'
cached=$(cached_on 2 "$two")
crash 2 "$two"
wait $comparison && exit 1
admin POST /stats/reset '{}'
grep -qE 'not connected|connection abort' "$WORK/interrupted"
mount_on 2 "$two"
admin POST /settings '{"latency_ms": 0}'
"$same" "$tree" "$two/tree" --sent | tee "$WORK/compared"
test "$(cat "$WORK/compared")" = "$entries 23"
phase compare 90
test "$downloaded" -le $((bytes - cached / 2))
"$same" "$tree" "$two/tree"
phase 'compare again' 2

# A repository, made on one machine and read on the other: nothing differs there.
git -C "$one/tree" init -q
git -C "$one/tree" add -A
git -C "$one/tree" commit -q -m 'the tree'
test -z "$(git -C "$one/tree" status --porcelain)"
meet "$one" 1 "$two"
phase commit 80
test "$(git -C "$two/tree" rev-parse HEAD)" = "$(git -C "$one/tree" rev-parse HEAD)"
test -z "$(git -C "$two/tree" status --porcelain)"
git -C "$two/tree" fsck --strict --no-dangling
meet "$two" 2 "$one"
phase status 120
test -z "$(git -C "$one/tree" status --porcelain)"

# Built on the other machine; the first one has all of it, and nothing is left to build there.
make -s -C "$two/tree" -j2
meet "$two" 2 "$one"
phase build 20
make -C "$one/tree" -q
test "$("$one/tree/program")" = 'made by version.sh 300'
test "$(find "$one/tree" -name '*.o' | wc -l)" = 25
(cd "$two/tree" && find . -name '*.o' -o -name program -o -name version.h) > "$WORK/objects"
while read -r object; do cmp "$two/tree/$object" "$one/tree/$object"; done < "$WORK/objects"
echo '#define CHANGED 1' >> "$one/tree/include/linux/units.h"
meet "$one" 1 "$two"
test "$(make -n -C "$two/tree" | grep -c ' -c ')" = 25
test "$(git -C "$two/tree" status --porcelain --untracked-files=no)" = ' M include/linux/units.h'

# No copies, and both machines have what Dropbox has.
meet "$two" 2 "$one"
test -z "$(on 1 dbxfs conflicts --json "$one")"
on 2 dbxfs conflicts --json "$two" | grep 'conflicted copy' && exit 1
python3 "$TOOLS/compare.py" "$one"
python3 "$TOOLS/compare.py" "$two"
for machine in 1 2; do
    mount=$one
    if [ $machine = 2 ]; then mount=$two; fi
    test "$(peak_memory "$(pid_on $machine "$mount")")" -lt 204800
    on $machine dbxfs unmount "$mount"
done
