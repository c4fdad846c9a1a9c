// The routes of the files namespace that work on folders, metadata and whole entries.
// https://www.dropbox.com/developers/documentation/http/documentation#files

extension Files {
    private static let reading = "files.metadata.read"
    private static let writing = "files.content.write"

    /// Starts listing a folder. Scope `files.metadata.read`.
    public static var listFolder: Route<ListFolderArg, ListFolderResult, ListFolderError> {
        .init("files/list_folder", scope: reading, retryAfterSend: true)
    }

    /// Gives the next page or the changes since. Scope `files.metadata.read`.
    public static var listFolderContinue:
        Route<ListFolderContinueArg, ListFolderResult, ListFolderContinueError>
    {
        .init("files/list_folder/continue", scope: reading, retryAfterSend: true)
    }

    /// Gives the position after everything that exists. Scope `files.metadata.read`.
    public static var listFolderGetLatestCursor:
        Route<ListFolderArg, ListFolderGetLatestCursorResult, ListFolderError>
    {
        .init("files/list_folder/get_latest_cursor", scope: reading, retryAfterSend: true)
    }

    /// Waits for changes, for up to 570 seconds. Needs no token.
    public static var listFolderLongpoll:
        Route<ListFolderLongpollArg, ListFolderLongpollResult, ListFolderLongpollError>
    {
        .init(
            "files/list_folder/longpoll", host: .notify, authentication: .none, scope: reading,
            retryAfterSend: true)
    }

    /// Describes one entry, but not the root. Scope `files.metadata.read`.
    public static var getMetadata: Route<GetMetadataArg, Metadata, GetMetadataError> {
        .init("files/get_metadata", scope: reading, retryAfterSend: true)
    }

    /// Lists old revisions. Scope `files.metadata.read`.
    public static var listRevisions:
        Route<ListRevisionsArg, ListRevisionsResult, ListRevisionsError>
    {
        .init("files/list_revisions", scope: reading, retryAfterSend: true)
    }

    /// Makes an old revision current. Scope `files.content.write`.
    public static var restore: Route<RestoreArg, FileMetadata, RestoreError> {
        .init("files/restore", scope: writing, retryAfterSend: false)
    }

    /// Makes a link to content that works for four hours. Scope `files.content.read`.
    public static var getTemporaryLink:
        Route<GetTemporaryLinkArg, GetTemporaryLinkResult, GetTemporaryLinkError>
    {
        .init("files/get_temporary_link", scope: "files.content.read", retryAfterSend: true)
    }

    /// Creates a folder. Scope `files.content.write`.
    public static var createFolder: Route<CreateFolderArg, CreateFolderResult, CreateFolderError> {
        .init("files/create_folder_v2", scope: writing, retryAfterSend: false)
    }

    /// Creates up to 10,000 folders. Scope `files.content.write`.
    public static var createFolderBatch:
        Route<CreateFolderBatchArg, CreateFolderBatchLaunch, NoError>
    {
        .init("files/create_folder_batch", scope: writing, retryAfterSend: false)
    }

    /// Asks about a job of `createFolderBatch`. Scope `files.content.write`.
    public static var createFolderBatchCheck:
        Route<Async.PollArg, CreateFolderBatchJobStatus, Async.PollError>
    {
        .init("files/create_folder_batch/check", scope: writing, retryAfterSend: true)
    }

    /// Deletes an entry and everything in it. Scope `files.content.write`.
    public static var delete: Route<DeleteArg, DeleteResult, DeleteError> {
        .init("files/delete_v2", scope: writing, retryAfterSend: false)
    }

    /// Deletes up to 1,000 entries. Scope `files.content.write`.
    public static var deleteBatch: Route<DeleteBatchArg, DeleteBatchLaunch, NoError> {
        .init("files/delete_batch", scope: writing, retryAfterSend: false)
    }

    /// Asks about a job of `deleteBatch`. Scope `files.content.write`.
    public static var deleteBatchCheck: Route<Async.PollArg, DeleteBatchJobStatus, Async.PollError>
    {
        .init("files/delete_batch/check", scope: writing, retryAfterSend: true)
    }

    /// Moves an entry; the case of a name alone cannot be changed. Scope `files.content.write`.
    public static var move: Route<RelocationArg, RelocationResult, RelocationError> {
        .init("files/move_v2", scope: writing, retryAfterSend: false)
    }

    /// Moves up to 1,000 entries. Scope `files.content.write`.
    public static var moveBatch: Route<MoveBatchArg, RelocationBatchV2Launch, NoError> {
        .init("files/move_batch_v2", scope: writing, retryAfterSend: false)
    }

    /// Asks about a job of `moveBatch`. Scope `files.content.write`.
    public static var moveBatchCheck:
        Route<Async.PollArg, RelocationBatchV2JobStatus, Async.PollError>
    {
        .init("files/move_batch/check_v2", scope: writing, retryAfterSend: true)
    }

    /// Copies an entry. Scope `files.content.write`.
    public static var copy: Route<RelocationArg, RelocationResult, RelocationError> {
        .init("files/copy_v2", scope: writing, retryAfterSend: false)
    }

    /// Copies up to 1,000 entries. Scope `files.content.write`.
    public static var copyBatch: Route<CopyBatchArg, RelocationBatchV2Launch, NoError> {
        .init("files/copy_batch_v2", scope: writing, retryAfterSend: false)
    }

    /// Asks about a job of `copyBatch`. Scope `files.content.write`.
    public static var copyBatchCheck:
        Route<Async.PollArg, RelocationBatchV2JobStatus, Async.PollError>
    {
        .init("files/copy_batch/check_v2", scope: writing, retryAfterSend: true)
    }
}
