# The power is cut while programs work on the mount: no zeros come to the server. What else is told is not decided by
# the seed, and is looked at by hand (docs/testing.md).
# mounts: itself
# needs: root
# limit: 900
export PYTHONDONTWRITEBYTECODE=1
powercut="$TOOLS/../../../torture/powercut.py"
status=0
"$powercut" "$(dirname "$DBXFS")" --cuts "${POWERCUT_CUTS:-8}" --seed "${POWERCUT_SEED:-1}" \
    --keep "${POWERCUT_KEEP:-$WORK/failures}" --fails-by ${POWERCUT_FAILS_BY:-zeros} || status=$?
# 77: this machine has no loop devices, and says so in one line.
test $status = 77 || exit $status
