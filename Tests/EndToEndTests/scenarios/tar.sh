# tar and untar of a real tree.
# limit: 300
tree=$(python3 -c 'import os; print(os.path.dirname(os.__file__))')
mkdir "$MNT/tree"
tar -C "$tree" -cf - email encodings json unittest | tar -C "$MNT/tree" -xpf -
for package in email encodings json unittest; do
    diff -r "$tree/$package" "$MNT/tree/$package"
done

tar -C "$MNT" -czf "$MNT/tree.tar.gz" tree
mkdir "$WORK/untarred"
tar -C "$WORK/untarred" -xzf "$MNT/tree.tar.gz"
diff -r "$MNT/tree" "$WORK/untarred/tree"
tar -C "$MNT" --compare -zf "$MNT/tree.tar.gz"
