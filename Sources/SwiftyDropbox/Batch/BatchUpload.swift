// Many files in one upload: each goes up in a session of its own, and one call makes them files.
// Files are read where they are, in pieces, a few at a time.

public import Dispatch
public import Foundation
import Synchronization

/// Is called with what the server made of each file, with the failure of all, and with the failures
/// of single files.
public typealias BatchUploadResponseBlock = (
    [URL: Files.UploadSessionFinishBatchResultEntry]?, BatchUploadError?, [URL: BatchUploadError]
) -> Void

/// Is called as files go up.
public typealias ProgressBlock = (Progress) -> Void

/// Why a file, or all of them, did not go up.
public enum BatchUploadError: Sendable {
    /// The file cannot be read, or the upload was cancelled.
    case clientError(CallError<any Error>)
    /// The session could not be started.
    case startError(CallError<Files.UploadSessionStartError>)
    /// A piece was refused.
    case appendError(CallError<Files.UploadSessionAppendError>)
    /// The files could not be committed.
    case finishError(CallError<Void>)
}

/// An upload of many files that is under way.
public final class BatchUploadTask: Sendable {
    /// Held for an access only.
    private let task = Mutex<Task<Void, Never>?>(nil)

    func run(_ operation: @escaping @Sendable () async -> Void) {
        task.withLock { $0 = Task { await operation() } }
    }

    /// Ends the upload. No file is committed, unless the server has begun to.
    public func cancel() {
        task.withLock { $0 }?.cancel()
    }
}

extension FilesRoutes {
    /// Uploads files, each to the path of its commit, and calls on a queue: the main queue, unless
    /// another is given.
    ///
    /// Files of up to 8 MiB take one request each, larger ones go up in pieces of that size, three
    /// files at a time. A limit of the server is waited out three times for each piece. The result
    /// is nil only where the app's transport client is for the background.
    @discardableResult
    public func batchUploadFiles(
        fileUrlsToCommitInfo: [URL: Files.CommitInfo], queue: DispatchQueue? = nil,
        progressBlock: ProgressBlock? = nil, responseBlock: @escaping BatchUploadResponseBlock
    ) -> BatchUploadTask? {
        let report = UploadReport(
            queue: queue ?? LibrarySettings.responseQueue, progress: progressBlock,
            response: responseBlock)
        guard !client.isBackgroundClient else {
            report.end(
                nil, .clientError(.clientError(.unexpectedState)), [:])
            return nil
        }
        let batch = BatchUpload(routes: self, files: fileUrlsToCommitInfo, report: report)
        let task = BatchUploadTask()
        task.run { await batch.run() }
        return task
    }
}

// Sendable: they are called on the queue that the app named, one after the other.
/// Holds the closures of an app, and calls them on its queue.
struct UploadReport: @unchecked Sendable {
    let queue: DispatchQueue
    let progress: ProgressBlock?
    let response: BatchUploadResponseBlock

    func end(
        _ results: [URL: Files.UploadSessionFinishBatchResultEntry]?, _ error: BatchUploadError?,
        _ errors: [URL: BatchUploadError]
    ) {
        queue.async { response(results, error, errors) }
    }
}
