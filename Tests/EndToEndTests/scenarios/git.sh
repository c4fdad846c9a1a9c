# git, with everything inside the mount: lock files renamed over, read-only objects, mapped packs.
# limit: 300
export GIT_CONFIG_NOSYSTEM=1
git config --global user.name 'A Tester'
git config --global user.email 'tester@example.com'
git config --global init.defaultBranch main
cd "$MNT"

git init -q origin
cd origin
i=0
while [ $i -lt 500 ]; do
    mkdir -p "dir$((i % 20))"
    printf 'file %d\nsome text\n' $i > "dir$((i % 20))/file$i.txt"
    i=$((i + 1))
done
chmod +x dir0/file0.txt
git add -A
git commit -q -m 'five hundred files'
test -z "$(git status --porcelain)"

git clone -q "$MNT/origin" "$MNT/clone"
diff -r --exclude=.git "$MNT/origin" "$MNT/clone"
test -x "$MNT/clone/dir0/file0.txt"
test ! -x "$MNT/clone/dir1/file1.txt"

cd "$MNT/clone"
# A hook that is not executable is none.
printf '#!/bin/sh\nexit 1\n' > .git/hooks/pre-commit
echo changed > dir1/file1.txt
git rm -q dir2/file2.txt
git mv dir3/file3.txt 'dir3/renamed file.txt'
git commit -q -a -m 'three changes'
test "$(git show --name-status --format= HEAD | wc -l)" = 3
git checkout -q HEAD~1
test -f dir2/file2.txt
git checkout -q main
test ! -e dir2/file2.txt

cd "$MNT/origin"
git pull -q "$MNT/clone" main
git gc -q
git fsck --strict --no-dangling
test -z "$(git status --porcelain)"
test "$(git log --oneline | wc -l)" = 2
