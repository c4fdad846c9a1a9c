# The mount's process is killed in the middle of random work, CRASH_ROUNDS times.
# mounts: itself
# limit: 1800
python3 "$TOOLS/crash_rounds.py" "${CRASH_ROUNDS:-30}" ${CRASH_SEED:-}
python3 "$TOOLS/compare.py" "$MNT"

# Nothing of the dead is left: no staged content, no name that only served a move.
test -z "$(find "$MNT" -name '*conflicted copy*' -o -name '.dbxfs-rename-*')"
dbxfs unmount "$MNT"
test -z "$(find "$DBXFS_STATE_DIR" -path '*/staging/*' -type f)"
