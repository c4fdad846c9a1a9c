"""requests as bytes, and faults"""

import json
import time

import requests
from dropbox import exceptions, files
from sdk_client import failing


def call(emulator, function, body, **headers):
    headers = {"Authorization": f"Bearer {emulator.token}", "Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()}
    headers = {name: value for name, value in headers.items() if value is not None}
    return requests.post(f"{emulator.base}/2/{function}", data=body, headers=headers)


def check_bad_input(report, client, emulator):
    place = 'Error in call to API function "files/list_folder": request body: '
    pattern = r"did not match pattern '(/(.|[\r\n])*)?|id:.*|(ns:[0-9]+(/(.|[\r\n])*)?)'"
    cases = [
        ("no JSON", "{", place + "could not decode input as JSON"),
        ("a missing field", "{}", place + "missing required field 'path'"),
        ("an unknown field", '{"path": "", "x": 1}', place + "unknown field 'x'"),
        ("a wrong type", '{"path": 1}', place + "path: expected string, got integer"),
        ("a relative path", '{"path": "a"}', place + "path: 'a' " + pattern),
        ("the root as a slash", '{"path": "/"}',
         place + 'path: Specify the root folder as an empty string rather than as "/".'),
        ("a number for a truth value", '{"path": "", "recursive": 1}',
         place + "recursive: expected boolean, got integer"),
        ("a limit of none", '{"path": "", "limit": 0}', place + "limit: 0 is less than the minimum 1"),
    ]
    for what, body, message in cases:
        reply = call(emulator, "files/list_folder", body)
        report.equal(f"400: {what}", (reply.status_code, reply.text), (400, message))
        report.check(f"400: {what} is plain text", reply.headers["Content-Type"].startswith("text/plain"))
    reply = call(emulator, "files/nothing", "null")
    report.equal("an unknown function", (reply.status_code, reply.text),
                 (400, 'Unknown API function: "files/nothing"'))
    reply = call(emulator, "files/list_folder", '{"path": ""}', Content_Type="text/html")
    report.check("a wrong content type", reply.status_code == 400 and "Content-Type" in reply.text)
    reply = call(emulator, "files/list_folder", '{"path": ""}', Authorization=None)
    report.check("no authorization", reply.status_code == 400 and "Authorization" in reply.text)
    reply = call(emulator, "users/get_current_account", "{}")
    report.check("an argument where none belongs", "expected null" in reply.text)
    reply = call(emulator, "files/upload", "", Content_Type="application/octet-stream",
                 Dropbox_API_Arg='{"path": "/x", "mode": "sometimes"}')
    report.check("an unknown tag", "mode: unknown tag 'sometimes'" in reply.text, reply.text)
    reply = call(emulator, "files/list_folder/continue", '{"cursor": "x"}')
    report.check("a cursor that is none", reply.status_code == 400 and "cursor" in reply.text)
    reply = call(emulator, "files/list_folder", '{"path": ""}')
    report.check("every answer has a request id", reply.headers["X-Dropbox-Request-Id"])


def check_ranges(report, client, emulator):
    client.dbx.files_upload(b"0123456789", "/Wire/digits")
    headers = {"Authorization": f"Bearer {emulator.token}",
               "Dropbox-API-Arg": json.dumps({"path": "/Wire/digits"})}
    url = f"{emulator.base}/2/files/download"
    for asked, status, body, where in [
            ("bytes=2-4", 206, b"234", "bytes 2-4/10"), ("bytes=7-", 206, b"789", "bytes 7-9/10"),
            ("bytes=-2", 206, b"89", "bytes 8-9/10"), ("bytes=8-99", 206, b"89", "bytes 8-9/10"),
            ("lines=1-2", 200, b"0123456789", None)]:
        reply = requests.post(url, headers=headers | {"Range": asked})
        report.equal(f"Range: {asked}", (reply.status_code, reply.content,
                                         reply.headers.get("Content-Range")), (status, body, where))
    report.equal("a range behind the end", requests.post(url, headers=headers | {"Range": "bytes=10-"}).status_code, 416)
    reply = requests.get(url, params={"arg": headers["Dropbox-API-Arg"],
                                      "authorization": headers["Authorization"]})
    report.equal("GET with the argument in the address", reply.content, b"0123456789")


def check_faults(report, client, emulator):
    dbx = client.dbx
    route = "files/get_metadata"
    emulator.fault(route=route, kind="rate_limited", count=1, retry_after=3,
                   reason="too_many_write_operations")
    with failing(report, "429 as JSON", exceptions.RateLimitError,
                 lambda e: e.backoff == 3 and e.error.reason.is_too_many_write_operations()):
        dbx.files_get_metadata("/Wire")
    emulator.fault(route=route, kind="rate_limited_text", count=1, retry_after=4)
    with failing(report, "429 as text", exceptions.RateLimitError, lambda e: e.backoff == 4):
        dbx.files_get_metadata("/Wire")
    emulator.fault(route=route, kind="server_error", count=1, status=503)
    with failing(report, "503", exceptions.InternalServerError, lambda e: e.status_code == 503):
        dbx.files_get_metadata("/Wire")
    for kind in ("reset_before", "reset_after"):
        emulator.fault(route="files/create_folder_v2", kind=kind, count=1)
        with failing(report, kind, requests.ConnectionError):
            dbx.files_create_folder_v2(f"/Wire/{kind}")
    names = [e.name for e in dbx.files_list_folder("/Wire").entries]
    report.equal("a reset before changes nothing, one after does", names, ["digits", "reset_after"])
    emulator.fault(route="files/download", kind="cut_body", count=1, at=4)
    with failing(report, "a body cut short", requests.exceptions.RequestException):
        dbx.files_download("/Wire/digits")[1].content
    emulator.fault(route="files/download", kind="corrupt_body", count=1, at=4)
    report.equal("a corrupted body", dbx.files_download("/Wire/digits")[1].content, b"0123\xcb56789")
    emulator.fault(route=route, kind="non_json", count=1)
    with failing(report, "an answer that is not JSON", AssertionError):
        dbx.files_get_metadata("/Wire")
    emulator.fault(route="files/upload", kind="too_many_write_operations", count=1)
    with failing(report, "contention in a commit", exceptions.ApiError,
                 lambda e: e.error.get_path().reason.is_too_many_write_operations()):
        dbx.files_upload(b"", "/Wire/contended")
    emulator.fault(route="files/delete_batch", kind="too_many_write_operations", count=1, entries=1)
    job = dbx.files_delete_batch([files.DeleteArg("/Wire/digits"), files.DeleteArg("/Wire/reset_after")])
    entries = dbx.files_delete_batch_check(job.get_async_job_id()).get_complete().entries
    report.check("contention in one entry of a batch", entries[1].is_success() and
                 entries[0].get_failure().is_too_many_write_operations())
    emulator.fault(route="files/list_folder", kind="hostile_names", count=1, names=["..", "a/b"])
    reply = call(emulator, "files/list_folder", '{"path": "/Wire"}')
    report.equal("hostile names", [e["name"] for e in reply.json()["entries"]], ["digits", "..", "a/b"])
    emulator.fault(route="files/list_folder", kind="replace_field", count=1, field="id", value=-1)
    reply = call(emulator, "files/list_folder", '{"path": "/Wire"}')
    report.equal("a field replaced", reply.json()["entries"][0]["id"], -1)
    emulator.fault(route="files/download", kind="short_body", count=1, at=4)
    report.equal("a body that is short", dbx.files_download("/Wire/digits")[1].content, b"0123")
    emulator.fault(route="files/download", kind="ignore_range", count=1)
    emulator.fault(route="files/download", kind="wrong_content_range", count=1, skip=1)
    for status, where in ((200, None), (206, "bytes 3-5/10")):
        reply = call(emulator, "files/download", None, Content_Type=None, Range="bytes=2-4",
                     Dropbox_API_Arg='{"path": "/Wire/digits"}')
        report.equal(f"a range with {where}", (reply.status_code, reply.headers.get("Content-Range")),
                     (status, where))
    emulator.fault(route=route, kind="wrong_hash", count=1)
    right = dbx.files_download("/Wire/digits")[0].content_hash
    report.equal("a wrong hash", dbx.files_get_metadata("/Wire/digits").content_hash, right[::-1])
    for kind, test in (("cursor_reset", lambda e: e.error.is_reset()),
                       ("route_error", lambda e: e.error.get_path().is_restricted_content())):
        cursor = dbx.files_list_folder_get_latest_cursor("").cursor
        emulator.fault(route="files/list_folder/continue", kind=kind, count=1,
                       error={".tag": "path", "path": {".tag": "restricted_content"}})
        with failing(report, kind, exceptions.ApiError, test):
            dbx.files_list_folder_continue(cursor)
    for kind in ("stall", "stall_body"):
        emulator.fault(route="files/download", kind=kind, count=1, seconds=0.3, at=5)
        start = time.monotonic()
        content = dbx.files_download("/Wire/digits")[1].content
        report.check(kind, content == b"0123456789" and time.monotonic() - start >= 0.3)
    emulator.fault(route=route, kind="respond", count=1, status=418, body="tea", content_type="text/tea")
    report.equal("any answer", call(emulator, route, '{"path": "/Wire"}').text, "tea")
    emulator.admin("faults", method="DELETE")


def check_settings(report, client, emulator):
    dbx = client.dbx
    emulator.admin("settings", {"latency_ms": {"files/get_metadata": 200}})
    start = time.monotonic()
    dbx.files_get_metadata("/Wire")
    report.check("latency of one route", time.monotonic() - start >= 0.2)
    emulator.admin("settings", {"latency_ms": 0, "download_bytes_per_second": 1 << 20,
                                "upload_bytes_per_second": 1 << 20})
    data = bytes(1 << 19)
    start = time.monotonic()
    dbx.files_upload(data, "/Wire/slow")
    middle = time.monotonic()
    dbx.files_download("/Wire/slow")[1].content
    report.check("bandwidth both ways", middle - start >= 0.45 and time.monotonic() - middle >= 0.45)
    emulator.admin("settings", {"download_bytes_per_second": None, "upload_bytes_per_second": None})
    emulator.admin("settings", {"empty_pages": True})
    page = dbx.files_list_folder("/Wire", limit=1)
    empty = dbx.files_list_folder_continue(page.cursor)
    rest = dbx.files_list_folder_continue(empty.cursor)
    report.check("an empty page with more to come", not empty.entries and empty.has_more and rest.entries)
    emulator.admin("settings", {"empty_pages": False, "unreliable_parent_case": True})
    report.equal("parents in another case", dbx.files_get_metadata("/Wire/slow").path_display, "/wire/slow")
    emulator.admin("settings", {"unreliable_parent_case": False, "ascii_arguments": True})
    reply = requests.post(f"{emulator.base}/2/files/download", headers={
        "Authorization": f"Bearer {emulator.token}", "Dropbox-API-Arg": '{"path": "/é"}'.encode()})
    report.equal("an argument that must be ASCII", reply.status_code, 400)
    emulator.admin("settings", {"ascii_arguments": False})


def check_statistics(report, client, emulator):
    emulator.admin("stats/reset", {})
    client.dbx.files_upload(b"12345", "/Wire/counted")
    client.dbx.files_download("/Wire/counted")[1].content
    stats = emulator.admin("stats")
    report.equal("requests are counted", {name: r["requests"] for name, r in stats["routes"].items()},
                 {"files/upload": 1, "files/download": 1})
    report.equal("bytes are counted", (stats["routes"]["files/upload"]["bytes_in"],
                                       stats["routes"]["files/download"]["bytes_out"]), (5, 5))
    tree = emulator.admin(f"tree?token={emulator.token}")["entries"]
    entry = [e for e in tree if e["path"] == "/Wire/counted"][0]
    report.check("the tree dump", entry["size"] == 5 and len(entry["content_hash"]) == 64)
