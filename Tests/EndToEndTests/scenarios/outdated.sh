# The script that says which pinned packages are outdated: by the repository, by the copy that is here, or not at all.
# mounts: itself
sources=$TOOLS/../../../..
mkdir -p "$WORK/project/.build/checkouts" "$WORK/origin"
tagged() { git -C "$1" -c user.name=a -c user.email=a@example.com -c commit.gpgsign=false "$2" "$3" ${4:+"$4" "$5"}; }
git init -q "$WORK/origin/one"
tagged "$WORK/origin/one" commit --allow-empty -qm one
for version in 1.2.0 1.9.0 1.10.0 2.0.0-beta.1; do git -C "$WORK/origin/one" tag $version; done
cat > "$WORK/project/Package.resolved" << END
{
  "pins" : [
    {
      "identity" : "one",
      "kind" : "remoteSourceControl",
      "location" : "file://$WORK/origin/one",
      "state" : {
        "revision" : "0",
        "version" : "1.9.0"
      }
    }
  ]
}
END
run() {
    status=0
    "$sources/Scripts/outdated-packages" "$@" "$WORK/project/Package.resolved" > "$WORK/output" || status=$?
    cat "$WORK/output"
}
run
test $status = 1
grep -qx 'one 1.9.0 is outdated: 1.10.0' "$WORK/output"
# Nothing is known without the repository and without a copy; a copy may know enough.
run --offline
test $status = 2
grep -q '^one 1.9.0: unknown' "$WORK/output"
git clone -q "$WORK/origin/one" "$WORK/project/.build/checkouts/one"
run --offline
test $status = 1
sed -i 's/1\.9\.0/1.10.0/' "$WORK/project/Package.resolved"
run
test $status = 0
run --offline
test $status = 2
# The project's own: pinned, and by public addresses.
test -e "$sources/Package.resolved"
grep '"location"' "$sources/Package.resolved" | grep -v '"https://github.com/[^"]*"' && exit 1
test "$(grep -c '"location"' "$sources/Package.resolved")" -ge 12
