// Content down, and small content up. A commit may have been applied although its answer was lost, so
// what looks like a conflict is compared with what was sent.

import Blocking
import ContentHashing
public import Core
import DropboxAPI

extension DropboxStore {
    /// The bytes of one version.
    public func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        guard range.lowerBound >= 0, !range.isEmpty else {
            throw .malformed("an impossible range was asked for: \(range)")
        }
        let bytes = UInt64(clamping: range.lowerBound)..<UInt64(clamping: range.upperBound)
        let download: Download<Files.FileMetadata, Files.DownloadError>
        do {
            download = try await client.download(
                Files.download, Files.DownloadArg(path: "rev:\(revision.rawValue)"),
                range: .bytes(bytes), options: .download(bytes: Int64(clamping: range.count)))
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            // A revision that is none cannot be found either.
            throw mapped == .disallowedName ? .notFound : mapped
        }
        guard download.result.rev == revision.rawValue else {
            throw .malformed("another revision came than was asked for")
        }
        guard download.range == bytes else {
            throw .malformed("the revision has \(download.result.size) bytes; asked for \(range)")
        }
        return DropboxByteStream(download.body) { RemoteError($0) }
    }

    /// Stores content in one call.
    public func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        var commit = commit
        if commit.hash == nil { commit.hash = try await hash(of: source, 0..<source.size) }
        let argument = Files.UploadArg(info(commit), contentHash: commit.hash)
        let file: Files.FileMetadata
        do {
            file = try await client.upload(
                Files.upload, argument, body: UploadBody(source: source, range: 0..<source.size),
                options: .upload(bytes: source.size))
        } catch {
            return try await ownSuccess(
                of: commit, size: source.size,
                wasPossible: error.context.earlierAttemptMayHaveTakenEffect,
                insteadOf: RemoteError(error) { RemoteError($0) })
        }
        return try stored(file, size: source.size, commit)
    }

    // MARK: Commits

    func info(_ commit: RemoteCommit) -> Files.CommitInfo {
        let (mode, isStrict): (Files.WriteMode, Bool) =
            switch commit.expectation {
            case .absent(let strict): (.add, strict)
            // Strict, or else a file that was deleted would come back.
            case .revision(let revision): (.update(revision.rawValue), true)
            }
        return Files.CommitInfo(
            path: serverPath(commit.path), mode: mode, autorename: false,
            clientModified: DropboxAPI.Timestamp(
                secondsSince1970: commit.clientModified.seconds),
            mute: true, strictConflict: isStrict)
    }

    /// What was stored must be what was sent.
    func stored(
        _ file: Files.FileMetadata, size: Int64, _ commit: RemoteCommit
    ) throws(RemoteError) -> RemoteEntry {
        noteUpload(commit.path)
        guard file.size == UInt64(clamping: size) else { throw .contentMismatch }
        if let hash = commit.hash, file.contentHash != hash { throw .contentMismatch }
        return try reader.entry(.file(file))
    }

    /// A conflict, or a session that is gone, may be this very commit's success, told to nobody: then
    /// the file is there with this content. Throws the error if not.
    ///
    /// `wasPossible` is whether a request of this call before the refused one may have been applied. A
    /// strict commit is not content with an equal file; it must be its own, by all that can be seen.
    func ownSuccess(
        of commit: RemoteCommit, size: Int64, wasPossible: Bool, insteadOf error: RemoteError
    ) async throws(RemoteError) -> RemoteEntry {
        guard error == .conflict(.file) || error == .sessionLost, let hash = commit.hash else {
            throw error
        }
        let isStrict = commit.expectation == .absent(strict: true)
        if isStrict, error != .sessionLost, !wasPossible { throw error }
        guard let there = try await entry(at: commit.path), case .file(let file) = there.kind,
            file.hash == hash, file.size == size,
            !isStrict || file.clientModified == commit.clientModified.storable
        else { throw error }
        noteUpload(commit.path)
        return there
    }

    /// The hash of a part of the content, read on a thread that may wait for the disk.
    func hash(
        of source: any UploadSource, _ range: Range<Int64>
    ) async throws(RemoteError) -> ContentHash {
        do {
            return try await Self.disk.run { try source.contentHash(range) }
        } catch {
            throw .local(.other("the content cannot be read: \(error)"))
        }
    }

    private static let disk = DiskQueue(label: "dbxfs.upload.hash")
}

extension Files.UploadArg {
    /// A commit, with the hash of what is to be committed.
    fileprivate init(_ commit: Files.CommitInfo, contentHash: ContentHash?) {
        self.init(
            path: commit.path, mode: commit.mode, autorename: commit.autorename,
            clientModified: commit.clientModified, mute: commit.mute,
            propertyGroups: commit.propertyGroups, strictConflict: commit.strictConflict,
            contentHash: contentHash)
    }
}
