#!/usr/bin/env python3
"""The lines of Python in docs/sdk-comparison.md, run as they stand there, with the official SDK against the emulator.
Scripts/check-comparison looks them up here.
"""

import io
import logging
import tempfile
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from support import Report, arguments, running

options = arguments(__doc__, "dropbox")

import dropbox
import requests
from dropbox import DropboxOAuth2Flow, DropboxOAuth2FlowNoRedirect, common, dropbox_client, exceptions, files, oauth
from dropbox import stone_serializers
from dropbox.file_transfer import FileUpload, ReaderUpload, Uploader, UploadOptions, download_file, upload_file
from sdk_client import failing, session

# As programs have it: the other checks refuse what the specification does not have.
dropbox_client.stone_serializers.json_compat_obj_decode = stone_serializers._json_compat_obj_decode
KEY, BACK = "app", "http://127.0.0.1/back"


def check_logins(report, emulator, token):
    dbx = dropbox.Dropbox(token)
    account = dbx.users_get_current_account().account_id
    report.check("a token of the console", account)
    page = DropboxOAuth2FlowNoRedirect(KEY, use_pkce=True, scope=["files.metadata.read"]).start()
    report.check("a login whose code is copied", "code_challenge=" in page)
    web = {}
    page = DropboxOAuth2Flow(KEY, BACK, web, "csrf", use_pkce=True).start()
    report.check("a login with a redirect", "state=" in page and "csrf" in web)
    settings = {"scope": ["members.read"], "include_granted_scopes": "team", "locale": "de"}
    page = DropboxOAuth2Flow(KEY, BACK, web, "csrf", use_pkce=True, **settings).start()
    report.check("scopes of a team, language", "include_granted_scopes=team" in page and "locale=de" in page)

    flow = DropboxOAuth2Flow(KEY, BACK, web, "csrf", use_pkce=True, token_access_type="offline")
    answer = session(emulator).post(flow.start(), data={"account_id": account}, allow_redirects=False)
    returned = dict(parse_qsl(urlsplit(answer.headers["Location"]).query))
    login = flow.finish(returned)
    report.equal("the way back", login.account_id, account)
    refresh = login.refresh_token
    renewed = dropbox.Dropbox(oauth2_refresh_token=refresh, app_key=KEY)
    report.equal("tokens renewed", renewed.users_get_current_account().account_id, account)
    fewer = dropbox.Dropbox(oauth2_refresh_token=refresh, app_key=KEY, scope=["account_info.read"])
    report.equal("a renewal with fewer scopes", fewer.users_get_current_account().account_id, account)
    with failing(report, "it has no more than these", exceptions.AuthError):
        fewer.files_list_folder("")

    pool = dropbox.create_session(8)
    first, second = (dropbox.Dropbox(token, session=pool) for token in (token, token))
    report.check("one set of connections", first._session is second._session)
    emulator.admin("tokens", {"token": "short"})
    dbx = dropbox.Dropbox("short")
    dbx.auth_token_revoke()
    with failing(report, "revoked", exceptions.AuthError):
        dbx.users_get_current_account()


def check_callers(report, emulator, token):
    team = dropbox.DropboxTeam(token)
    member = team.as_user("dbmid:AAA")
    report.equal("a member of a team", member._headers["Dropbox-API-Select-User"], "dbmid:AAA")
    dbx = dropbox.Dropbox(token)
    root = dbx.users_get_current_account().root_info.root_namespace_id
    rooted = dbx.with_path_root(common.PathRoot.root(root))
    report.check("another root of paths", rooted.files_list_folder("").entries is not None)
    echo = dropbox.Dropbox(app_key=KEY, app_secret="secret").check_app("hello")
    report.equal("the app itself", echo.result, "hello")


def check_content(report, emulator, token, folder):
    dbx = dropbox.Dropbox(token)
    data, path = bytes(range(256)) * 40_000, folder + "/big"
    with open(path, "wb") as file:
        file.write(data)
    report.equal("a route", dbx.files_create_folder_v2("/rows").metadata.path_display, "/rows")
    answer = dbx.request_json_string_with_retry("api", "files/get_metadata", "rpc", '{"path": "/rows"}', "user", None)
    report.check("a route that is not generated yet", '"/rows"' in answer.obj_result)
    report.equal("bytes in memory", dbx.files_upload(data, "/rows/a.txt").size, len(data))
    stored = Uploader(dbx).upload(FileUpload(path), files.CommitInfo("/rows/big"), UploadOptions(parallel_uploads=4))
    report.equal("a file of any size", stored.metadata.size, len(data))
    seen = []
    upload_file(dbx, path, "/rows/seen", progress=lambda step: seen.append(step.bytes_committed))
    report.equal("its progress", seen[-1], len(data))
    reader = io.BytesIO(data)
    stored = Uploader(dbx).upload(ReaderUpload(reader), files.CommitInfo("/rows/log"))
    report.equal("a stream of unknown length", stored.metadata.size, len(data))
    copy = folder + "/copy"
    download_file(dbx, "/rows/big", copy)
    with open(copy, "rb") as file:
        report.check("a file to the disk", file.read() == data)
    report.check("a file into memory", dbx.files_download("/rows/a.txt")[1].content == data)
    part = dbx.files_download("/rows/big", extra_headers=dropbox.build_range_headers((10, 19)))
    report.check("a range", part[1].content == data[10:20])
    stored = dbx.files_upload(data, "/rows/old", client_modified=datetime(2020, 1, 2))
    report.equal("times", stored.client_modified, datetime(2020, 1, 2))

    session_id = dbx.files_upload_session_start(data, close=True).session_id
    finish = files.UploadSessionFinishArg(
        files.UploadSessionCursor(session_id, len(data)), files.CommitInfo("/rows/one"))
    report.equal("many small files", len(dbx.files_upload_session_finish_batch_v2([finish]).entries), 1)
    job = dbx.files_delete_batch([files.DeleteArg("/rows/one")])
    if job.is_async_job_id():
        report.check("a job", dbx.files_delete_batch_check(job.get_async_job_id()))


def check_listings(report, emulator, token):
    dbx = dropbox.Dropbox(token)
    page = dbx.files_list_folder("/rows", limit=1)
    while page.has_more:
        entry = page.entries[0]
        page = dbx.files_list_folder_continue(page.cursor)
    report.check("kinds of entries", isinstance(entry, files.FileMetadata))
    dbx.files_upload(b"new", "/rows/new")
    report.check("changes", dbx.files_list_folder_longpoll(page.cursor).changes)


def check_errors(report, emulator, token):
    dbx = dropbox.Dropbox(token)
    try:
        dbx.files_delete_v2("/gone")
        report.check("a route's error", False)
    except dropbox.exceptions.DropboxException as error:
        report.check(
            "a route's error", error.error.is_path_lookup() and error.error.get_path_lookup().is_not_found())
        report.check("the request's id", error.request_id)

    body = '{"error_summary": "new/", "error": {".tag": "new"}, "user_message": {"text": "Full.", "locale": "en"}}'
    emulator.fault(route="files/delete_v2", kind="respond", status=409, content_type="application/json", body=body, count=1)
    try:
        dbx.files_delete_v2("/gone")
        report.check("a message", False)
    except exceptions.ApiError as error:
        report.equal("the server's message", (error.user_message_text, error.user_message_locale), ("Full.", "en"))
        report.check("kinds of later versions", error.error.is_other())


def check_settings(report, emulator, token):
    dbx = dropbox.Dropbox(token, user_agent="photos/2.1")
    report.check("user agent", dbx._user_agent.startswith("photos/2.1/"))
    report.equal("timeouts", dropbox.Dropbox(token, timeout=60)._timeout, 60)
    dbx = dropbox.Dropbox(token, max_retries_on_rate_limit=0)
    emulator.fault(route="users/get_current_account", kind="rate_limited", count=1)
    with failing(report, "a busy server", exceptions.RateLimitError):
        dbx.users_get_current_account()
    dbx = dropbox.Dropbox(token, headers={"X-Trace": "1"})
    report.check("requests of one's own making", dbx.users_get_current_account())
    seen = io.StringIO()
    logging.getLogger("dropbox").addHandler(logging.StreamHandler(seen))
    logging.getLogger("dropbox").setLevel(logging.INFO)
    dbx.users_get_current_account()
    report.check("a log", "get_current_account" in seen.getvalue())


def check_connections(report):
    """With the SDK's own connections, over which nothing is sent."""
    pool = dropbox.create_session(proxies={"https": "http://127.0.0.1:3128"})
    report.equal("a proxy", pool.proxies["https"], "http://127.0.0.1:3128")
    bundle = requests.certs.where()
    report.check("authorities", dropbox.create_session(ca_certs=bundle).adapters)


with running(options.emulator) as emulator, tempfile.TemporaryDirectory() as folder:
    report = Report()
    check_connections(report)
    # What follows makes its connections as any program does; they lead to the emulator.
    for module in (dropbox, dropbox_client):
        module.create_session = lambda *_, **settings: session(emulator)
    oauth.pinned_session = lambda *_, **settings: session(emulator)
    token = emulator.token
    check_logins(report, emulator, token)
    check_callers(report, emulator, token)
    check_content(report, emulator, token, folder)
    check_listings(report, emulator, token)
    check_errors(report, emulator, token)
    check_settings(report, emulator, token)
report.finish()
