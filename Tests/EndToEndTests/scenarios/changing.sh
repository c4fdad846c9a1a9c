# A file that another client replaces 100 times is read, asked for its size and mapped during that: each open has
# one version whole. With the kernel's usual caching and with gathered writes, by one reader and by two.
# mounts: itself
# limit: 180
for options in write_delay=2s writeback_cache; do
    dbxfs mount "$MNT" -o "$options"
    for readers in 1 2; do
        python3 "$TOOLS/changing.py" "$MNT" "/changing-$readers" "$readers"
    done
    dbxfs unmount "$MNT"
done
