# Everyday work on a mount, as statements: each is a function that prints the one answer which is expected. It runs in `bash -euo pipefail`
# in a folder of its own on the mount, and what it leaves there is sent before the next one begins. Not responsible for the mounts, the
# order and the report: `run` beside this file.
# Variables: MNT, the mount; TWO, a mount of another machine with its own state; KEPT, a copy of all that MNT had at the end of the
# first part; FOLDER, the folder on Dropbox; TREE, a small tree; WORK, TOOLS, OPTIONS for mounts, and the functions of lib.sh and machines.sh,
# as for scenarios.

# mount_machine 1|2 MOUNTPOINT
mount_machine() { on "$1" dbxfs mount ":$FOLDER" "$2" -o "$OPTIONS"; }
same() { "$@" > "$WORK/difference" && echo same || head -n 3 "$WORK/difference"; }
# The modes and names below a folder.
modes() { (cd "$1" && find . -printf '%M %P\n' | LC_ALL=C sort); }
# Names and times of files, in whole seconds, which is what Dropbox keeps by itself: of content, so that git's files, some of which it writes
# again as they were, are left out.
seconds() { (cd "$1" && find . -name .git -prune -o -type f -printf '%Ts %P\n' | LC_ALL=C sort); }
remote_names() { dbxfs ls-remote --json "$1" | python3 -c 'import json, os, sys
print(*sorted(os.path.basename(json.loads(line)["path"]) for line in sys.stdin))'; }

# --- One machine.

say one write-and-read 'What is written and appended to a file is read from it.' 'one,two'
write-and-read() {
    printf one > file
    printf ,two >> file
    cat file
}

say one change-within 'A file is changed in its middle, shortened and made longer.' 'abcXYfgh\0\0'
change-within() {
    printf abcdefghij > file
    dbxfs sync "$MNT"
    printf XY | dd of=file bs=1 seek=3 conv=notrunc status=none
    truncate -s 8 file
    truncate -s 10 file
    od -An -c file | tr -d ' '
}

say one large-file 'A file of 12 MiB is copied, sent, and changed in its middle.' 'same'
large-file() {
    head -c 12M /dev/urandom > "$WORK/large"
    cp "$WORK/large" large
    dbxfs sync "$MNT"
    for file in "$WORK/large" large; do printf changed | dd of="$file" bs=1 seek=5000000 conv=notrunc status=none; done
    same cmp "$WORK/large" large
}

say one read-again 'Content that is no longer in the cache comes from Dropbox again.' 'same'
read-again() {
    head -c 5M /dev/urandom > "$WORK/again"
    cp "$WORK/again" file
    dbxfs sync "$MNT"
    dbxfs cache clear > /dev/null
    python3 -c 'import os; file = os.open("file", os.O_RDONLY); os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)'
    same cmp "$WORK/again" file
}

say one folders 'Folders are made, moved with their content, and removed.' 'moved moved/c moved/c/file'
folders() {
    mkdir -p a/b/c gone
    echo text > a/b/c/file
    echo text > gone/file
    dbxfs sync "$MNT"
    mv a/b moved
    rmdir a
    rm -r gone
    find . -mindepth 1 -printf '%P\n' | sort | xargs
}

say one replace 'A file takes the place of another by a rename.' 'new'
replace() {
    echo old > file
    dbxfs sync "$MNT"
    echo new > other
    mv other file
    cat ./*
}

say one case-rename 'A rename changes only the case of a name.' 'NAME'
case-rename() {
    echo text > name
    dbxfs sync "$MNT"
    mv name NAME
    dbxfs sync "$MNT"
    remote_names ":$FOLDER/case-rename"
}

say one name-again 'The name of a deleted file is that of a folder, and then of a file again.' 'again'
name-again() {
    echo text > name
    dbxfs sync "$MNT"
    rm name
    mkdir name
    dbxfs sync "$MNT"
    rmdir name
    echo again > name
    cat name
}

say one many-files '120 small files are written, half of them renamed, and a third removed.' '80 files, 60 renamed'
many-files() {
    for number in $(seq 120); do echo "$number" > "$number"; done
    dbxfs sync "$MNT"
    for number in $(seq 60); do mv "$number" "$number.txt"; done
    rm $(seq 81 120)
    dbxfs sync "$MNT"
    names=$(remote_names ":$FOLDER/many-files")
    echo "$(wc -w <<< "$names") files, $(grep -o '\.txt' <<< "$names" | wc -l) renamed"
}

say one copy 'cp -a copies a tree.' 'same'
copy() {
    cp -a "$TREE" tree
    same diff -r --no-dereference "$TREE" tree
}

say one copy-of-sent 'cp -a copies a tree that Dropbox has already.' 'same'
copy-of-sent() {
    cp -a "$MNT/copy/tree" tree
    same diff -r --no-dereference "$TREE" tree
}

say one tar-tree 'tar unpacks a tree, finds it unchanged after it was sent, and packs it.' 'same'
tar-tree() {
    tar -C "$WORK" -cf "$WORK/tree.tar" "${TREE##*/}"
    tar -xpf "$WORK/tree.tar"
    dbxfs sync "$MNT"
    tar --compare -f "$WORK/tree.tar"
    tar -czf packed.tar.gz "${TREE##*/}"
    same tar --compare -zf packed.tar.gz
}

say one rsync-twice 'rsync copies a tree, and has nothing to do in its second run, nor after all is sent.' 'nothing to do'
rsync-twice() {
    rsync -a "$TREE/" copy/
    left=$(rsync -ai "$TREE/" copy/)
    dbxfs sync "$MNT"
    left+=$(rsync -ai --checksum "$TREE/" copy/)
    echo "${left:-nothing to do}"
}

say one git-clone 'git has a repository and a clone of it on the mount.' 'clean, 2 commits'
git-clone() {
    git init -q origin
    cp -r "$TREE" origin/tree
    git -C origin add -A
    git -C origin commit -q -m one
    git clone -q origin clone
    echo changed > clone/tree/changed
    git -C clone add -A
    git -C clone commit -q -m two
    git -C origin pull -q ../clone main
    git -C origin gc -q
    git -C origin fsck --strict --no-dangling 2> /dev/null
    state=$(git -C origin status --porcelain)
    echo "${state:-clean}, $(git -C origin log --oneline | wc -l) commits"
}

say one editor 'An editor saves by another file that it renames, and the mode stays.' 'second 755, first'
editor() {
    echo first > script
    chmod 755 script
    dbxfs sync "$MNT"
    python3 - << 'END'
import os, shutil
shutil.copy2("script", "script~")
file = os.open(".script.new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
os.write(file, b"second\n")
os.fchmod(file, os.stat("script").st_mode & 0o7777)
os.fsync(file)
os.close(file)
os.rename(".script.new", "script")
END
    echo "$(cat script) $(stat -c %a script), $(cat script~)"
}

say one program 'A program on the mount can be run.' 'runs'
program() {
    printf '#!/bin/sh\necho runs\n' > program
    chmod 755 program
    ./program
}

say one sqlite 'SQLite keeps databases with both kinds of journal.' 'delete ok 300, wal ok 300'
sqlite() {
    python3 - << 'END'
import sqlite3
results = []
for mode in ["delete", "wal"]:
    database = sqlite3.connect(mode + ".db")
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    with database:
        database.executemany("INSERT INTO t (v) VALUES (?)", [("row",)] * 400)
    database.execute("DELETE FROM t")
    database.rollback()
    with database:
        database.execute("DELETE FROM t WHERE id > 300")
    database.execute("VACUUM")
    (check,), (count,) = database.execute("PRAGMA integrity_check").fetchone(), database.execute("SELECT count(*) FROM t").fetchone()
    database.close()
    results.append(f"{mode} {check} {count}")
print(", ".join(results))
END
}

say one names 'Names that Dropbox refuses, or takes for one, are as they were given, and it has names near to them.' 'same, 8 under other names'
names() {
    mkdir "$WORK/names"
    python3 - "$WORK/names" << 'END'
import os, sys
os.chdir(os.fsencode(sys.argv[1]))
for name in ["readme", "README", "ReadMe", "\u00e9t\u00e9", "e\u0301te\u0301", "back\\slash", "del\x7f", "end ", "end", "end  ",
             "new\nline", "-rf", "percent%41", "a:b<c>|?*\"", "\u65e5\u672c\u8a9e", "\U0001f389"]:
    with open(name, "w") as file:
        file.write(name)
os.mkdir(b"caf\xe9")
with open(b"caf\xe9/\xff", "w") as file:
    file.write("bytes")
END
    cp -a "$WORK/names/." .
    dbxfs sync "$MNT"
    compared=$(python3 "$TOOLS/same_tree.py" "$WORK/names" . --sent) || { echo "$compared" && return; }
    echo "same, ${compared#* } under other names"
}

say one names-here 'Names that Dropbox refuses for any content stay on this machine.' 'ordinary.txt'
names-here() {
    for name in '.~lock.a.odt#' '~$a.docx' .DS_Store desktop.ini Thumbs.db ordinary.txt; do
        echo text > "$name"
        test "$(cat "$name")" = text
    done
    dbxfs sync "$MNT"
    remote_names ":$FOLDER/names-here"
    rm '.~lock.a.odt#' '~$a.docx' .DS_Store desktop.ini Thumbs.db
}

say one facts 'Modes, links, times and attributes are as they were set, after all is sent.' '600 file 1015218367.987654300 https://example.org/ü'
facts() {
    echo text > file
    ln -s file link
    ln -s /nowhere/at/all dangling
    chmod 600 file
    touch -d '2002-03-04 05:06:07.9876543 UTC' file
    python3 -c 'import os; os.setxattr("file", "user.origin", "https://example.org/ü".encode())'
    mkdir private
    chmod 700 private
    dbxfs sync "$MNT"
    python3 -c 'import os
file = os.stat("file")
print("%o" % (file.st_mode & 0o7777), os.readlink("link"), "%d.%09d" % divmod(file.st_mtime_ns, 10**9), os.getxattr("file", "user.origin").decode())'
}

say one revisions 'Each version that was sent is a revision, and a deleted file is restored.' '3 revisions, three'
revisions() {
    for text in one two three; do
        echo $text > file
        dbxfs sync "$MNT"
    done
    count=$(dbxfs revisions file | wc -l)
    rm file
    dbxfs sync "$MNT"
    dbxfs restore "$PWD/file" > /dev/null
    echo "$count revisions, $(cat file)"
}

say one paused 'Changes wait while sending is paused, and are sent afterwards.' 'before  after file'
paused() {
    dbxfs sync "$MNT"
    dbxfs pause "$MNT" > /dev/null
    echo text > file
    before=$(remote_names ":$FOLDER/paused")
    dbxfs resume "$MNT" > /dev/null
    dbxfs sync "$MNT"
    echo "before $before after $(remote_names ":$FOLDER/paused")"
}

say one killed 'A flushed file is there after the process behind the mount was killed, and is sent then.' 'flushed, sent'
killed() {
    echo flushed > file
    sync file
    cd /
    kill -9 "$(status_field pid)"
    wait_until 30 not stat -f "$MNT"
    mount_machine 1 "$MNT"
    dbxfs sync "$MNT" --timeout 120
    test "$(remote_names ":$FOLDER/killed")" = file
    echo "$(cat "$MNT/killed/file"), sent"
}

# --- A machine that has seen nothing of it.

say fresh fresh-content 'A new machine finds all names, all content and all links.' 'same'
fresh-content() { same diff -r --no-dereference "$KEPT" "$TWO"; }

say fresh fresh-modes 'A new machine finds all modes.' 'same'
fresh-modes() { same diff <(modes "$KEPT") <(modes "$TWO"); }

say fresh fresh-times 'A new machine finds the times of all files, to the second.' 'same'
fresh-times() { same diff <(seconds "$KEPT") <(seconds "$TWO"); }

say fresh fresh-exact 'A new machine finds the times of files that were not edited after they were sent to the nanosecond.' 'same'
fresh-exact() {
    for tree in copy tar-tree rsync-twice; do
        python3 "$TOOLS/same_tree.py" "$KEPT/$tree" "$TWO/$tree" > "$WORK/difference" 2>&1 || { head -n 3 "$WORK/difference" && return; }
    done
    echo same
}

say fresh fresh-attributes 'A new machine finds attributes of files.' 'https://example.org/ü'
fresh-attributes() { python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], "user.origin").decode())' "$TWO/facts/file"; }

say fresh fresh-git 'A repository is whole on a new machine.' 'clean, 2 commits'
fresh-git() {
    git -C "$TWO/git-clone/origin" fsck --strict --no-dangling 2> /dev/null
    state=$(git -C "$TWO/git-clone/origin" --no-optional-locks status --porcelain)
    echo "${state:-clean}, $(git -C "$TWO/git-clone/origin" log --oneline | wc -l) commits"
}

# --- Both of them.

say two remounted 'A later mount of the first machine has the same tree.' 'same'
remounted() { same diff -r --no-dereference "$KEPT" "$MNT" --exclude=remounted; }

say two seen 'Another machine sees a new file, an edit, a rename and a removal within a minute each.' 'new, edited, renamed, gone'
seen() {
    echo new > file
    dbxfs sync "$MNT"
    wait_until 60 contains "$TWO/seen/file" new
    echo edited > file
    dbxfs sync "$MNT"
    wait_until 60 contains "$TWO/seen/file" edited
    mv file other
    dbxfs sync "$MNT"
    wait_until 60 contains "$TWO/seen/other" edited
    test ! -e "$TWO/seen/file"
    rm other
    dbxfs sync "$MNT"
    wait_until 60 not test -e "$TWO/seen/other"
    echo 'new, edited, renamed, gone'
}

say two seen-mode 'Another machine sees a change of a mode alone within a minute.' '755'
seen-mode() {
    echo text > file
    dbxfs sync "$MNT"
    wait_until 60 test -e "$TWO/seen-mode/file"
    chmod 755 file
    dbxfs sync "$MNT"
    within 60 eval 'test "$(stat -c %a "$TWO/seen-mode/file")" = 755' || true
    stat -c %a "$TWO/seen-mode/file"
}

say two conflict 'Of two edits at the same time, one gets the name and the other one a copy beside it, on both machines.' 'one two, one two'
conflict() {
    echo base > file
    dbxfs sync "$MNT"
    wait_until 60 contains "$TWO/conflict/file" base
    dbxfs set "$MNT" write_delay=1h > /dev/null
    echo one > file
    echo two > "$TWO/conflict/file"
    sync_on 2 "$TWO"
    dbxfs set "$MNT" write_delay=5 > /dev/null
    dbxfs sync "$MNT"
    both() { test "$(ls "$1/conflict" | wc -l)" = 2; }
    for mount in "$MNT" "$TWO"; do wait_until 60 both "$mount"; done
    test "$(ls "$MNT/conflict" | grep -c 'conflicted copy')" = 1
    echo "$(cat "$MNT"/conflict/* | sort | xargs), $(cat "$TWO"/conflict/* | sort | xargs)"
}
