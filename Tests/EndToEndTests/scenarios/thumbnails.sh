# A file manager opens a folder of pictures that are not cached: thumbnails of Dropbox's own come into the user's cache, in few
# requests and without a download.
# options: thumbnails=yes
# limit: 180
. "$TOOLS/lib.sh"
cache="$HOME/.cache/thumbnails"
other="$TOOLS/dropbox.py"

$other mkdir "/My photos"
for number in $(seq 58); do
    echo "picture $number" | $other upload "/My photos/$number.jpg" 2020-01-02T03:04:05Z
done
echo 'a name with marks' | $other upload "/My photos/Bär #1 & 50%;~.PNG" 2020-01-02T03:04:06Z
echo 'another' | $other upload "/My photos/it's (2) [b]!.webp" 2020-01-02T03:04:07Z
echo 'no picture' | $other upload "/My photos/text.txt"
$other mkdir /second
echo 'picture' | $other upload /second/a.gif
wait_until 60 eval 'test "$(ls "$MNT/My photos" | wc -l)" = 61 && test -e "$MNT/second/a.gif"'

# A file manager is known by the name of its process.
cp /bin/ls "$WORK/nautilus"
look() { "$WORK/nautilus" "$1" > /dev/null; }
requests() { admin_stats "routes.get('$1', {}).get('requests', 0)"; }
asked() { test "$(requests files/get_thumbnail_batch)" = "$1"; }
has_thumbnails() { test "$(find "$cache/large" -name '*.png' | wc -l)" = "$1"; }
# As file managers compare a thumbnail with its file, for each picture in a folder.
check() {
    python3 - "$1" "$cache/large" << 'END'
import hashlib, os, struct, sys, urllib.parse, zlib
folder, cache = sys.argv[1:]
pictures = [name for name in os.listdir(folder) if not name.endswith(".txt")]
assert pictures
for name in pictures:
    path = os.path.join(folder, name)
    uri = "file://" + urllib.parse.quote(path, safe="!$&'()*+,-./:=@_~")
    file = os.path.join(cache, hashlib.md5(uri.encode()).hexdigest() + ".png")
    assert os.stat(file).st_mode & 0o7777 == 0o600, file
    data = open(file, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", file
    texts, pixels, place = {}, b"", 8
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        check, = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + body), (file, kind)
        if kind == b"tEXt":
            keyword, text = body.split(b"\0", 1)
            texts[keyword.decode()] = text.decode()
        elif kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            pixels += body
        place += 12 + length
    status = os.stat(path)
    assert texts["Thumb::URI"] == uri, texts
    assert texts["Thumb::MTime"] == str(status.st_mtime_ns // 10**9), texts
    assert texts["Thumb::Size"] == str(status.st_size), texts
    assert (width, height) == (256, 192) and zlib.decompress(pixels), file
END
}

wait_until 60 eval 'look "$MNT/My photos"; has_thumbnails 60'
check "$MNT/My photos"
asked 3
test "$(stat -c %a "$cache" "$cache/large" | tr '\n' ' ')" = '700 700 '

# A thumbnail that is there is not asked for again. Folders come one after the other, so the first one is done when the second is.
look "$MNT/My photos"
wait_until 60 eval 'look "$MNT/second"; has_thumbnails 61'
check "$MNT/second"
asked 4

echo 'another picture, which is longer' | $other upload "/My photos/7.jpg" 2021-01-02T03:04:05Z
wait_until 60 eval 'test "$(stat -c %s "$MNT/My photos/7.jpg")" = 33'
wait_until 90 eval 'look "$MNT/My photos"; check "$MNT/My photos"'
asked 5
has_thumbnails 61

# Programs that are no file managers have none made, and nothing was downloaded.
$other mkdir /third
echo 'picture' | $other upload /third/a.gif
wait_until 60 test -e "$MNT/third/a.gif"
ls "$MNT/third"
cp /bin/ls "$WORK/browser"
"$WORK/browser" "$MNT/third"
look "$MNT/second"
test ! -e "$cache/normal"
cp /bin/ls "$WORK/thunar"
wait_until 60 eval '"$WORK/thunar" "$MNT/second" > /dev/null; test "$(ls "$cache"/normal/*.png | wc -l)" = 1'
asked 6
test "$(requests files/download)" = 0
test "$(requests files/download_zip)" = 0
