# What local work costs in requests of the kernel and in system calls, for each file.
# limit: 120
# options: write_delay=1h
. "$TOOLS/lib.sh"
pid=$(status_field pid)
mkdir "$WORK/tree"
for folder in $(seq 10); do
    mkdir "$WORK/tree/$folder"
    for number in $(seq 40); do seq $((number * folder)) > "$WORK/tree/$folder/$number"; done
done
tar -C "$WORK" -cf "$WORK/tree.tar" tree

# cost NAME COMMAND: of 400 files.
cost() { "$TOOLS/local_cost.py" "$pid" 400 "$2" | tee "$WORK/$1"; }
# at_most NAME WHAT NUMBER: of a measured work.
at_most() {
    python3 -c 'import json, sys
counts, limit = json.load(open(sys.argv[1])), float(sys.argv[3])
for key in sys.argv[2].split("/"): counts = counts.get(key, 0)
assert counts <= limit, (sys.argv[1:], counts)' "$WORK/$1" "$2" "$3"
}

cost unpack 'tar -C "$MNT" -xf "$WORK/tree.tar"'
# Three of them are chown, chmod and utimensat of tar.
at_most unpack all_requests 10.5
# The database's log, two writes for each page, and one for the content. Changes that come together are one transaction, of which
# a busy machine has more, so the limits are those of a transaction for each change.
at_most unpack calls/pwrite64 24
# Locks of the database.
at_most unpack calls/fcntl 11
at_most unpack calls/openat 1.2

# Of new content the kernel keeps whole pages only: these files are read once.
cost compare 'diff -r "$WORK/tree" "$MNT/tree"'
at_most compare all_requests 3.2
# The kernel asks for the times of a file once after it has read it.
cost again 'diff -r "$WORK/tree" "$MNT/tree"'
at_most again all_requests 3.2
at_most again requests/read 0.05
# An open and a release.
cost third 'diff -r "$WORK/tree" "$MNT/tree"'
at_most third all_requests 2.2
at_most third requests/lookup 0.05
at_most third requests/getattr 0.05

cost remove 'rm -rf "$MNT/tree"'
at_most remove all_requests 2.5
