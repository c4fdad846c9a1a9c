"""shared links"""

from dropbox import exceptions, sharing
from sdk_client import failing


def urls(page):
    return [link.url for link in page.links]


def check_links(report, client, emulator):
    dbx = client.dbx
    dbx.files_upload(b"shared", "/Links/Folder/A file.txt")
    file = dbx.sharing_create_shared_link_with_settings("/links/folder/a file.txt")
    report.check("a link to a file", isinstance(file, sharing.FileLinkMetadata) and file.size == 6)
    report.check("its URL has the file's name", file.url.startswith("https://www.dropbox.com/scl/fi")
                 and file.url.endswith("/A%20file.txt?dl=0"), file.url)
    folder = dbx.sharing_create_shared_link_with_settings(
        "/Links/Folder", sharing.SharedLinkSettings(access=sharing.RequestedLinkAccessLevel.viewer))
    report.check("a link to a folder", isinstance(folder, sharing.FolderLinkMetadata))
    with failing(report, "an entry has one link", exceptions.ApiError,
                 lambda e: e.error.is_shared_link_already_exists()):
        dbx.sharing_create_shared_link_with_settings(file.id)
    with failing(report, "a link to nothing", exceptions.ApiError, lambda e: e.error.get_path().is_not_found()):
        dbx.sharing_create_shared_link_with_settings("/Links/nothing")
    both = dbx.sharing_list_shared_links("/Links/Folder/A file.txt")
    report.equal("links that lead to a file", urls(both), [file.url, folder.url])
    direct = dbx.sharing_list_shared_links("/Links/Folder/A file.txt", direct_only=True)
    report.equal("links to a file itself", urls(direct), [file.url])
    dbx.files_move_v2("/Links/Folder/A file.txt", "/Links/B")
    moved = dbx.sharing_list_shared_links("/Links/B").links[0]
    report.check("a link follows a move", moved.path_lower == "/links/b" and moved.id == file.id)
    with failing(report, "links to nothing", exceptions.ApiError, lambda e: e.error.get_path().is_not_found()):
        dbx.sharing_list_shared_links("/Links/nothing")
    dbx.sharing_revoke_shared_link(moved.url)
    report.equal("a link that is revoked is not listed", urls(dbx.sharing_list_shared_links("/Links/B")), [])
    with failing(report, "a link is revoked once", exceptions.ApiError,
                 lambda e: e.error.is_shared_link_not_found()):
        dbx.sharing_revoke_shared_link(moved.url)
    dbx.files_delete_v2("/Links")
    report.equal("a link ends with its entry", dbx.sharing_list_shared_links().links, [])


def check_pages(report, client, emulator):
    dbx = client.dbx
    paths = [f"/Many links/{number}" for number in range(201)]
    dbx.files_create_folder_batch(paths, force_async=True)
    made = {dbx.sharing_create_shared_link_with_settings(path).url for path in paths}
    first = dbx.sharing_list_shared_links()
    rest = dbx.sharing_list_shared_links(cursor=first.cursor)
    report.equal("links in pages", (len(first.links), first.has_more, len(rest.links), rest.has_more),
                 (200, True, 1, False))
    report.equal("which have every link once", set(urls(first) + urls(rest)), made)
    with failing(report, "a cursor of links that is none", exceptions.ApiError, lambda e: e.error.is_reset()):
        dbx.sharing_list_shared_links(cursor="nothing")
