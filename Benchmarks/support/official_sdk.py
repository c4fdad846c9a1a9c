"""Does one work of Benchmarks/sdk or Benchmarks/sdk-files with Dropbox's own SDK for Python, and prints how many seconds it took.

usage: official_sdk.py SERVER download|upload|calls|list COUNT FILE
       official_sdk.py - send|fetch|send-all|fetch-all 0 PATH       DROPBOX_TOKEN names the token
"""

import concurrent.futures
import os
import sys
import time

import dropbox
import requests
from dropbox import file_transfer
from requests.adapters import HTTPAdapter


class Redirect(HTTPAdapter):
    """Sends requests for any of Dropbox's hosts to the server, without TLS."""

    def send(self, request, **kwargs):
        request.url = sys.argv[1] + "/" + request.url.split("/", 3)[3]
        return super().send(request, **kwargs)


def download(client, mebibytes, _):
    _, response = client.files_download(f"/{mebibytes}")
    # The SDK has its `content` in one piece; this is how its response is read when that is too much.
    assert sum(len(chunk) for chunk in response.iter_content(1 << 20)) == mebibytes << 20


def upload(client, times, path):
    for number in range(times):
        with open(path, "rb") as file:
            client.files_upload(file.read(), f"/{number}")


def calls(client, times, _):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: client.files_get_metadata("/file"), range(times)))


def list_all(client, entries, _):
    page = client.files_list_folder("", recursive=True)
    count = len(page.entries)
    while page.has_more:
        page = client.files_list_folder_continue(page.cursor)
        count += len(page.entries)
    assert count == entries


def send(client, _, path):
    options = file_transfer.UploadOptions(parallel_uploads=4)
    file_transfer.Uploader(client).upload(file_transfer.FileUpload(path), dropbox.files.CommitInfo("/big"), options)


def fetch(client, _, path):
    options = file_transfer.DownloadOptions(parallel_downloads=4)
    file_transfer.Downloader(client).download("/big", file_transfer.File(path), options)


def send_all(client, _, folder):
    def one(name):
        file_transfer.upload_file(client, os.path.join(folder, name), dropbox.files.CommitInfo(f"/many/{name}"))
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(one, os.listdir(folder)))


def fetch_all(client, _, folder):
    page = client.files_list_folder("/many")
    names = [entry.name for entry in page.entries]
    while page.has_more:
        page = client.files_list_folder_continue(page.cursor)
        names += [entry.name for entry in page.entries]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: file_transfer.download_file(client, f"/many/{name}", os.path.join(folder, name)), names))


def files():
    # The pool that the SDK makes by itself has fewer.
    pool = dropbox.create_session(max_connections=16)
    client = dropbox.Dropbox(os.environ["DROPBOX_TOKEN"], session=pool)
    work = {"send": send, "fetch": fetch, "send-all": send_all, "fetch-all": fetch_all}[sys.argv[2]]
    begin = time.monotonic()
    work(client, 0, sys.argv[4])
    print(time.monotonic() - begin)


def main():
    if sys.argv[1] == "-":
        return files()
    pool = requests.Session()
    pool.mount("https://", Redirect(pool_connections=4, pool_maxsize=16))
    client = dropbox.Dropbox("benchmark", session=pool)
    work = {"download": download, "upload": upload, "calls": calls, "list": list_all}[sys.argv[2]]
    begin = time.monotonic()
    work(client, int(sys.argv[3]), sys.argv[4])
    print(time.monotonic() - begin)


main()
