// Downloads, and uploads of small content. A commit may have been applied although its response was
// lost, so an apparent conflict is compared with the content sent.

import Blocking
import ContentHashing
package import Core
import DropboxAPI

extension DropboxStore {
    /// Downloads a range of one revision.
    package func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        guard range.lowerBound >= 0, !range.isEmpty else {
            throw .malformed("an impossible range was requested: \(range)")
        }
        let bytes = UInt64(clamping: range.lowerBound)..<UInt64(clamping: range.upperBound)
        let download: Download<Files.FileMetadata, Files.DownloadError>
        do {
            download = try await client.download(
                Files.download, Files.DownloadArg(path: "rev:\(revision.rawValue)"),
                range: .bytes(bytes), options: .download(bytes: Int64(clamping: range.count)))
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            // An invalid revision means not found, too.
            throw mapped == .disallowedName ? .notFound : mapped
        }
        guard download.result.rev == revision.rawValue else {
            throw .malformed("the server sent another revision than requested")
        }
        guard download.range == bytes else {
            throw .malformed("the revision has \(download.result.size) bytes; requested: \(range)")
        }
        return DropboxByteStream(download.body) { RemoteError($0) }
    }

    /// Uploads content in one request.
    package func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        var commit = commit
        if commit.hash == nil { commit.hash = try await hash(of: source, 0..<source.size) }
        let template = try await factsTemplate(for: commit)
        let argument = Files.UploadArg(info(commit, template), contentHash: commit.hash)
        let file: Files.FileMetadata
        do {
            file = try await client.upload(
                Files.upload, argument, body: UploadBody(source: source, range: 0..<source.size),
                options: .upload(bytes: source.size))
        } catch {
            let refusal = RemoteError(ofChange: error) { RemoteError($0) }
            if case .propertiesError(let reason)? = error.routeError {
                return try await storedWithoutFacts(
                    commit, size: source.size, reason, insteadOf: refusal)
            }
            guard error.routeError?.mayFollowLostResponse == true else { throw refusal }
            return try await ownSuccess(
                of: commit, size: source.size,
                wasPossible: error.context.earlierAttemptMayHaveTakenEffect, insteadOf: refusal)
        }
        return try stored(file, size: source.size, commit, template)
    }

    // MARK: Commits

    /// A commit as the API has it, with its facts by a template.
    func info(_ commit: RemoteCommit, _ template: String? = nil) -> Files.CommitInfo {
        let (mode, isStrict): (Files.WriteMode, Bool) =
            switch commit.expectation {
            case .absent(let strict): (.add, strict)
            // Strict: otherwise the commit would resurrect a deleted file.
            case .revision(let revision): (.update(revision.rawValue), true)
            }
        return Files.CommitInfo(
            path: serverPath(commit.path), mode: mode, autorename: false,
            clientModified: Timestamp(
                secondsSince1970: commit.clientModified.seconds),
            mute: true, propertyGroups: groups(commit.facts, by: template),
            strictConflict: isStrict)
    }

    /// Checks that the stored content is the content sent.
    func stored(
        _ file: Files.FileMetadata, size: Int64, _ commit: RemoteCommit, _ template: String?
    ) throws(RemoteError) -> RemoteEntry {
        noteUpload(commit.path)
        // A file without a hash could not be read here.
        guard file.holds(commit.hash, size: UInt64(clamping: size)),
            commit.hash == nil || file.contentHash != nil
        else { throw .server("it stored other content than was sent") }
        var entry = try reader.entry(.file(file))
        if template != nil, let facts = commit.facts, case .file(var stored) = entry.kind {
            stored.posix = .told(facts)
            entry.kind = .file(stored)
        }
        return entry
    }

    /// Returns the result of an earlier request whose response was lost, if a refusal can follow
    /// one and the file at the path is this commit's. Otherwise throws the refusal.
    ///
    /// `wasPossible` is whether a request of this call before the refused one may have been
    /// applied. A new file that must be this mount's does not accept an equal one of another
    /// client. An edit does: the content that users want is there.
    func ownSuccess(
        of commit: RemoteCommit, size: Int64, wasPossible: Bool, insteadOf error: RemoteError
    ) async throws(RemoteError) -> RemoteEntry {
        guard let hash = commit.hash else { throw error }
        var info = info(commit)
        info.strictConflict = commit.expectation == .absent(strict: true)
        // A session that is gone may have been committed by an earlier call, too.
        if info.strictConflict, error != .sessionLost, !wasPossible { throw error }
        let found: (metadata: Files.Metadata, reader: MetadataReader)?
        do throws(RemoteError) {
            found = try await metadata(at: commit.path)
        } catch {
            throw error.afterPossibleChange
        }
        guard let there = found, case .file(let file) = there.metadata,
            info.isStored(as: file, hash),
            file.holds(hash, size: UInt64(clamping: size))
        else { throw error }
        noteUpload(commit.path)
        return try there.reader.entry(there.metadata)
    }

    /// The hash of a range of the content, read on a thread that may block for the disk.
    func hash(
        of source: any UploadSource, _ range: Range<Int64>
    ) async throws(RemoteError) -> ContentHash {
        do {
            return try await Self.disk.run { try source.contentHash(range) }
        } catch {
            throw .contentUnreadable("\(error)")
        }
    }

    private static let disk = DiskQueue(label: "dbxfs.upload.hash")
}

extension Files.UploadArg {
    /// A commit with the hash of its content.
    fileprivate init(_ commit: Files.CommitInfo, contentHash: ContentHash?) {
        self.init(
            path: commit.path, mode: commit.mode, autorename: commit.autorename,
            clientModified: commit.clientModified, mute: commit.mute,
            propertyGroups: commit.propertyGroups, strictConflict: commit.strictConflict,
            contentHash: contentHash)
    }
}
