# What local work costs in requests of the kernel and in system calls, for each file: numbers that do not depend on the machine.
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
at_most unpack all_requests 10.5
at_most unpack all_calls 14
at_most unpack calls/futex 1
# Locks of the database.
at_most unpack calls/fcntl 0.2
at_most unpack requests/getxattr 0.1

# Written just before: the kernel has the pages.
cost compare 'diff -r "$WORK/tree" "$MNT/tree"'
at_most compare requests/read 0.1
cost again 'diff -r "$WORK/tree" "$MNT/tree"'
# An open and a release.
at_most again all_requests 2.5
at_most again requests/lookup 0.05
at_most again requests/getattr 0.05

cost remove 'rm -rf "$MNT/tree"'
at_most remove all_requests 2.5
at_most remove all_calls 8
