# Ten thousand entries in one folder, and 150 folders, each in the one before.
# limit: 400
mkdir "$MNT/many"
cd "$MNT/many"
python3 -c '
for i in range(10000):
    with open(f"entry {i:05}", "w") as file:
        file.write(str(i))
'
test "$(ls -f | grep -c '^entry')" = 10000
test "$(ls | sort | uniq | wc -l)" = 10000
test "$(find . -type f -size -2 | wc -l)" = 10000
test "$(cat 'entry 07777')" = 7777
dbxfs sync "$MNT" --timeout 300
test "$(ls -f | grep -c '^entry')" = 10000

# Each level is a step of its own, which must not cost the more the deeper the rest is.
python3 - << 'END'
import os

os.chdir(os.environ["MNT"])
for _ in range(150):
    os.mkdir("level")
    os.chdir("level")
END
dbxfs sync "$MNT" --timeout 60
