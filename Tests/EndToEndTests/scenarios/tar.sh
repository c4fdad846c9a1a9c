# tar and untar of a real tree.
# limit: 300
mkdir "$MNT/tree"
tar -C /usr/include -cf - linux asm-generic | tar -C "$MNT/tree" -xpf -
diff -r /usr/include/linux "$MNT/tree/linux"
diff -r /usr/include/asm-generic "$MNT/tree/asm-generic"

tar -C "$MNT" -czf "$MNT/tree.tar.gz" tree
mkdir "$WORK/untarred"
tar -C "$WORK/untarred" -xzf "$MNT/tree.tar.gz"
diff -r "$MNT/tree" "$WORK/untarred/tree"
tar -C "$MNT" --compare -zf "$MNT/tree.tar.gz"
