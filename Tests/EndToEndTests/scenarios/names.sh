# Names that trip programs up, and with names=strict, names that cannot be.
# options: names=strict
cd "$MNT"
python3 - << 'END'
import errno, os, unicodedata

good = [
    "with space", " leading", "emoji 🎉🧑‍🚀", "new\nline", "tab\there", "quote'\"`$", "-rf", "#hash",
    "semi;colon", "percent%41", "a" * 255, "ü" * 127, "日本語",
    "عربى", "e\u0301 decomposed", "CON", "...three", "üöäß", "\u00e9 composed",
]
for name in good:
    with open(name, "w") as file:
        file.write(name)
    with open(name) as file:
        assert file.read() == name, name

listed = {unicodedata.normalize("NFC", name) for name in os.listdir(".")}
missing = [name for name in good if unicodedata.normalize("NFC", name) not in listed]
assert not missing, missing


def refused(code, name):
    try:
        open(name, "w").close()
    except OSError as error:
        assert error.errno == code, (name, error)
    else:
        raise AssertionError(name)


refused(errno.ENAMETOOLONG, "x" * 256)
refused(errno.ENAMETOOLONG, "ü" * 128)
refused(errno.EILSEQ, b"not utf-8 \xff")

# Dropbox folds case: another case of a name is the same place there.
with open("Case", "w") as file:
    file.write("upper")
try:
    os.mkdir("CASE")
    raise AssertionError("CASE beside Case")
except OSError as error:
    assert error.errno == errno.EEXIST, error
assert not os.path.exists("cASE")

# Names under which editors and desktops keep files of no use elsewhere: they work, and stay here.
for name in [".~lock.document.odt#", "~$document.docx", "desktop.ini", "Thumbs.db", ".DS_Store"]:
    with open(name, "w") as file:
        file.write("local")
    with open(name) as file:
        assert file.read() == "local", name

os.makedirs("deep/" + "/".join(f"level {i}" for i in range(40)))
END
dbxfs sync "$MNT"
test "$(cat ./-rf)" = '-rf'
