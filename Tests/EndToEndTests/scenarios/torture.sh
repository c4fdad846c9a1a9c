# Two mounts of one account and another client do everything to the same few files; nothing acknowledged is lost.
# mounts: itself
# limit: 1800
export PYTHONDONTWRITEBYTECODE=1
seeds=${TORTURE_SEEDS:-1..50}
keep=${TORTURE_KEEP:-$WORK/failures}
torture="$TOOLS/../../../torture/torture.py"
status=0
"$torture" "$(dirname "$DBXFS")" --seeds "$seeds" --keep "$keep" || status=$?
# The kept files go with the scenario's folder: the end of a history says what it was.
for history in "$keep"/*/history; do
    test ! -e "$history" || tail -n 40 "$history"
done
exit $status
