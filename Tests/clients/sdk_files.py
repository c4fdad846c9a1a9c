"""files and folders"""

import base64
import datetime
import hashlib
import io
import threading
import time
import zipfile

from dropbox import exceptions, files
from dropbox.content_hash import DropboxContentHasher
from sdk_client import failing

ADD, OVERWRITE = files.WriteMode.add, files.WriteMode.overwrite


def content_hash(data):
    hasher = DropboxContentHasher()
    hasher.update(data)
    return hasher.hexdigest()


def conflict(tag):
    return lambda e: getattr(e.error.get_path().reason.get_conflict(), f"is_{tag}")()


def check_upload(report, client, emulator):
    dbx = client.dbx
    modified = datetime.datetime(2020, 2, 29, 12, 30, 59)
    first = dbx.files_upload(b"one", "/Up/Sub/Note.txt", client_modified=modified, mute=True)
    report.equal("upload makes parents", dbx.files_get_metadata("/up/SUB").path_display, "/Up/Sub")
    report.equal("client_modified is kept", first.client_modified, modified)
    report.equal("content_hash", first.content_hash, content_hash(b"one"))
    again = dbx.files_upload(b"one", "/up/sub/note.TXT")
    report.equal("identical content is not written again", again.rev, first.rev)
    report.equal("the first spelling stays", again.name, "Note.txt")
    with failing(report, "add over other content", exceptions.ApiError, conflict("file")):
        dbx.files_upload(b"two", "/Up/Sub/Note.txt")
    with failing(report, "strict_conflict over identical content", exceptions.ApiError,
                 conflict("file")):
        dbx.files_upload(b"one", "/Up/Sub/Note.txt", strict_conflict=True)
    with failing(report, "a folder in the way", exceptions.ApiError, conflict("folder")):
        dbx.files_upload(b"two", "/Up/Sub", mode=OVERWRITE)
    with failing(report, "a file as parent", exceptions.ApiError, conflict("file_ancestor")):
        dbx.files_upload(b"two", "/Up/Sub/Note.txt/x")
    renamed = dbx.files_upload(b"two", "/Up/Sub/Note.txt", autorename=True)
    report.equal("autorename of add", renamed.name, "Note (1).txt")
    second = dbx.files_upload(b"two", "/Up/Sub/Note.txt", mode=files.WriteMode.update(first.rev))
    report.check("update with the right rev", second.rev != first.rev and second.id == first.id)
    with failing(report, "update with an old rev", exceptions.ApiError, conflict("file")):
        dbx.files_upload(b"three", "/Up/Sub/Note.txt", mode=files.WriteMode.update(first.rev))
    copy = dbx.files_upload(
        b"three", "/Up/Sub/Note.txt", mode=files.WriteMode.update(first.rev), autorename=True)
    report.equal("autorename of update", copy.name, "Note (conflicted copy).txt")
    by_id = dbx.files_upload(b"four", first.id, mode=files.WriteMode.update(second.rev))
    report.equal("upload by id", by_id.path_display, "/Up/Sub/Note.txt")
    nfd = dbx.files_upload(b"x", "/Up/Cafe\u0301.txt")
    report.equal("names are NFC", nfd.name, "Caf\u00e9.txt")
    report.equal("and found in either form", dbx.files_get_metadata("/up/CAF\u00c9.txt").id, nfd.id)


def check_upload_failures(report, client, emulator):
    dbx = client.dbx
    for what, path in [("trailing slash", "/a/"), ("trailing space", "/a "), ("dots", "/a/../b"),
                       ("backslash", "/a\\b"), ("too long", "/" + "n" * 256), ("empty", "/a//b")]:
        with failing(report, f"malformed path: {what}", exceptions.ApiError,
                     lambda e: e.error.get_path().reason.is_malformed_path()):
            dbx.files_upload(b"", path)
    with failing(report, "a name that is refused", exceptions.ApiError,
                 lambda e: e.error.get_path().reason.is_disallowed_name()):
        dbx.files_upload(b"", "/Thumbs.db")
    with failing(report, "content_hash of other content", exceptions.ApiError,
                 lambda e: e.error.is_content_hash_mismatch()):
        dbx.files_upload(b"abc", "/mismatch", content_hash=content_hash(b"abd"))
    dbx.files_upload(b"there", "/kept.txt")
    try:
        dbx.files_upload(b"rescued", "/kept.txt")
    except exceptions.ApiError as error:
        session = error.error.get_path().upload_session_id
        saved = dbx.files_upload_session_finish(
            b"", files.UploadSessionCursor(session, 7), files.CommitInfo("/rescued.txt"))
        report.equal("a refused upload can be finished elsewhere", saved.content_hash,
                     content_hash(b"rescued"))
    used = dbx.users_get_space_usage().used
    emulator.admin("quota", {"bytes": used + 10})
    with failing(report, "insufficient_space", exceptions.ApiError,
                 lambda e: e.error.get_path().reason.is_insufficient_space()):
        dbx.files_upload(b"x" * 11, "/full.bin")
    dbx.files_upload(b"x" * 10, "/fits.bin")
    emulator.admin("quota", {"bytes": 2 << 40})
    with failing(report, "property groups without a template", exceptions.ApiError,
                 lambda e: e.error.get_properties_error().is_template_not_found()):
        from dropbox import file_properties
        group = file_properties.PropertyGroup("ptid:1", [file_properties.PropertyField("a", "b")])
        dbx.files_upload(b"", "/props.txt", property_groups=[group])
    report.equal("but the file is there", dbx.files_get_metadata("/props.txt").size, 0)


def check_download(report, client, emulator):
    dbx = client.dbx
    data = bytes(range(256)) * 4096
    meta = dbx.files_upload(data, "/Down/data \u2603 \U0001F600.bin")
    for what, path in [("path", meta.path_lower), ("id", meta.id), ("rev", "rev:" + meta.rev)]:
        found, reply = dbx.files_download(path)
        report.check(f"download by {what}", reply.content == data and found.rev == meta.rev)
    report.equal("the result header holds any name", found.name, "data \u2603 \U0001F600.bin")
    dbx.files_upload(b"new", meta.path_lower, mode=OVERWRITE)
    dbx.files_delete_v2(meta.path_lower)
    report.check("an old rev of a deleted file", dbx.files_download("rev:" + meta.rev)[1].content == data)
    with failing(report, "download of nothing", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_found()):
        dbx.files_download("/nothing")
    with failing(report, "download of a folder", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_file()):
        dbx.files_download("/Down")
    dbx.files_upload(b"inside", "/Zip/deep/é.txt")
    dbx.files_create_folder_v2("/Zip/empty")
    archive = zipfile.ZipFile(io.BytesIO(dbx.files_download_zip("/Zip")[1].content))
    report.equal("download_zip", (archive.testzip(), sorted(archive.namelist())),
                 (None, ["Zip/", "Zip/deep/", "Zip/deep/é.txt", "Zip/empty/"]))
    with failing(report, "download_zip of a file", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_folder()):
        dbx.files_download_zip("/Zip/deep/é.txt")
    link = dbx.files_get_temporary_link("/Zip/deep/é.txt")
    import requests
    report.equal("get_temporary_link", requests.get(link.link).content, b"inside")


def check_metadata(report, client, emulator):
    dbx = client.dbx
    meta = dbx.files_upload(b"m", "/Meta/File.txt")
    report.check("get_metadata of a file", isinstance(dbx.files_get_metadata(meta.id), files.FileMetadata))
    report.check("get_metadata of a folder",
                 isinstance(dbx.files_get_metadata("/meta"), files.FolderMetadata))
    with failing(report, "get_metadata of the root", exceptions.BadInputError,
                 lambda e: "The root folder is unsupported" in e.message):
        dbx.request(files.get_metadata, "files", files.GetMetadataArg("/meta"), None) and \
            dbx.request_json_object("api", "files/get_metadata", "rpc", {"path": ""}, "user", None)
    dbx.files_delete_v2("/Meta/File.txt")
    gone = dbx.files_get_metadata("/meta/file.txt", include_deleted=True)
    report.check("a deleted file", isinstance(gone, files.DeletedMetadata) and gone.name == "File.txt")
    with failing(report, "which is not found otherwise", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_found()):
        dbx.files_get_metadata("/meta/file.txt")


def check_folders(report, client, emulator):
    dbx = client.dbx
    folder = dbx.files_create_folder_v2("/Fold/A").metadata
    report.equal("create_folder", folder.path_display, "/Fold/A")
    with failing(report, "create_folder where one is", exceptions.ApiError,
                 lambda e: e.error.get_path().get_conflict().is_folder()):
        dbx.files_create_folder_v2("/fold/a")
    report.equal("autorename of a folder",
                 dbx.files_create_folder_v2("/Fold/A", autorename=True).metadata.name, "A (1)")
    made = dbx.files_create_folder_batch(["/Batch/1", "/Batch/1", "/Zip/deep/é.txt/x"])
    entries = made.get_complete().entries
    report.check("create_folder_batch", entries[0].is_success() and entries[1].is_success()
                 and entries[2].get_failure().get_path().get_conflict().is_file_ancestor())
    emulator.admin("settings", {"job_polls": 1})
    job = dbx.files_create_folder_batch(["/Batch/2"], force_async=True).get_async_job_id()
    report.check("a job in progress", dbx.files_create_folder_batch_check(job).is_in_progress())
    report.check("a job that is complete", dbx.files_create_folder_batch_check(job)
                 .get_complete().entries[0].is_success())
    emulator.admin("settings", {"job_polls": 0})
    with failing(report, "a job that is not there", exceptions.ApiError,
                 lambda e: e.error.is_invalid_async_job_id()):
        dbx.files_create_folder_batch_check("nothing")


def check_delete(report, client, emulator):
    dbx = client.dbx
    meta = dbx.files_upload(b"1", "/Del/x/1")
    with failing(report, "delete with an old parent_rev", exceptions.ApiError,
                 lambda e: e.error.get_path_write().get_conflict().is_file()):
        dbx.files_delete_v2("/Del/x/1", parent_rev="0123456789")
    report.equal("delete gives what was", dbx.files_delete_v2("/Del/x/1", parent_rev=meta.rev).metadata.id, meta.id)
    with failing(report, "delete of nothing", exceptions.ApiError,
                 lambda e: e.error.get_path_lookup().is_not_found()):
        dbx.files_delete_v2("/Del/x/1")
    dbx.files_upload(b"2", "/Del/y/2")
    job = dbx.files_delete_batch([files.DeleteArg("/Del/y"), files.DeleteArg("/Del/y/2")])
    entries = dbx.files_delete_batch_check(job.get_async_job_id()).get_complete().entries
    report.check("delete_batch", entries[0].is_success()
                 and entries[1].get_failure().get_path_lookup().is_not_found())


def check_relocation(report, client, emulator):
    dbx = client.dbx
    meta = dbx.files_upload(b"mv", "/Mv/a/file")
    dbx.files_upload(b"other", "/Mv/other")
    moved = dbx.files_move_v2("/Mv/a", "/Mv/New/b").metadata
    report.check("move of a folder", isinstance(moved, files.FolderMetadata))
    report.equal("ids stay", dbx.files_get_metadata("/mv/new/B/file").id, meta.id)
    errors = [
        ("move of nothing", ("/Mv/a", "/Mv/c"), lambda e: e.get_from_lookup().is_not_found()),
        ("move onto a file", ("/Mv/New/b/file", "/Mv/other"), lambda e: e.get_to().get_conflict().is_file()),
        ("move onto a folder", ("/Mv/other", "/Mv/New"), lambda e: e.get_to().get_conflict().is_folder()),
        ("move into itself", ("/Mv/New", "/Mv/New/b/c"), lambda e: e.is_cant_move_folder_into_itself()),
        ("case-only rename", ("/Mv/other", "/Mv/OTHER"), lambda e: e.get_to().get_conflict().is_file()),
        ("move below a file", ("/Mv/New", "/Mv/other/x"), lambda e: e.get_to().get_conflict().is_file_ancestor()),
        ("move to a refused name", ("/Mv/other", "/Mv/desktop.ini"), lambda e: e.get_to().is_disallowed_name()),
    ]
    for what, paths, test in errors:
        with failing(report, what, exceptions.ApiError, lambda e: test(e.error)):
            dbx.files_move_v2(*paths)
    report.equal("move with autorename", dbx.files_move_v2(
        "/Mv/New/b/file", "/Mv/other", autorename=True).metadata.name, "other (1)")
    copied = dbx.files_copy_v2("/Mv/other", "/Mv/copy").metadata
    report.check("copy makes another file", copied.content_hash == content_hash(b"other") and
                 copied.id != dbx.files_get_metadata("/Mv/other").id)
    pairs = [files.RelocationPath("/Mv/copy", "/Mv/moved"), files.RelocationPath("/Mv/no", "/Mv/x")]
    entries = dbx.files_move_batch_v2(pairs).get_complete().entries
    report.check("move_batch", entries[0].get_success().name == "moved" and
                 entries[1].get_failure().get_relocation_error().get_from_lookup().is_not_found())
    emulator.admin("settings", {"synchronous_batch": 0})
    job = dbx.files_copy_batch_v2([files.RelocationPath("/Mv/moved", "/Mv/again")]).get_async_job_id()
    report.check("copy_batch as a job",
                 dbx.files_copy_batch_check_v2(job).get_complete().entries[0].is_success())
    job = dbx.files_move_batch_v2([files.RelocationPath("/Mv/again", "/Mv/at last")]).get_async_job_id()
    report.check("move_batch as a job",
                 dbx.files_move_batch_check_v2(job).get_complete().entries[0].is_success())
    emulator.admin("settings", {"synchronous_batch": 99})


def check_revisions(report, client, emulator):
    dbx = client.dbx
    revs = [dbx.files_upload(b"%d" % n, "/Rev/f", mode=OVERWRITE).rev for n in range(4)]
    page = dbx.files_list_revisions("/Rev/f", limit=2)
    report.check("list_revisions", [e.rev for e in page.entries] == revs[:1:-1] and page.has_more)
    rest = dbx.files_list_revisions("/Rev/f", before_rev=revs[2])
    report.equal("before_rev", [e.rev for e in rest.entries], revs[1::-1])
    dbx.files_move_v2("/Rev/f", "/Rev/g")
    report.equal("by id across a move", len(dbx.files_list_revisions(
        "/Rev/g", mode=files.ListRevisionsMode.id).entries), 5)
    page = dbx.files_list_revisions("/Rev/f")
    report.check("of a file that is gone", page.is_deleted and page.server_deleted is not None)
    restored = dbx.files_restore("/Rev/f", revs[0])
    report.equal("restore", dbx.files_download("/Rev/f")[1].content, b"0")
    report.check("restore is a new revision", restored.rev not in revs)
    with failing(report, "restore of nothing", exceptions.ApiError, lambda e: e.error.is_invalid_revision()):
        dbx.files_restore("/Rev/f", "0123456789abcdef")


def listing(dbx, page):
    entries = list(page.entries)
    while page.has_more:
        page = dbx.files_list_folder_continue(page.cursor)
        entries += page.entries
    return entries, page.cursor


def check_listing(report, client, emulator):
    dbx = client.dbx
    for number in range(7):
        dbx.files_upload(b"%d" % number, f"/List/sub/{number}")
    page = dbx.files_list_folder("/List", recursive=True, limit=3)
    report.equal("a page is as long as asked for", len(page.entries), 3)
    entries, cursor = listing(dbx, page)
    report.equal("all pages hold everything once", sorted(e.path_lower for e in entries),
                 ["/list", "/list/sub"] + [f"/list/sub/{n}" for n in range(7)])
    report.equal("a listing of one level", [e.name for e in dbx.files_list_folder("/List").entries], ["sub"])
    dbx.files_move_v2("/List/sub", "/List/moved")
    entries, cursor = listing(dbx, dbx.files_list_folder_continue(cursor))
    report.check("a folder's move is a deletion and all that it holds",
                 isinstance(entries[0], files.DeletedMetadata) and entries[0].path_lower == "/list/sub"
                 and len(entries) == 9)
    latest = dbx.files_list_folder_get_latest_cursor("/List", recursive=True).cursor
    report.equal("get_latest_cursor", dbx.files_list_folder_continue(latest).entries, [])
    entries, _ = listing(dbx, dbx.files_list_folder("/List", recursive=True, include_deleted=True))
    report.equal("include_deleted", sum(isinstance(e, files.DeletedMetadata) for e in entries), 8)
    with failing(report, "list_folder of nothing", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_found()):
        dbx.files_list_folder("/nothing")
    with failing(report, "list_folder of a file", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_folder()):
        dbx.files_list_folder("/List/moved/1")
    second = client.make(emulator.token)
    threading.Timer(0.5, lambda: second.files_upload(b"!", "/List/late")).start()
    start = time.monotonic()
    report.check("longpoll wakes at a change", dbx.files_list_folder_longpoll(cursor, timeout=30).changes
                 and time.monotonic() - start < 5)
    emulator.admin("settings", {"longpoll_timeout_ms": 200, "longpoll_backoff_seconds": 7})
    page = dbx.files_list_folder_continue(cursor)
    poll = dbx.files_list_folder_longpoll(page.cursor, timeout=30)
    report.check("longpoll times out", not poll.changes and poll.backoff == 7)
    emulator.admin("settings", {"longpoll_timeout_ms": None, "longpoll_backoff_seconds": None})
    emulator.admin("cursors/reset", {})
    with failing(report, "continue after a reset", exceptions.ApiError, lambda e: e.error.is_reset()):
        dbx.files_list_folder_continue(cursor)
    with failing(report, "longpoll after a reset", exceptions.ApiError, lambda e: e.error.is_reset()):
        dbx.files_list_folder_longpoll(cursor)


def check_search(report, client, emulator):
    dbx = client.dbx
    for name in ("Alpha one.txt", "alpha two.txt", "beta.txt"):
        dbx.files_upload(name.encode(), "/Search/" + name)
    result = dbx.files_search_v2("ALPHA", files.SearchOptions(path="/Search", max_results=1))
    more = dbx.files_search_continue_v2(result.cursor)
    names = [m.metadata.get_metadata().name for m in result.matches + more.matches]
    report.equal("search in pages", (names, more.has_more), (["Alpha one.txt", "alpha two.txt"], False))


def check_marks(report, client, emulator):
    dbx = client.dbx
    for name in ("link", "doc.paper", "plain"):
        dbx.files_upload(name.encode(), "/Marks/" + name)
    emulator.admin("mark", {"path": "/Marks/link", "symlink_target": "../plain"})
    emulator.admin("mark", {"path": "/Marks/doc.paper", "export_as": "html", "export_options": ["markdown"]})
    emulator.admin("share", {"path": "/Marks", "namespace_id": "77", "read_only": True})
    found = {e.name: e for e in dbx.files_list_folder("/Marks").entries}
    report.equal("a symlink", found["link"].symlink_info.target, "../plain")
    report.check("a cloud document", not found["doc.paper"].is_downloadable)
    formats = found["doc.paper"].export_info
    report.equal("its formats", (formats.export_as, formats.export_options), ("html", ["markdown"]))
    report.equal("a shared folder's file", found["plain"].sharing_info.parent_shared_folder_id, "77")
    report.equal("a shared folder", dbx.files_get_metadata("/Marks").sharing_info.shared_folder_id, "77")
    with failing(report, "which is read-only", exceptions.ApiError,
                 lambda e: e.error.get_path().reason.is_no_write_permission()):
        dbx.files_upload(b"", "/Marks/new")
    with failing(report, "a document cannot be downloaded", exceptions.ApiError,
                 lambda e: e.error.is_unsupported_file()):
        dbx.files_download("/Marks/doc.paper")
    for format, name, content in ((None, "doc.html", b"html\ndoc.paper"), ("markdown", "doc.md", b"markdown\ndoc.paper")):
        result, response = dbx.files_export("/Marks/doc.paper", export_format=format)
        told = result.export_metadata
        report.equal(f"an export as {format}", response.content, content)
        report.equal("its name and size", (told.name, told.size), (name, len(content)))
        report.equal("its hash", told.export_hash, content_hash(content))
        report.equal("the document's own metadata", result.file_metadata.name, "doc.paper")
    with failing(report, "there are no other formats", exceptions.ApiError,
                 lambda e: e.error.is_invalid_export_format()):
        dbx.files_export("/Marks/doc.paper", export_format="docx")
    with failing(report, "an ordinary file is not exported", exceptions.ApiError,
                 lambda e: e.error.is_non_exportable()):
        dbx.files_export("/Marks/plain")
    with failing(report, "nothing is not exported", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_found()):
        dbx.files_export("/Marks/none")


def check_thumbnails(report, client, emulator):
    dbx = client.dbx
    for name in ("a.jpg", "b.txt"):
        dbx.files_upload(name.encode(), "/Thumbs/" + name)
    def asked(name):
        return files.ThumbnailArg("/Thumbs/" + name, format=files.ThumbnailFormat.png, size=files.ThumbnailSize.w128h128,
                                  mode=files.ThumbnailMode.bestfit)
    picture, text, absent = dbx.files_get_thumbnail_batch([asked(name) for name in ("a.jpg", "b.txt", "none.png")]).entries
    data = base64.b64decode(picture.get_success().thumbnail)
    report.equal("a thumbnail", (data[:8], data[16:20]), (b"\x89PNG\r\n\x1a\n", b"\0\0\0\x80"))
    report.equal("its file", picture.get_success().metadata.name, "a.jpg")
    report.check("no thumbnail of a text", text.get_failure().is_unsupported_extension())
    report.check("nor of what is not there", absent.get_failure().get_path().is_not_found())
    with failing(report, "thumbnails of too many", exceptions.ApiError, lambda e: e.error.is_too_many_files()):
        dbx.files_get_thumbnail_batch([asked("a.jpg")] * 26)
