"""shared links and folders"""

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


def check_folders(report, client, emulator):
    dbx = client.dbx
    for number in (1, 2, 3):
        dbx.files_upload(b"shared", f"/Team {number}/A file.txt")
        emulator.admin("share", {"path": f"/Team {number}", "namespace_id": f"9000{number}", "read_only": number == 2,
                                 "owner": "Ada", "mounted": number == 1})
    first = dbx.sharing_list_mountable_folders(limit=2, actions=[sharing.FolderAction.unmount])
    rest = dbx.sharing_list_mountable_folders_continue(first.cursor)
    # Other checks share folders, too.
    folders = [folder for folder in first.entries + rest.entries if folder.name.startswith("Team ")]
    report.equal("shared folders in pages", ([folder.name for folder in folders], rest.cursor),
                 (["Team 1", "Team 2", "Team 3"], None))
    report.equal("their paths", [folder.path_lower for folder in folders], ["/team 1", None, None])
    report.check("what the account may do in them", folders[0].access_type.is_editor() and
                 folders[1].access_type.is_viewer() and folders[0].permissions[0].allow)
    with failing(report, "a cursor of folders that is none", exceptions.ApiError, lambda e: e.error.is_invalid_cursor()):
        dbx.sharing_list_mountable_folders_continue("nothing")
    dbx.files_create_folder_v2("/team 2")
    mounted = dbx.sharing_mount_folder("90002")
    report.equal("a folder whose name is taken", mounted.path_display, "/Team 2 (1)")
    report.equal("its content", dbx.files_download("/team 2 (1)/a file.txt")[1].content, b"shared")
    with failing(report, "a folder is mounted once", exceptions.ApiError, lambda e: e.error.is_already_mounted()):
        dbx.sharing_mount_folder("90002")
    with failing(report, "a folder that there is not", exceptions.ApiError,
                 lambda e: e.error.get_access_error().is_invalid_id()):
        dbx.sharing_mount_folder("1")
    dbx.files_create_folder_v2("/Team 1/inner")
    emulator.admin("share", {"path": "/Team 1/inner", "namespace_id": "90004"})
    with failing(report, "a folder in a shared folder", exceptions.ApiError, lambda e: e.error.is_not_mountable()):
        dbx.sharing_mount_folder("90004")
    with failing(report, "which cannot be left", exceptions.ApiError, lambda e: e.error.is_not_unmountable()):
        dbx.sharing_unmount_folder("90004")
    emulator.admin("quota", {"bytes": 1})
    with failing(report, "a folder that is too large", exceptions.ApiError,
                 lambda e: e.error.get_insufficient_quota().space_needed == 6):
        dbx.sharing_mount_folder("90003")
    emulator.admin("quota", {"bytes": 2 << 40})
    dbx.sharing_unmount_folder("90002")
    with failing(report, "a folder is unmounted once", exceptions.ApiError,
                 lambda e: e.error.get_access_error().is_unmounted()):
        dbx.sharing_unmount_folder("90002")
    with failing(report, "its path is free", exceptions.ApiError, lambda e: e.error.get_path().is_not_found()):
        dbx.files_get_metadata("/Team 2 (1)")


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
