// The routes of the files namespace that move content: download, upload and upload sessions.
// https://www.dropbox.com/developers/documentation/http/documentation#files-upload_session-start

extension Files {
    private static let writing = "files.content.write"

    /// Reads a file's content. Scope `files.content.read`.
    public static var download: Route<DownloadArg, FileMetadata, DownloadError> {
        .init(
            "files/download", host: .content, style: .download, scope: "files.content.read",
            retryAfterSend: true)
    }

    /// Reads everything below a folder as a zip archive: at most 20 GB in fewer than 10,000 entries.
    /// `ZipReader` takes it apart as it comes. Scope `files.content.read`.
    public static var downloadZip: Route<DownloadZipArg, DownloadZipResult, DownloadZipError> {
        .init(
            "files/download_zip", host: .content, style: .download, scope: "files.content.read",
            retryAfterSend: true)
    }

    /// Writes a file of at most 150 MiB. Scope `files.content.write`.
    public static var upload: Route<UploadArg, FileMetadata, UploadError> {
        .init(
            "files/upload", host: .content, style: .upload, scope: writing, retryAfterSend: false)
    }

    /// Starts a session. Scope `files.content.write`.
    ///
    /// Sending it twice leaves a session that nobody uses and that expires by itself.
    public static var uploadSessionStart:
        Route<UploadSessionStartArg, UploadSessionStartResult, UploadSessionStartError>
    {
        .init(
            "files/upload_session/start", host: .content, style: .upload, scope: writing,
            retryAfterSend: true)
    }

    /// Starts up to 1,000 sessions. Scope `files.content.write`.
    ///
    /// Sending it twice leaves sessions that nobody uses and that expire by themselves.
    public static var uploadSessionStartBatch:
        Route<UploadSessionStartBatchArg, UploadSessionStartBatchResult, NoError>
    {
        .init("files/upload_session/start_batch", scope: writing, retryAfterSend: true)
    }

    /// Appends to a session. Scope `files.content.write`.
    ///
    /// Sending it twice appends once: the second request is told the `correct_offset`.
    public static var uploadSessionAppend:
        Route<UploadSessionAppendArg, Empty, UploadSessionAppendError>
    {
        .init(
            "files/upload_session/append_v2", host: .content, style: .upload, scope: writing,
            retryAfterSend: true)
    }

    /// Appends the pieces of one body to several sessions. Scope `files.content.write`.
    ///
    /// Sending it twice appends once: the second request is told the offsets, entry by entry.
    public static var uploadSessionAppendBatch:
        Route<
            UploadSessionAppendBatchArg, UploadSessionAppendBatchResult,
            UploadSessionAppendBatchError
        >
    {
        .init(
            "files/upload_session/append_batch", host: .content, style: .upload, scope: writing,
            retryAfterSend: true)
    }

    /// Turns a session into a file. Scope `files.content.write`.
    public static var uploadSessionFinish:
        Route<UploadSessionFinishArg, FileMetadata, UploadSessionFinishError>
    {
        .init(
            "files/upload_session/finish", host: .content, style: .upload, scope: writing,
            retryAfterSend: false)
    }

    /// Turns up to 1,000 closed sessions into files, one by one. Scope `files.content.write`.
    public static var uploadSessionFinishBatch:
        Route<UploadSessionFinishBatchArg, UploadSessionFinishBatchResult, NoError>
    {
        .init("files/upload_session/finish_batch_v2", scope: writing, retryAfterSend: false)
    }
}
