"""Shows an account and its files, and uploads, changes, reads and deletes one.

    DROPBOX_TOKEN=... python3 account.py
"""

import hashlib
import os
import tempfile

from dropbox_c import Client, DropboxError

client = Client(token=os.environ["DROPBOX_TOKEN"], endpoint=os.environ.get("DROPBOX_ENDPOINT"))

account = client.call("users/get_current_account")
print("account:", account["name"]["display_name"])
for entry in client.entries(""):
    print(entry[".tag"], entry["path_display"])

updates = client.changes("", recursive=True)
print("relist:", next(updates)["relist"])

with tempfile.TemporaryDirectory() as folder:
    source, copy = os.path.join(folder, "source"), os.path.join(folder, "copy")
    with open(source, "wb") as file:
        file.write(os.urandom(9_000_000))
    reports = []
    stored = client.upload(source, "/from python.bin", {"mode": "overwrite"}, progress=lambda *report: reports.append(report))
    print("uploaded:", stored["size"], "bytes, last report:", reports[-1])
    client.download("/from python.bin", copy)
    same = [hashlib.sha256(open(name, "rb").read()).digest() for name in (source, copy)]
    print("same content:", same[0] == same[1])

print("changed:", [entry["name"] for entry in next(updates)["entries"]])
updates.close()

metadata, part = client.download_call("files/download", {"path": "/from python.bin"}, offset=10, length=5)
print("a part of", metadata["name"], "has", len(part), "bytes")

client.call("files/delete_v2", {"path": "/from python.bin"})
try:
    client.call("files/get_metadata", {"path": "/from python.bin"})
except DropboxError as error:
    print("refused:", error.tag, "-", error.message)
