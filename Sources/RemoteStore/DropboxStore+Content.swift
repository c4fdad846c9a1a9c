// Content down and up. Every call may have been applied although its answer was lost, so what looks
// like a conflict is compared with what was sent.

import ContentHashing
public import Core
import DropboxAPI

extension DropboxStore {
    /// The bytes of one version.
    public func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        guard let lower = UInt64(exactly: range.lowerBound), !range.isEmpty else {
            throw .malformed("an impossible range was asked for")
        }
        do {
            let download = try await client.download(
                Files.download, Files.DownloadArg(path: "rev:\(revision.rawValue)"),
                range: .bytes(lower..<UInt64(range.upperBound)))
            guard download.result.rev == revision.rawValue else {
                throw RemoteError.malformed("another revision came than was asked for")
            }
            return DropboxByteStream(download.body)
        } catch let error as CallError<Files.DownloadError> {
            throw RemoteError(error) { RemoteError($0) }
        } catch let error as RemoteError {
            throw error
        } catch {
            throw .server("\(error)")
        }
    }

    /// Stores content in one call.
    public func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let argument = Files.UploadArg(commit: info(commit), contentHash: commit.hash)
        let body = UploadBody(source: source, range: 0..<source.size)
        do {
            let file = try await client.upload(
                Files.upload, argument, body: body, options: Self.unhurried)
            return try checked(file, size: source.size, commit)
        } catch let error as CallError<Files.UploadError> {
            let mapped = RemoteError(error) { RemoteError($0) }
            return try await ownSuccess(of: commit, size: source.size, insteadOf: mapped)
        } catch let error as RemoteError {
            throw error
        } catch {
            throw .server("\(error)")
        }
    }

    /// Opens a session.
    public func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        do {
            let argument = Files.UploadSessionStartArg(
                sessionType: concurrent ? .concurrent : .sequential)
            let result = try await client.upload(
                Files.uploadSessionStart, argument, body: BytesBody([]),
                options: Self.unhurried)
            return UploadSession(id: result.sessionID, isConcurrent: concurrent)
        } catch {
            throw RemoteError(error) { .server("\($0)") }
        }
    }

    /// Adds a piece.
    public func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        let argument = Files.UploadSessionAppendArg(
            cursor: Files.UploadSessionCursor(
                sessionID: session.id, offset: UInt64(range.lowerBound)),
            close: closes, contentHash: try await hash(of: source, range))
        do {
            _ = try await client.upload(
                Files.uploadSessionAppend, argument,
                body: UploadBody(source: source, range: range), options: Self.unhurried)
        } catch {
            if case .incorrectOffset(let offset) = error.routeError,
                offset.correctOffset == UInt64(range.upperBound)
            {
                // The piece had arrived, and its answer was lost.
                return
            }
            if error.routeError == .closed && error.context.earlierAttemptMayHaveTakenEffect {
                return
            }
            throw RemoteError(error) { RemoteError($0) }
        }
    }

    /// Makes a session's bytes a file.
    public func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let argument = Files.UploadSessionFinishArg(
            cursor: Files.UploadSessionCursor(sessionID: session.id, offset: UInt64(size)),
            commit: info(commit))
        do {
            let file = try await client.upload(
                Files.uploadSessionFinish, argument, body: BytesBody([]),
                options: Self.unhurried)
            return try checked(file, size: size, commit)
        } catch let error as CallError<Files.UploadSessionFinishError> {
            let mapped = RemoteError(error) { RemoteError($0) }
            return try await ownSuccess(of: commit, size: size, insteadOf: mapped)
        } catch let error as RemoteError {
            throw error
        } catch {
            throw .server("\(error)")
        }
    }

    // MARK: Parts

    private func info(_ commit: RemoteCommit) -> Files.CommitInfo {
        let (mode, isStrict): (Files.WriteMode, Bool) =
            switch commit.expectation {
            case .absent(let strict): (.add, strict)
            case .revision(let revision): (.update(revision.rawValue), true)
            }
        return Files.CommitInfo(
            path: serverPath(commit.path), mode: mode,
            clientModified: DropboxAPI.Timestamp(
                secondsSince1970: commit.clientModified.seconds),
            mute: true, strictConflict: isStrict)
    }

    /// What was stored must be what was sent.
    private func checked(
        _ file: Files.FileMetadata, size: Int64, _ commit: RemoteCommit
    ) throws(RemoteError) -> RemoteEntry {
        guard file.size == UInt64(size) else { throw .contentMismatch }
        if let hash = commit.hash, file.contentHash != hash { throw .contentMismatch }
        return try entry(.file(file))
    }

    /// A conflict, or a session that is gone, may be this very commit's success, told to nobody: then
    /// the file is there with this content.
    private func ownSuccess(
        of commit: RemoteCommit, size: Int64, insteadOf error: RemoteError
    ) async throws(RemoteError) -> RemoteEntry {
        guard error == .conflict(.file) || error == .sessionLost, let hash = commit.hash,
            let there = try await entry(at: commit.path), case .file(let file) = there.kind,
            file.hash == hash, file.size == size
        else { throw error }
        return there
    }

    private func hash(
        of source: any UploadSource, _ range: Range<Int64>
    ) async throws(RemoteError) -> ContentHash {
        do {
            return try await Self.disk.run {
                var hasher = ContentHasher()
                var buffer = [UInt8](repeating: 0, count: min(range.count, 1 << 20))
                var offset = range.lowerBound
                while offset < range.upperBound {
                    let count = try buffer.withUnsafeMutableBytes { bytes in
                        let room = Int(min(Int64(bytes.count), range.upperBound - offset))
                        return try source.read(
                            at: offset,
                            into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(room)))
                    }
                    guard count > 0 else { throw SourceEndedEarly() }
                    hasher.update(buffer.prefix(count))
                    offset += Int64(count)
                }
                return hasher.finalized()
            }
        } catch {
            throw .server("the content cannot be read: \(error)")
        }
    }

    private static let disk = DiskQueue(label: "dbxfs.upload.hash")
}

private struct SourceEndedEarly: Error {}

/// A range of a source as a request's body.
private struct UploadBody: BodySource {
    let source: any UploadSource
    let range: Range<Int64>

    var length: UInt64 { UInt64(range.count) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let start = range.lowerBound + Int64(offset)
        let count = Int(min(Int64(buffer.count), range.upperBound - start))
        guard count > 0 else { return 0 }
        return try source.read(
            at: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)))
    }
}

/// A download's body; read by one task, as the protocol asks.
private actor DropboxByteStream: RemoteByteStream {
    private var iterator: DownloadBody<Files.DownloadError>.AsyncIterator

    init(_ body: DownloadBody<Files.DownloadError>) {
        iterator = body.makeAsyncIterator()
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        var copy = iterator
        do {
            let chunk = try await copy.next()
            iterator = copy
            return chunk
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
    }
}
