"""Does one work of Benchmarks/sdk with Dropbox's own SDK for Python, and prints how many seconds it took.

usage: official_sdk.py SERVER download|upload|calls|list COUNT FILE
"""

import concurrent.futures
import sys
import time

import dropbox
import requests
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


def main():
    pool = requests.Session()
    pool.mount("https://", Redirect(pool_connections=4, pool_maxsize=16))
    client = dropbox.Dropbox("benchmark", session=pool)
    work = {"download": download, "upload": upload, "calls": calls, "list": list_all}[sys.argv[2]]
    begin = time.monotonic()
    work(client, int(sys.argv[3]), sys.argv[4])
    print(time.monotonic() - begin)


main()
