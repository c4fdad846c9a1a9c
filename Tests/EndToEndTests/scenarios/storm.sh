# Several mounts of one account and another client change the same few names at once, while readers look.
# mounts: itself
# limit: 900
PYTHONDONTWRITEBYTECODE=1 python3 "$TOOLS/storm.py"
# Staged content is on the server, on every mount.
test -z "$(find "$WORK" -path '*/staging/*' -type f)"
