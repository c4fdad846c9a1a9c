// Sentences about what changes entries of `files`: uploads in one request, creation, deletion,
// restoration, locks, copies and moves.

extension FieldWords {
    static let filesWriting = """
        cases:
            path_lookup: The entry cannot be found or used; the payload says why.
            path_write: The entry must not be changed; the payload says why.
            too_many_write_operations: Too many changes of the same shared folder or account at once: the call may be repeated after a pause.
            complete: All is done, and this is the result.
            failed: Nothing or not all was done; the payload says why.
            payload_too_large: The request has more bytes than the server takes in one, 150 MiB.
            content_hash_mismatch: The bytes are not those of `contentHash`: they were damaged on their way.
            encryption_not_supported: The folder wants files that are encrypted by the client, which this API cannot do.
            properties_error: The properties of the file cannot be used.
        fields:
            content_hash: The hash of the bytes in this request: the server refuses others. Nil does without the comparison.
            force_async: Whether it becomes a job in any case, also if it is little.
        CommitInfo: How an uploaded content becomes a file.
            path: The path of the file, or the `id:…` of the one to replace.
            mode: The treatment of a file that is there already.
            autorename: Whether the file gets another name where the server would report a conflict.
            client_modified: The time of the last change that the metadata will have; nil takes that of the server. Seconds only.
            mute: Whether the user's other devices do without a notification about this file.
            property_groups: Properties to give to the file; nil for none.
            strict_conflict: Whether it is a conflict also that a file of the same content is there, or that the file of `update` is deleted.
        CreateFolderArg: The argument of `createFolderV2`.
            path: The path of the new folder.
            autorename: Whether the folder gets another name if there is an entry of this one.
        CreateFolderBatchArg: The argument of `createFolderBatch`.
            paths: The paths of the new folders; one that comes twice counts once.
            autorename: Whether folders get other names if there are entries of theirs.
        CreateFolderBatchError: Reasons for which `createFolderBatch` fails as a whole.
            too_many_files: More folders than the server creates at once.
        CreateFolderBatchJobStatus: The state of a job that creates folders.
        CreateFolderBatchLaunch: The result of `createFolderBatch`: the folders, or the id of a job.
        CreateFolderBatchResult: The result of the creation of many folders.
            entries: A result for each folder, in the order of the request.
        CreateFolderBatchResultEntry: The result for one folder of many.
        CreateFolderEntryError: Why one folder of many was not created.
            path: The folder cannot be at this path; the payload says why.
        CreateFolderEntryResult: A folder that was created together with others.
            metadata: The metadata of the new folder.
        CreateFolderError: Reasons for which `createFolderV2` fails.
            path: The folder cannot be at this path; the payload says why.
        CreateFolderResult: The result of `createFolderV2`.
            metadata: The metadata of the new folder.
        DeleteArg: An entry to delete.
            path: The path or `id:…` of the file or folder.
            parent_rev: The version that the file must have, or else it stays; nil for any. Not for folders.
        DeleteBatchArg: The argument of `deleteBatch`.
            entries: The entries to delete.
        DeleteBatchError: Reasons for which a deletion of many entries fails as a whole.
        DeleteBatchJobStatus: The state of a job that deletes entries.
        DeleteBatchLaunch: The result of `deleteBatch`: the deletions, or the id of a job.
        DeleteBatchResult: The result of the deletion of many entries.
            entries: A result for each entry, in the order of the request.
        DeleteBatchResultData: An entry that was deleted together with others.
            metadata: The metadata that the entry had before.
        DeleteBatchResultEntry: The result for one entry of many.
        DeleteError: Reasons for which an entry is not deleted.
            too_many_files: The folder has more files than the server deletes at once.
        DeleteResult: The result of `deleteV2`.
            metadata: The metadata that the entry had before.
        FileOpsResult: A result without fields of its own, from which others inherit.
        LockConflictError: The lock that is in the way.
            lock: The present lock of the file.
        LockFileArg: A file to lock.
            path: The path or `id:…` of the file.
        LockFileBatchArg: The argument of `lockFileBatch`.
            entries: The files to lock; each only once.
        LockFileBatchResult: The result of `lockFileBatch`.
            entries: A result for each file, in the order of the request.
        LockFileError: Why a file was not locked.
            no_write_permission: The user may not change the file.
            cannot_be_locked: Files of this kind have no locks.
            file_not_shared: The file is not in a folder that others can see.
            lock_conflict: Another user holds the lock.
        LockFileResult: A file that was locked.
            metadata: The metadata of the file.
            lock: The new lock of the file.
        LockFileResultEntry: The result for one file of `lockFileBatch`.
        RestoreArg: The argument of `restore`.
            path: The path at which the version appears.
            rev: The version to restore, one of `listRevisions`.
        RestoreError: Reasons for which `restore` fails.
            invalid_revision: The version is not one of the file, or the file has no versions any longer.
            in_progress: Another restoration of the path is still running.
        SaveUrlArg: The argument of `saveURL`.
            path: The path of the new file.
            url: The address to fetch; the server must be able to reach it.
        SaveUrlError: Reasons for which a file was not fetched from the web.
            path: The file cannot be at this path; the payload says why.
            download_failed: The server could not read the address, or it took too long.
            invalid_url: The text is no address of the web.
            not_found: There is nothing at the address.
        SaveUrlJobStatus: The state of a job that fetches a file from the web.
        SaveUrlResult: The result of `saveURL`: the file, or the id of a job.
        UploadArg: The argument of `upload`.
            content_hash: The hash of the content: the server refuses bytes with another one. Nil does without the comparison.
        UploadError: Reasons for which `upload` fails.
            path: The content has come and cannot be a file at this path; the payload has a session with it.
        UploadWriteFailed: An upload that has come and did not become a file.
            reason: Why the file cannot be at this path.
            upload_session_id: A session that has the content: `uploadSessionFinish` can try again without sending it.
        WriteConflictError: The entry that is in the way at a path.
            file: There is a file.
            folder: There is a folder.
            file_ancestor: One of the folders of the path is a file.
        WriteError: Why nothing can be written at a path.
            malformed_path: The text is no path that the server takes; the payload may say why.
            conflict: Something is in the way.
            no_write_permission: The user may not write there.
            insufficient_space: The account, or the team, has not enough space left.
            disallowed_name: The server does not take an entry of this name.
            team_folder: Team folders can be neither moved nor deleted by this call.
            operation_suppressed: The server does not allow this change at this path.
            access_restricted: An administrator of the team has forbidden it.
        WriteMode: The treatment of a file that is at the path of a new one.
            add: It stays, and the new one is a conflict, except with the same content.
            overwrite: It is replaced, in any version.
            update: It is replaced if its version is this one; another one is a conflict.
        """

    static let filesMoving = """
        GetCopyReferenceArg: The argument of `copyReferenceGet`.
            path: The path or `id:…` of the file or folder to refer to.
        GetCopyReferenceError: Reasons for which `copyReferenceGet` fails.
        GetCopyReferenceResult: The result of `copyReferenceGet`.
            metadata: The metadata of the entry.
            copy_reference: The reference, for `copyReferenceSave`.
            expires: Until when the reference can be used; so far away that it does not matter.
        GetTemporaryUploadLinkArg: The argument of `getTemporaryUploadLink`.
            commit_info: How the content that is sent to the address becomes a file.
            duration: Seconds for which the address is good.
        GetTemporaryUploadLinkResult: The result of `getTemporaryUploadLink`.
            link: The address, to which one POST may send the content.
        MoveBatchArg: The argument of `moveBatchV2`.
            allow_ownership_transfer: Whether the entries may belong to another account afterwards, such as that of the folder that they get into.
        MoveIntoFamilyError: Why an entry cannot get into the folder of a family.
            is_shared_folder: The entry is a shared folder.
        MoveIntoVaultError: Why an entry cannot get into the vault.
            is_shared_folder: The entry is a shared folder.
        RelocationArg: The argument of `copyV2` and `moveV2`.
            allow_shared_folder: Has no effect.
            autorename: Whether the entry gets another name if there is one of this name at the new path.
            allow_ownership_transfer: Whether the entry may belong to another account afterwards, such as that of the folder that it gets into. Not for copies.
        RelocationBatchArgBase: The argument of `copyBatchV2`, and a part of that of `moveBatchV2`.
            entries: The entries, each with its old and its new path.
            autorename: Whether entries get other names if there are entries of theirs at the new paths.
        RelocationBatchErrorEntry: Why one entry of many was neither copied nor moved.
            relocation_error: The entry itself is the reason.
        RelocationBatchResultEntry: The result for one entry of many.
            success: The entry is at its new path, with this metadata.
            failure: The entry is where it was.
        RelocationBatchV2JobStatus: The state of a job that copies or moves entries.
        RelocationBatchV2Launch: The result of `copyBatchV2` and `moveBatchV2`: one for each entry, or the id of a job.
        RelocationBatchV2Result: The result of copying or moving many entries.
            entries: A result for each entry, in the order of the request.
        RelocationError: Why an entry is neither copied nor moved.
            from_lookup: The old path leads to nothing that can be used; the payload says why.
            from_write: The entry must not go from its old path; the payload says why.
            to: The entry cannot be at the new path; the payload says why.
            cant_copy_shared_folder: Shared folders cannot be copied.
            cant_nest_shared_folder: A shared folder would get into another one.
            cant_move_folder_into_itself: The new path is below the old one.
            too_many_files: More files than the server takes at once, about 10,000.
            duplicated_or_nested_paths: A path comes twice, or is below another one of the request.
            cant_transfer_ownership: The entry would belong to another account, which `allowOwnershipTransfer` does not permit.
            insufficient_quota: The account has not enough space left.
            cant_move_shared_folder: The shared folder cannot be moved to that place.
            cant_move_into_vault: The entry cannot get into the vault; the payload says why.
            cant_move_into_family: The entry cannot get into the folder of the family; the payload says why.
        RelocationPath: An entry, and the path that it gets.
            from_path: The present path or `id:…` of the entry.
            to_path: The new path, with the entry's name.
        RelocationResult: The result of `copyV2` and `moveV2`.
            metadata: The metadata at the new path.
        SaveCopyReferenceArg: The argument of `copyReferenceSave`.
            copy_reference: The reference that `copyReferenceGet` made, for any account.
            path: The path of the copy.
        SaveCopyReferenceError: Reasons for which `copyReferenceSave` fails.
            path: The copy cannot be at this path; the payload says why.
            invalid_copy_reference: The text is no reference, or one that has expired.
            no_permission: The user may not use the reference.
            not_found: The entry of the reference has gone.
        SaveCopyReferenceResult: The result of `copyReferenceSave`.
            metadata: The metadata of the copy.
        """
}
