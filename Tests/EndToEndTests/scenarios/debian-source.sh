# A project from Debian's source packages on two machines: unpacked on one, configured and built on the other, where nothing of it
# is made anew by autotools, whose rules compare times; then the first one has all of it, and its tests pass there.
# Each phase has a crash in its middle.
# mounts: itself
# limit: 300
. "$TOOLS/lib.sh"
. "$TOOLS/machines.sh"
export PYTHONDONTWRITEBYTECODE=1 GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
pool=http://deb.debian.org/debian/pool/main/h/hello
# fetch FILE SHA256: a part of the source package, by apt's own way through proxies.
fetch() { /usr/lib/apt/apt-helper -q download-file "$pool/$1" "$WORK/$1" "SHA256:$2"; }
if ! fetch hello_2.10.orig.tar.gz 31e066137a962676e89f69d1b65382de95a7ef7d914b8cb956f41ea72e0f516b \
    || ! fetch hello_2.10-3.debian.tar.xz 60ee7a466808301fbaa7fea2490b5e7a6d86f598956fb3e79c71b3295dc1f249; then
    echo "*** skipped: the source package cannot be had from $pool"
    exit 0
fi
same="$TOOLS/same_tree.py"
one="$WORK/one" two="$WORK/two"
mkdir "$one" "$two" "$WORK/local"
unpack() {
    tar -C "$1" -xf "$WORK/hello_2.10.orig.tar.gz"
    tar -C "$1/hello-2.10" -xf "$WORK/hello_2.10-3.debian.tar.xz"
}
unpack "$WORK/local"
tree="$WORK/local/hello-2.10"

# Times below a second travel once the account has properties at all.
mount_on 1 "$one"
install -m 755 /dev/null "$one/program"
sync_on 1 "$one"

# Unpacked, and killed between the contents and their commit.
admin POST /settings '{"latency_ms": 1500}'
unpack "$one"
sync_on 1 "$one" & sync=$!
wait_until 60 eval 'admin_stats "sum(route[\"bytes_in\"] for route in routes.values()) > 1000000" | grep -q True'
crash 1 "$one"
wait $sync && exit 1
admin POST /settings '{"latency_ms": 0}'
mount_on 1 "$one"
"$same" "$tree" "$one/hello-2.10"

# The same on the other machine, which is killed while it reads.
mount_on 2 "$two"
meet "$one" 1 "$two"
admin POST /settings '{"download_bytes_per_second": 500000}'
"$same" "$tree" "$two/hello-2.10" > "$WORK/interrupted" 2>&1 & comparison=$!
wait_until 60 eval 'test "$(cached_on 2 "$two")" -gt 100000'
crash 2 "$two"
wait $comparison && exit 1
admin POST /settings '{"download_bytes_per_second": null}'
mount_on 2 "$two"
"$same" "$tree" "$two/hello-2.10"

# Configured and built there, outside of the sources, and killed in the middle of either.
build="$two/hello-2.10/build"
mkdir "$build"
(cd "$build" && ../configure --quiet --disable-nls) > "$WORK/configured" 2>&1 & configure=$!
wait_until 120 grep -q checking "$build/config.log"
crash 2 "$two"
wait $configure && exit 1
mount_on 2 "$two"
rm -r "$build"
mkdir "$build"
(cd "$build" && ../configure --quiet --disable-nls)
make -s -C "$build" -j2 > "$WORK/made" 2>&1 & made=$!
wait_until 120 eval 'test -n "$(find "$build" -name "*.o" -print -quit)"'
crash 2 "$two"
wait $made && exit 1
mount_on 2 "$two"
# An object whose write the crash has cut is made anew by the next build.
find "$build" -name '*.o' -newer "$build/config.status" -delete
make -s -C "$build" -j2
grep -rE 'aclocal|automake|autoconf' "$WORK/made" && exit 1
test "$("$build/hello")" = 'Hello, world!'
meet "$two" 2 "$one"

# The first machine has all of it, finds as much left to build, and passes the project's tests.
"$same" "$two/hello-2.10" "$one/hello-2.10"
for mount in "$one" "$two"; do (cd "$mount/hello-2.10/build" && make -n hello) > "$mount.left"; done
cmp "$one.left" "$two.left"
make -s -C "$one/hello-2.10/build" check > "$WORK/checked" 2>&1
grep -q '# FAIL:  0' "$WORK/checked"
grep -q '# PASS:  4' "$WORK/checked"

# A repository of all, made where it was built and read where it was unpacked.
git -C "$two/hello-2.10" init -q
git -C "$two/hello-2.10" add -A
git -C "$two/hello-2.10" -c user.name=t -c user.email=t@example.com commit -q -m 'the sources'
sync_on 2 "$two" & sync=$!
crash 2 "$two"
wait $sync && exit 1
mount_on 2 "$two"
test -z "$(git -C "$two/hello-2.10" status --porcelain)"
meet "$two" 2 "$one"
git -C "$one/hello-2.10" fsck --strict --no-dangling
test "$(git -C "$one/hello-2.10" rev-parse HEAD)" = "$(git -C "$two/hello-2.10" rev-parse HEAD)"

meet "$one" 1 "$two"
test -z "$(on 1 dbxfs conflicts --json "$one")"
for machine in "1 $one" "2 $two"; do
    python3 "$TOOLS/compare.py" "${machine#* }"
    on "${machine% *}" dbxfs unmount "${machine#* }"
done
