# The script that ends the mounts which a run of tests has left knows them by the run's folder, and touches no others.
# mounts: itself
leftovers=$TOOLS/../../../../Scripts/unmount-leftovers
mkdir -p "$WORK/run/mnt" "$WORK/run other"
dbxfs mount "$MNT"
DBXFS_STATE_DIR=$WORK/state DBXFS_CACHE_DIR=$WORK/cache DBXFS_ACCESS_TOKEN=$TOKEN2 dbxfs mount "$WORK/run/mnt"
mounted() { grep -q " $1 fuse.dbxfs " /proc/mounts; }

# Which folder is meant has to be said.
for folder in '' / "$WORK/none"; do
    status=0
    "$leftovers" ${folder:+"$folder"} || status=$?
    test $status = 2
done
# A folder whose name begins alike is another one.
TMPDIR=$WORK "$leftovers" "$WORK/run other"
mkdir "$WORK/ru"
TMPDIR=$WORK "$leftovers" "$WORK/ru"
mounted "$MNT"
mounted "$WORK/run/mnt"

status=0
TMPDIR=$WORK "$leftovers" "$WORK/run" 2> "$WORK/message" || status=$?
cat "$WORK/message"
test $status = 1
grep -q "$WORK/run/mnt was left behind" "$WORK/message"
mounted "$WORK/run/mnt" && exit 1
# A name that the kernel's table writes in another way is the same name.
run=$(printf '%s/run of\tit\\it' "$WORK")
mkdir -p "$run/m n"
DBXFS_STATE_DIR=$WORK/state DBXFS_CACHE_DIR=$WORK/cache DBXFS_ACCESS_TOKEN=$TOKEN2 dbxfs mount "$run/m n"
grep -qF "$WORK/run\\040of\\011it\\134it/m\\040n fuse.dbxfs " /proc/mounts
status=0
TMPDIR=$WORK "$leftovers" "$run" 2> "$WORK/message" || status=$?
test $status = 1
grep -qF "$run/m n was left behind" "$WORK/message"
grep -F "$WORK/run\\040of" /proc/mounts && exit 1
# The mount of another run is alive.
echo alive > "$MNT/file"
test "$(cat "$MNT/file")" = alive
dbxfs unmount "$MNT"
