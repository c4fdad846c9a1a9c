# The kernel gathers writes: small ones, appended ones, mapped ones, and files that others change.
# options: writeback_cache
# limit: 180
. "$TOOLS/lib.sh"
other="$TOOLS/dropbox.py"

dd if=/dev/urandom of="$WORK/small" bs=4k count=3000 status=none
dd if="$WORK/small" of="$MNT/small" bs=4k status=none
cmp "$WORK/small" "$MNT/small"

for number in $(seq 500); do echo "line $number" >> "$MNT/log"; done
seq -f 'line %.0f' 500 | cmp - "$MNT/log"

# Two that append to one file, each with its own handle.
exec 3>> "$MNT/both" 4>> "$MNT/both"
for number in $(seq 100); do echo "$number three" >&3; echo "$number four" >&4; done
exec 3>&- 4>&-
test "$(wc -l < "$MNT/both")" = 200
test "$(grep -c four "$MNT/both")" = 100

python3 - << 'END'
import mmap, os

path = os.path.join(os.environ["MNT"], "mapped")
with open(path, "w+b") as file:
    file.truncate(1 << 20)
    with mmap.mmap(file.fileno(), 0) as mapped:
        for offset in range(0, 1 << 20, 4096):
            mapped[offset:offset + 5] = b"page "
with open(path, "rb") as file:
    assert file.read() == (b"page " + bytes(4091)) * 256
END

# Parts of pages of what only the server has.
head -c 9000000 /dev/urandom > "$WORK/theirs"
$other upload /theirs < "$WORK/theirs"
wait_until 30 test -e "$MNT/theirs"
for offset in 10 5000 4194300 8999990; do
    printf 'XYZXYZXYZX' | dd of="$MNT/theirs" bs=1 seek=$offset conv=notrunc status=none
    printf 'XYZXYZXYZX' | dd of="$WORK/theirs" bs=1 seek=$offset conv=notrunc status=none
done
cmp "$WORK/theirs" "$MNT/theirs"
dbxfs sync "$MNT"

# A file that others change has its new size at once, longer or shorter.
has_text_and_size() {
    test -e "$MNT/changing" && contains "$MNT/changing" "$1" && test "$(stat -c %s "$MNT/changing")" = ${#1}
}
for text in 'something' 'something much longer than before' 'short' ''; do
    printf '%s' "$text" | $other upload /changing
    wait_until 30 has_text_and_size "$text"
done

# And a reader who had it open keeps what it opened.
printf 'first' | $other upload /changing
wait_until 30 contains "$MNT/changing" first
exec 5< "$MNT/changing"
printf 'the second one' | $other upload /changing
wait_until 30 contains "$MNT/changing" 'the second one'
test "$(cat <&5)" = first
exec 5<&-

touch -d '2011-11-11 11:11:11' "$MNT/small"
test "$(stat -c %Y "$MNT/small")" = "$(date -d '2011-11-11 11:11:11' +%s)"
