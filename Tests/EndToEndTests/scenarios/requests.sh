# System calls and control requests with invalid and extreme values: the mount lives, answers, stays small, and ends as
# it should, and an untouched file has its bytes.
# mounts: itself
# limit: 300
export PYTHONDONTWRITEBYTECODE=1
keep=${REQUESTS_KEEP:-$WORK/failures}
status=0
"$TOOLS/../../../torture/requests.py" "$(dirname "$DBXFS")" --seconds "${REQUESTS_SECONDS:-30}" --seed "${REQUESTS_SEED:-1}" \
    --keep "$keep" > "$WORK/report" || status=$?
# The kept files go with the scenario's folder: the ends of the calls and of the mount's log say how it came.
for calls in "$keep"/*/*.calls.txt "$keep"/*/a/dbxfs.log; do
    test ! -e "$calls" || tail -n 15 "$calls" | cut -c 1-300
done
# The faults come last, where a reader of the log begins.
cat "$WORK/report"
exit $status
