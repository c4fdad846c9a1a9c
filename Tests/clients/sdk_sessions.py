"""upload sessions"""

import concurrent.futures
import os

from dropbox import exceptions, files
from sdk_client import failing
from sdk_files import content_hash

BLOCK = 4 << 20
Cursor, Commit = files.UploadSessionCursor, files.CommitInfo


def check_sequential(report, client, emulator):
    dbx = client.dbx
    data = os.urandom(BLOCK + 12345)
    session = dbx.files_upload_session_start(data[:100]).session_id
    dbx.files_upload_session_append_v2(data[100:200], Cursor(session, 100))
    with failing(report, "append at a wrong offset", exceptions.ApiError,
                 lambda e: e.error.get_incorrect_offset().correct_offset == 200):
        dbx.files_upload_session_append_v2(data[100:200], Cursor(session, 100))
    with failing(report, "append with a wrong hash", exceptions.ApiError,
                 lambda e: e.error.is_content_hash_mismatch()):
        dbx.files_upload_session_append_v2(b"x", Cursor(session, 200), content_hash="0" * 64)
    dbx.files_upload_session_append_v2(data[200:BLOCK], Cursor(session, 200), close=True)
    with failing(report, "append to a closed session", exceptions.ApiError, lambda e: e.error.is_closed()):
        dbx.files_upload_session_append_v2(b"x", Cursor(session, BLOCK))
    dbx.files_upload(b"in the way", "/Ses/seq")
    with failing(report, "finish where a file is", exceptions.ApiError,
                 lambda e: e.error.get_path().get_conflict().is_file()):
        dbx.files_upload_session_finish(b"", Cursor(session, BLOCK), Commit("/Ses/seq"))
    meta = dbx.files_upload_session_finish(b"", Cursor(session, BLOCK), Commit("/Ses/seq2"))
    report.equal("a sequential session", meta.content_hash, content_hash(data[:BLOCK]))
    with failing(report, "a session ends with finish", exceptions.ApiError,
                 lambda e: e.error.get_lookup_failed().is_not_found()):
        dbx.files_upload_session_finish(b"", Cursor(session, BLOCK), Commit("/Ses/seq3"))
    session = dbx.files_upload_session_start(data[:BLOCK]).session_id
    with failing(report, "finish with data keeps it", exceptions.ApiError,
                 lambda e: e.error.get_path().get_conflict().is_file()):
        dbx.files_upload_session_finish(data[BLOCK:], Cursor(session, BLOCK), Commit("/Ses/seq"))
    meta = dbx.files_upload_session_finish(b"", Cursor(session, len(data)), Commit("/Ses/whole"))
    report.equal("and needs no more", meta.content_hash, content_hash(data))
    with failing(report, "a session that is not there", exceptions.ApiError, lambda e: e.error.is_not_found()):
        dbx.files_upload_session_append_v2(b"x", Cursor("nothing", 0))


def check_concurrent(report, client, emulator):
    dbx = client.dbx
    kind = files.UploadSessionType.concurrent
    data = os.urandom(5 * BLOCK + 777)
    with failing(report, "concurrent start with data", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_data_not_allowed()):
        dbx.files_upload_session_start(b"x", session_type=kind)
    with failing(report, "concurrent start closed", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_close_not_allowed()):
        dbx.files_upload_session_start(b"", session_type=kind, close=True)
    session = dbx.files_upload_session_start(b"", session_type=kind).session_id
    with failing(report, "concurrent append at an odd offset", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_invalid_offset()):
        dbx.files_upload_session_append_v2(b"x", Cursor(session, 1))
    with failing(report, "concurrent append of an odd size", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_invalid_data_size()):
        dbx.files_upload_session_append_v2(b"x", Cursor(session, 0))
    dbx.files_upload_session_append_v2(data[5 * BLOCK:], Cursor(session, 5 * BLOCK), close=True)
    with failing(report, "concurrent finish with data missing", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_missing_data()):
        dbx.files_upload_session_finish(b"", Cursor(session, len(data)), Commit("/Ses/con"))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: client.make(emulator.token).files_upload_session_append_v2(
            data[n * BLOCK:(n + 1) * BLOCK], Cursor(session, n * BLOCK)), [4, 1, 3, 0, 2]))
    with failing(report, "concurrent finish with data", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_data_not_allowed()):
        dbx.files_upload_session_finish(b"x", Cursor(session, len(data)), Commit("/Ses/con"))
    meta = dbx.files_upload_session_finish(b"", Cursor(session, len(data)), Commit("/Ses/con"))
    report.check("a concurrent session", meta.content_hash == content_hash(data)
                 and dbx.files_download("/Ses/con")[1].content == data)
    session = dbx.files_upload_session_start(b"", session_type=kind).session_id
    with failing(report, "concurrent finish of an open session", exceptions.ApiError,
                 lambda e: e.error.is_concurrent_session_not_closed()):
        dbx.files_upload_session_finish(b"", Cursor(session, 0), Commit("/Ses/open"))


def check_batches(report, client, emulator):
    dbx = client.dbx
    contents = [b"first", b"", b"the third"]
    ids = dbx.files_upload_session_start_batch(4).session_ids
    pieces = [files.UploadSessionAppendBatchArgEntry(Cursor(i, 0), len(c), close=True)
              for i, c in zip(ids, contents)]
    pieces.append(files.UploadSessionAppendBatchArgEntry(Cursor("nothing", 0), 2))
    result = dbx.files_upload_session_append_batch(b"".join(contents) + b"xx", pieces)
    report.equal("append_batch", [e.is_success() for e in result.entries], [True, True, True, False])
    report.check("its failure", result.entries[3].get_failure().is_not_found())
    with failing(report, "append_batch of another length", exceptions.ApiError,
                 lambda e: e.error.is_length_mismatch()):
        dbx.files_upload_session_append_batch(b"x", [files.UploadSessionAppendBatchArgEntry(Cursor(ids[3], 0), 2)])

    def finish(folder):
        entries = [files.UploadSessionFinishArg(Cursor(i, len(c)), Commit(f"/{folder}/{n}"))
                   for n, (i, c) in enumerate(zip(ids, contents))]
        return entries + [files.UploadSessionFinishArg(Cursor(ids[3], 0), Commit(f"/{folder}/3"))]

    result = dbx.files_upload_session_finish_batch_v2(finish("Bat")).entries
    report.equal("finish_batch_v2", [e.is_success() and e.get_success().size for e in result],
                 [5, 0, 9, False])
    report.check("not_closed", result[3].get_failure().get_lookup_failed().is_not_closed())
    dbx.files_upload_session_append_v2(b"job", Cursor(ids[3], 0), close=True)
    launch = dbx.files_upload_session_finish_batch(
        [files.UploadSessionFinishArg(Cursor(ids[3], 3), Commit("/Bat/job"))])
    status = dbx.files_upload_session_finish_batch_check(launch.get_async_job_id())
    report.equal("finish_batch", status.get_complete().entries[0].get_success().name, "job")


def check_thousand(report, client, emulator):
    dbx = client.dbx
    ids = dbx.files_upload_session_start_batch(1000).session_ids
    appended = []
    for half in (range(500), range(500, 1000)):
        body = b"".join(b"%4d" % n for n in half)
        appended += dbx.files_upload_session_append_batch(body, [
            files.UploadSessionAppendBatchArgEntry(Cursor(ids[n], 0), 4, close=True)
            for n in half]).entries
    finished = dbx.files_upload_session_finish_batch_v2([
        files.UploadSessionFinishArg(Cursor(i, 4), Commit(f"/Thousand/{n}"))
        for n, i in enumerate(ids)]).entries
    report.check("a thousand files in four requests",
                 all(e.is_success() for e in appended + finished)
                 and dbx.files_download("/Thousand/789")[1].content == b" 789")
    with failing(report, "one more is refused", exceptions.BadInputError):
        dbx.request_json_object("api", "files/upload_session/start_batch", "rpc",
                                {"num_sessions": 1001}, "user", None)


def check_limits(report, client, emulator):
    plain = client.make(emulator.token, auto_content_hash=False)
    with failing(report, "payload_too_large", exceptions.ApiError, lambda e: e.error.is_payload_too_large()):
        plain.files_upload(bytes((150 << 20) + 1), "/large")
    session = plain.files_upload_session_start(b"", session_type=files.UploadSessionType.concurrent)
    with failing(report, "too_large", exceptions.ApiError, lambda e: e.error.is_too_large()):
        plain.files_upload_session_append_v2(b"x", Cursor(session.session_id, 1 << 41), close=True)
