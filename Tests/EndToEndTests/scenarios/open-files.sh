# What open files owe POSIX: appending, unlinking, replacing, mapping, holes, locks.
cd "$MNT"

# Two processes append; no line may be lost or torn.
append() {
    i=0
    while [ $i -lt 500 ]; do
        echo "$1 $1 $1 $1 $1 $1 $1 $1 $i" >> log
        i=$((i + 1))
    done
}
append first & one=$!
append second & two=$!
wait $one
wait $two
test "$(wc -l < log)" = 1000
test "$(grep -cE '^first( first){7} [0-9]+$|^second( second){7} [0-9]+$' log)" = 1000
test "$(sort -u log | wc -l)" = 1000

python3 "$TOOLS/open_files.py" "$MNT"
