// Sentences about the metadata of files and folders: the entries of listings and the results of
// most calls.

extension FieldWords {
    static let filesMetadata = """
        DeletedMetadata: An entry that was deleted: of it there are only its name and path.
            is_restorable: Whether it can still be restored; nil unless that was asked for.
        Dimensions: The size of a picture or video.
            height: The height in pixels.
            width: The width in pixels.
        ExportInfo: In which formats a document without bytes of its own can be exported.
            export_as: The format that an export takes if none is named; nil if it cannot be exported.
            export_options: All formats that an export may name.
        FileLock: The lock of a file.
            content: The holder of the lock, if there is one.
        FileLockContent: Whether a file is locked.
            unlocked: No user holds the lock.
            single_user: One user holds the lock.
        FileLockMetadata: The lock of a file, as its metadata tells it.
            is_lockholder: Whether the caller holds the lock; nil for no.
            lockholder_name: The display name of the user who holds the lock.
            lockholder_account_id: The account of the user who holds the lock.
            created: When the lock was taken.
        FileMetadata: A file, in one of its versions.
            id: The id of the file, `id:…`, which stays when it is moved or changed.
            client_modified: The time that the uploading program gave as that of the last change. No server checks it.
            server_modified: When the server got this version.
            rev: The version: it changes with the content, and can be used as `rev:…` in a path.
            size: The length of the content in bytes.
            media_info: Facts that the server has read in a picture or video; nil for other files, and in listings.
            symlink_info: The target of a symbolic link; nil if the file is none.
            sharing_info: The shared folder that the file lies in; nil if it is in none.
            is_downloadable: Whether the file has bytes that `download` brings; if not, `export` brings some.
            export_info: In which formats the file can be exported; nil unless `isDownloadable` is false.
            property_groups: Properties of the templates that were asked for.
            has_explicit_shared_members: Whether the file is shared by itself, and not by a folder; nil unless that was asked for.
            content_hash: Dropbox's hash of the content, from which equal contents can be told without a download.
            file_lock_info: The lock of the file; nil if it is not locked.
            is_restorable: Whether this version can be restored; nil unless that was asked for.
        FileSharingInfo: The sharing of a file that lies in a shared folder.
            parent_shared_folder_id: The id of the shared folder.
            modified_by: The account that made this version; nil if it no longer exists.
        FolderMetadata: A folder.
            id: The id of the folder, `id:…`, which stays when it is moved.
            shared_folder_id: The id under which the folder is shared; `sharingInfo` has it, too.
            sharing_info: The sharing of the folder; nil if neither it nor one above is shared.
            property_groups: Properties of the templates that were asked for.
        FolderSharingInfo: The sharing of a folder that is shared or lies in a shared one.
            parent_shared_folder_id: The id of the shared folder that it lies in; nil if it is in none.
            shared_folder_id: The id under which the folder itself is shared; nil if it is not.
            traverse_only: Whether the user can see only some folders in it, for want of the right to read this one.
            no_access: Whether the user cannot read the folder at all.
        GpsCoordinates: A place on the earth.
            latitude: Degrees to the north of the equator.
            longitude: Degrees to the east of Greenwich.
        MediaInfo: Facts that the server has read in a picture or video.
            pending: The server has not read the file yet.
            metadata: Facts of the file.
        MediaMetadata: Facts of a picture or a video.
            dimensions: The size in pixels; nil if it is not known.
            location: Where it was taken; nil if the file does not say.
            time_taken: When it was taken; nil if the file does not say.
        Metadata: A file, a folder, or the memory of one that was deleted.
            name: The last component of the path, in the case in which it was written.
            path_lower: The whole path in lower case, to compare paths by; nil if the entry is not in the caller's tree.
            path_display: The whole path to be shown; only the case of its last component is sure. Nil if the entry is not in the caller's tree.
            parent_shared_folder_id: The id of the shared folder that the entry lies in; `sharingInfo` has it, too.
            preview_url: An address at which the file can be looked at in a browser.
        MetadataV2: A result of a search: an entry of the account, or something that this version does not know.
            metadata: A file, a folder or a deleted entry.
        PhotoMetadata: Facts of a picture.
        SharingInfo: The user's rights in a shared entry.
            read_only: Whether the user can read the entry but not change it.
        SingleUserLock: A lock that one user holds.
            created: When the lock was taken.
            lock_holder_account_id: The account of the user.
            lock_holder_team_id: The team of the user; nil if there is none.
        SymlinkInfo: A symbolic link, which Dropbox keeps as a file without content.
            target: The path that the link names, as it was written.
        VideoMetadata: Facts of a video.
            duration: The length in milliseconds; nil if it is not known.
        """
}
