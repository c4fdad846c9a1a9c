// Uploads in pieces. `PieceFate` interprets the refusal of a piece.

import Core
import DropboxAPI
import Saturating

extension DropboxStore {
    /// Starts an upload session.
    package func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
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
    package func append(
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
                let place =
                    UInt64(clamping: range.lowerBound) ..<| UInt64(clamping: range.upperBound)
                switch PieceFate(error.routeError, range: place) {
                case .arrived, .closed: return
                // An empty piece that closes the session must still do so, at the true end.
                case .overtaken where !closes: return
                case .partly(let missing):
                    range = Int64(clamping: missing.lowerBound) ..<| range.upperBound
                case .overtaken, .refused: throw RemoteError(error) { RemoteError($0) }
                }
            }
        }
    }

    /// Commits an upload session.
    package func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await prepareToMake()
        let template = try await factsTemplate(for: commit)
        let argument = Files.UploadSessionFinishArg(
            cursor: Files.UploadSessionCursor(
                sessionID: session.id, offset: UInt64(clamping: size)),
            commit: info(commit, template))
        let file: Files.FileMetadata
        do {
            file = try await client.call(
                Files.uploadSessionFinish, argument, options: .commit)
        } catch {
            let refusal = RemoteError(ofChange: error) { RemoteError($0) }
            if case .propertiesError(let reason)? = error.routeError {
                return try await storedWithoutFacts(
                    commit, size: size, reason, insteadOf: refusal)
            }
            guard error.routeError?.mayFollowLostResponse == true else { throw refusal }
            return try await ownSuccess(
                of: commit, size: size,
                wasPossible: error.context.earlierAttemptMayHaveTakenEffect, insteadOf: refusal)
        }
        return try stored(file, size: size, commit, template)
    }
}
