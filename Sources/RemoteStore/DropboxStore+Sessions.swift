// Uploads in pieces. Every piece may have arrived although its response was lost, so an incorrect
// offset is compared with the end of the piece.

import Core
import DropboxAPI

extension DropboxStore {
    /// Starts an upload session.
    public func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        do {
            let argument = Files.UploadSessionStartArg(
                sessionType: concurrent ? .concurrent : .sequential)
            let result = try await client.call(
                Files.uploadSessionStart, argument, options: .upload(bytes: 0))
            return UploadSession(id: result.sessionID, isConcurrent: concurrent)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
    }

    /// Appends a piece to a session.
    public func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        var range = range
        while true {
            let argument = Files.UploadSessionAppendArg(
                cursor: Files.UploadSessionCursor(
                    sessionID: session.id, offset: UInt64(clamping: range.lowerBound)),
                close: closes, contentHash: try await hash(of: source, range))
            do {
                _ = try await client.upload(
                    Files.uploadSessionAppendV2, argument,
                    body: UploadBody(source: source, range: range),
                    options: .upload(bytes: Int64(clamping: range.count)))
                return
            } catch {
                switch AppendRemedy(error.routeError, range: range, closes: closes) {
                case .done: return
                case .send(let rest): range = rest
                case .fail: throw RemoteError(error) { RemoteError($0) }
                }
            }
        }
    }

    /// Commits an upload session.
    public func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        let argument = Files.UploadSessionFinishArg(
            cursor: Files.UploadSessionCursor(
                sessionID: session.id, offset: UInt64(clamping: size)),
            commit: info(commit))
        let file: Files.FileMetadata
        do {
            file = try await client.call(
                Files.uploadSessionFinish, argument, options: .commit)
        } catch {
            return try await ownSuccess(
                of: commit, size: size,
                wasPossible: error.context.earlierAttemptMayHaveTakenEffect,
                insteadOf: RemoteError(error) { RemoteError($0) })
        }
        return try stored(file, size: size, commit)
    }
}

/// The reaction to a refused piece. Pure.
enum AppendRemedy: Hashable {
    /// The server has the piece.
    case done
    /// The server has a part of the piece; this range is missing.
    case send(Range<Int64>)
    /// The piece does not fit the session.
    case fail

    init(_ error: Files.UploadSessionAppendError?, range: Range<Int64>, closes: Bool) {
        switch error {
        case .closed:
            // Only a piece of ours can have closed it. If this one is missing, the commit reports
            // it.
            self = .done
        case .incorrectOffset(let place):
            guard let end = Int64(exactly: place.correctOffset) else {
                self = .fail
                return
            }
            if end >= range.upperBound {
                // An empty piece that closes the session must still do so, at the true end.
                self = closes && end > range.upperBound ? .fail : .done
            } else if end > range.lowerBound {
                self = .send(end..<range.upperBound)
            } else {
                self = .fail
            }
        default:
            self = .fail
        }
    }
}
