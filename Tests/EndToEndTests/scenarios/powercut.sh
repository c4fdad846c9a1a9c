# The power is cut while programs work on the mount: no zeros and no mixtures come to the server, and nothing is missing
# that was on the disk for certain.
# mounts: itself
# needs: root
# limit: 900
export PYTHONDONTWRITEBYTECODE=1
powercut="$TOOLS/../../../torture/powercut.py"
status=0
"$powercut" "$(dirname "$DBXFS")" --cuts "${POWERCUT_CUTS:-8}" --seed "${POWERCUT_SEED:-1}" \
    --keep "${POWERCUT_KEEP:-$WORK/failures}" || status=$?
# 77: this machine has no loop devices, and says so in one line.
test $status = 77 || exit $status
