// The most used routes, each in a sentence of our own: the specification's texts are not ours to
// commit. Not responsible for scopes, limits and errors: those are facts of the specification.

import Stone

extension Route {
    /// The route's work in a sentence; nil if none is written.
    var words: String? { Self.words[path] }

    /// The sentences by path.
    static let words: [String: String] = [
        "auth/token/revoke":
            "Ends the login: the access token, and the refresh token it came of, are worth nothing afterwards.",
        "check/app":
            "Sends a text and gets it back, to see whether the app's key and secret are right.",
        "check/user": "Sends a text and gets it back, to see whether the token is right.",
        "file_requests/count": "How many file requests the account has, open and closed.",
        "file_requests/create":
            "Makes a file request: anybody with its address can upload files into a folder of the account, and see none of them.",
        "file_requests/delete":
            "Deletes file requests, which must be closed; the files that came by them stay.",
        "file_requests/delete_all_closed":
            "Deletes all file requests that are closed; the files that came by them stay.",
        "file_requests/get":
            "Title, folder, deadline and address of a file request, and how many files came by it.",
        "file_requests/list/continue": "The next page of the file requests.",
        "file_requests/list_v2": "Lists the file requests of the account.",
        "file_requests/update":
            "Changes title, folder or deadline of a file request, or closes and opens it.",
        "files/copy_batch/check_v2":
            "Asks whether a copy of many entries has ended; `copyJob` waits for that.",
        "files/copy_batch_v2":
            "Copies many entries, all or none, as a job; `copyJob` waits for it.",
        "files/copy_reference/get":
            "Makes a reference by which any account can copy the entry to itself, without a download.",
        "files/copy_reference/save":
            "Copies the entry of a reference, which may be another account's, to a path.",
        "files/copy_v2": "Copies a file, or a folder with all that is in it.",
        "files/create_folder_batch":
            "Creates many folders, maybe as a job; `createFolderJob` waits for it.",
        "files/create_folder_batch/check":
            "Asks whether the creation of many folders has ended; `createFolderJob` waits for that.",
        "files/create_folder_v2":
            "Creates a folder, and those above it that are missing. One that exists is a conflict, unless `autorename` gives the new one another name.",
        "files/delete_batch": "Deletes many entries as a job; `deleteJob` waits for it.",
        "files/delete_batch/check":
            "Asks whether a deletion of many entries has ended; `deleteJob` waits for that.",
        "files/delete_v2":
            "Deletes a file, or a folder with all that is in it. It can be restored for some weeks. With `parentRev` a file is deleted only in that revision.",
        "files/download":
            "Downloads a file, or a range of it. `rev:` and a revision as path is an older version; `download(_:to:)` brings a file of any size to the disk.",
        "files/download_zip": "Downloads a folder as a zip archive, if it is not too large.",
        "files/export":
            "Downloads a document that has no bytes of its own, such as one of Google Docs, in a format of Microsoft's or another one.",
        "files/get_metadata":
            "Tells what is at a path, id or revision: name, size, times, revision and hash. It fails for the root.",
        "files/get_preview": "Downloads a document as PDF or HTML, to be shown.",
        "files/get_temporary_link":
            "Makes an address from which anybody can download the file for four hours, without a token.",
        "files/get_temporary_upload_link":
            "Makes an address to which a file can be uploaded once, by a POST without a token.",
        "files/get_thumbnail_batch": "Makes small pictures of up to 25 files in one request.",
        "files/get_thumbnail_v2": "Downloads a small picture of a picture or video.",
        "files/list_folder":
            "Lists a folder, or with `recursive` all below it. Further pages, and later all changes, come by `listFolderContinue` and the cursor; `entries(of:)` is all pages at once. The root is the empty path.",
        "files/list_folder/continue":
            "The next page of a listing, or the changes since its end: the cursor says from where.",
        "files/list_folder/get_latest_cursor":
            "A cursor for changes from now on, without a listing.",
        "files/list_folder/longpoll":
            "Waits until something changes behind a cursor, or until the timeout, of 30 to 480 seconds. `changes(since:)` does it again and again.",
        "files/list_revisions": "Lists the versions of a file, newest first.",
        "files/lock_file_batch": "Locks files of a team, so that other members cannot change them.",
        "files/move_batch/check_v2":
            "Asks whether a move of many entries has ended; `moveJob` waits for that.",
        "files/move_batch_v2": "Moves many entries, all or none, as a job; `moveJob` waits for it.",
        "files/move_v2": "Moves or renames a file, or a folder with all that is in it.",
        "files/permanently_delete":
            "Deletes an entry so that no user can restore it. Only for teams.",
        "files/restore":
            "Makes an older version of a file the present one, also of a deleted file.",
        "files/save_url":
            "Lets the server fetch a file from the web, as a job; `saveURLJob` waits for it.",
        "files/save_url/check_job_status":
            "Asks whether the server has fetched a file from the web; `saveURLJob` waits for that.",
        "files/search/continue_v2": "The next page of a search.",
        "files/search_v2": "Finds files and folders by words in their names or contents.",
        "files/upload":
            "Uploads a file of up to 150 MiB in one request. `upload(file:to:)` takes any size, `upload(files:)` many files. Which file may be replaced is said by `mode`: none, any, or one of a known revision.",
        "files/upload_session/append_batch":
            "Sends pieces of several upload sessions in one request.",
        "files/upload_session/append_v2":
            "Sends the next piece of an upload session, at the offset of its cursor.",
        "files/upload_session/finish":
            "Makes the content of an upload session a file. Nothing of it is visible before.",
        "files/upload_session/finish_batch_v2":
            "Makes the contents of up to 1,000 upload sessions files.",
        "files/upload_session/start":
            "Begins the upload of a file in pieces. A session that is not finished expires after some days.",
        "files/upload_session/start_batch": "Begins up to 1,000 upload sessions.",
        "sharing/add_file_member": "Shares a file with people, by account or e-mail address.",
        "sharing/add_folder_member":
            "Adds people or groups to a shared folder, by account or e-mail address.",
        "sharing/check_job_status":
            "Asks whether a job of shared folders has ended; `unshareFolderJob` and others wait for that.",
        "sharing/check_remove_member_job_status":
            "Asks whether a member has been taken out of a folder; `removeFolderMemberJob` waits for that.",
        "sharing/check_share_job_status":
            "Asks whether a folder has become a shared one; `shareFolderJob` waits for that.",
        "sharing/create_shared_link_with_settings":
            "Makes a link to a file or folder, with password, expiry and audience if wanted. If there is one already, that is an error which may carry it.",
        "sharing/get_folder_metadata": "Name, policy, access and path of a shared folder.",
        "sharing/get_shared_link_file":
            "Downloads the file of a link, or a file in the folder of a link.",
        "sharing/get_shared_link_metadata": "Tells what a link leads to.",
        "sharing/list_file_members": "Lists users, groups and invited people of a shared file.",
        "sharing/list_folder_members": "Lists users, groups and invited people of a shared folder.",
        "sharing/list_folders": "Lists the shared folders of the account.",
        "sharing/list_mountable_folders":
            "Lists the shared folders that the account may mount, those that it has mounted among them.",
        "sharing/list_received_files": "Lists the files that others have shared with the account.",
        "sharing/list_shared_links":
            "Lists the links to an entry, to all below a folder, or of the account.",
        "sharing/modify_shared_link_settings": "Changes password, expiry or audience of a link.",
        "sharing/mount_folder": "Puts a shared folder into the account's own tree.",
        "sharing/relinquish_folder_membership":
            "Gives up the caller's own membership of a shared folder, perhaps as a job; `relinquishFolderMembershipJob` waits for it.",
        "sharing/remove_file_member_2": "Takes a member out of a shared file.",
        "sharing/remove_folder_member":
            "Takes a member out of a shared folder, as a job; `removeFolderMemberJob` waits for it.",
        "sharing/revoke_shared_link": "Ends a link: no visitor can follow it any more.",
        "sharing/share_folder":
            "Makes a folder a shared one, perhaps as a job; `shareFolderJob` waits for it.",
        "sharing/transfer_folder": "Makes another member the owner of a shared folder.",
        "sharing/unmount_folder":
            "Takes a shared folder out of the account's own tree; it can be mounted again.",
        "sharing/unshare_folder":
            "Ends the sharing of a folder, perhaps as a job; `unshareFolderJob` waits for it.",
        "sharing/update_folder_member": "Changes what a member of a shared folder may do.",
        "sharing/update_folder_policy": "Changes who may join, see or manage a shared folder.",
        "team/get_info": "Name, licences and policies of the team that the token is for.",
        "team/members/add/job_status/get_v2":
            "Asks whether members have been added; `membersAddJob` waits for that.",
        "team/members/add_v2":
            "Adds members to the team, maybe as a job; `membersAddJob` waits for it.",
        "team/members/get_info_v2": "The members of these ids, e-mail addresses or external ids.",
        "team/members/list/continue_v2": "The next page of the team's members.",
        "team/members/list_v2": "Lists the members of the team.",
        "team/members/move_former_member_files":
            "Moves the files of a former member to a member, as a job; `membersMoveFormerMemberFilesJob` waits for it.",
        "team/members/recover": "Brings a removed member back, as long as the account is kept.",
        "team/members/remove":
            "Removes a member from the team, as a job; `membersRemoveJob` waits for it.",
        "team/members/remove/job_status/get":
            "Asks whether a member has been removed; `membersRemoveJob` waits for that.",
        "team/members/set_admin_permissions_v2": "Changes the roles of a member.",
        "team/members/set_profile_v2": "Changes name, e-mail address or external id of a member.",
        "team/members/suspend": "Suspends a member: the account stays, and cannot be used.",
        "team/members/unsuspend": "Ends the suspension of a member.",
        "team/token/get_authenticated_admin":
            "The administrator who gave the app the team's token.",
        "users/get_account":
            "Name, e-mail address and picture of an account, as far as the caller may see them.",
        "users/get_account_batch": "The same of up to 300 accounts.",
        "users/get_current_account": "The account that the token is for, with its root namespace.",
        "users/get_space_usage": "How much the account, or its team, has stored and may store.",
    ]
}

extension Specification {
    /// The route that takes the place of a deprecated one, where the specification names none: its
    /// newest version.
    func newestVersion(of route: Route) -> Route? {
        namespaces.flatMap(\.routes)
            .filter {
                $0.namespace == route.namespace && $0.name == route.name
                    && $0.version > route.version && !$0.isDeprecated
            }
            .max { $0.version < $1.version }
    }
}
