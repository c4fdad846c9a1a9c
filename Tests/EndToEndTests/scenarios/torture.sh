# Two mounts of one account and another client do everything to the same few files; nothing acknowledged is lost.
# mounts: itself
# limit: 1800
export PYTHONDONTWRITEBYTECODE=1
keep=${TORTURE_KEEP:-$WORK/failures}
torture="$TOOLS/../../../torture/torture.py"
status=0
run() {
    "$torture" "$(dirname "$DBXFS")" --keep "$keep" --seeds "$@" > "$WORK/seeds" || status=$?
    cat "$WORK/seeds" >> "$WORK/all-seeds"
    cat "$WORK/seeds"
}
if [ -n "${TORTURE_SEEDS:-}" ]; then
    run "$TORTURE_SEEDS"
else
    run 1..30
    run 31..40 --refuse-ids
    run 41..50 --folding contextual
fi
# The kept files go with the scenario's folder: the end of a history says what it was.
for history in "$keep"/*/history; do
    test ! -e "$history" || tail -n 40 "$history"
done
# Again at the end, where a reader of the last lines finds them.
test $status = 0 || grep '^seed' "$WORK/all-seeds" | grep -v ': doubtful' || true
exit $status
