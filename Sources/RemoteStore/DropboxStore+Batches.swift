// Batches of small changes: 1,000 small files take a handful of requests. Only the sending of
// pieces is retried once it may have been applied: the responses to a repeated batch could not
// distinguish this mount's change from another client's.

import Core
import DropboxAPI
import Saturating

extension DropboxStore {
    /// Pieces in one request: the argument is a header, and each piece takes about 130 bytes of it.
    private static let piecesPerRequest = 250
    /// Bytes in one request. The server accepts 150 MiB; a smaller request is cheaper to lose.
    private static let bytesPerRequest = 16 << 20

    // MARK: Content

    /// Sends whole contents, each into a separate session.
    public func send(
        _ contents: [[UInt8]]
    ) async throws(RemoteError) -> [RemoteOutcome<UploadSession>] {
        let ids: [String]
        do {
            ids = try await client.call(
                Files.uploadSessionStartBatch,
                Files.UploadSessionStartBatchArg(numSessions: UInt64(clamping: contents.count)),
                options: .upload(bytes: 0)
            ).sessionIDs
        } catch {
            throw RemoteError(error) { _ in .server("\(error)") }
        }
        guard ids.count == contents.count else {
            throw .malformed("\(contents.count) sessions were asked for, \(ids.count) came")
        }
        let sessions = ids.map { UploadSession(id: $0, isConcurrent: false) }
        return await withTaskGroup(of: (Range<Int>, [RemoteOutcome<UploadSession>]).self) { group in
            for range in Self.requests(for: contents) {
                group.addTask {
                    let outcomes = await self.append(contents[range], to: sessions[range])
                    return (range, outcomes)
                }
            }
            var outcomes: [RemoteOutcome<UploadSession>] = sessions.map { .success($0) }
            for await (range, part) in group { outcomes.replaceSubrange(range, with: part) }
            return outcomes
        }
    }

    /// Partitions contents into requests.
    private static func requests(for contents: [[UInt8]]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var bytes = 0
        for (index, content) in contents.enumerated() {
            let isFull =
                index -| start == piecesPerRequest
                || index > start && bytes +| content.count > bytesPerRequest
            if isFull {
                ranges.append(start..<index)
                start = index
                bytes = 0
            }
            bytes +|= content.count
        }
        if start < contents.count { ranges.append(start..<contents.count) }
        return ranges
    }

    private func append(
        _ contents: ArraySlice<[UInt8]>, to sessions: ArraySlice<UploadSession>
    ) async -> [RemoteOutcome<UploadSession>] {
        let body = WholeContent(bytes: Array(contents.joined()))
        let pieces = zip(sessions, contents).map { session, content in
            Files.UploadSessionAppendBatchArgEntry(
                cursor: Files.UploadSessionCursor(sessionID: session.id, offset: 0),
                length: UInt64(clamping: content.count), close: true)
        }
        do throws(RemoteError) {
            let range = 0..<body.size
            let argument = Files.UploadSessionAppendBatchArg(
                entries: pieces, contentHash: try await hash(of: body, range))
            let results = try await send(argument, UploadBody(source: body, range: range))
            return zip(zip(sessions, contents), results).map { sent, result in
                Self.outcome(of: result, sent.0, size: sent.1.count)
            }
        } catch {
            return sessions.map { _ in .failure(error) }
        }
    }

    private func send(
        _ argument: Files.UploadSessionAppendBatchArg, _ body: UploadBody
    ) async throws(RemoteError) -> [Files.UploadSessionAppendBatchResultEntry] {
        let results: [Files.UploadSessionAppendBatchResultEntry]
        do {
            results = try await client.upload(
                Files.uploadSessionAppendBatch, argument, body: body,
                options: .upload(bytes: Int64(clamping: body.length))
            ).entries
        } catch {
            throw RemoteError(error) { error in
                switch error {
                case .contentHashMismatch: .contentMismatch
                case .payloadTooLarge, .lengthMismatch, .unknown: .server("\(error)")
                }
            }
        }
        guard results.count == argument.entries.count else {
            throw .malformed(
                "\(argument.entries.count) pieces were sent, \(results.count) answered")
        }
        return results
    }

    /// A piece whose first response was lost is refused on retry, but has arrived.
    private static func outcome(
        of result: Files.UploadSessionAppendBatchResultEntry, _ session: UploadSession, size: Int
    ) -> RemoteOutcome<UploadSession> {
        switch result {
        case .success, .failure(.closed): .success(session)
        case .failure(.incorrectOffset(let place))
        where place.correctOffset == UInt64(clamping: size):
            .success(session)
        case .failure(.notFound): .failure(.sessionLost)
        case .failure(let error): .failure(.server("\(error)"))
        case .unknown(let tag): .failure(.server(tag))
        }
    }

    /// Commits sessions as one batch, under one lock of the namespace.
    public func finishUploads(
        _ uploads: [FinishedUpload]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        let argument = Files.UploadSessionFinishBatchArg(
            entries: uploads.map { upload in
                Files.UploadSessionFinishArg(
                    cursor: Files.UploadSessionCursor(
                        sessionID: upload.session.id, offset: UInt64(clamping: upload.size)),
                    commit: info(upload.commit))
            })
        let results: [Files.UploadSessionFinishBatchResultEntry]
        do {
            results = try await client.call(
                Files.uploadSessionFinishBatchV2, argument, options: .batch
            ).entries
        } catch {
            throw RemoteError(error) { _ in .server("\(error)") }
        }
        try Self.expect(results.count, uploads.count)
        return zip(uploads, results).map { upload, result in
            switch result {
            case .success(let file):
                Result { () throws(RemoteError) in
                    try stored(file, size: upload.size, upload.commit)
                }
            case .failure(let error): .failure(RemoteError(error))
            case .unknown(let tag): .failure(.server(tag))
            }
        }
    }

    // MARK: Names

    /// Creates folders as one batch.
    public func makeFolders(
        at paths: [RemotePath]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        let results = try await finish(
            Files.createFolderBatch,
            Files.CreateFolderBatchArg(paths: paths.map { serverPath($0) }),
            Files.createFolderBatchCheck
        ).entries
        try Self.expect(results.count, paths.count)
        return results.map { result in
            switch result {
            case .success(let made):
                Result { () throws(RemoteError) in try reader.entry(.folder(made.metadata)) }
            case .failure(let error): .failure(RemoteError(error))
            case .unknown(let tag): .failure(.server(tag))
            }
        }
    }

    /// Deletes files as one batch.
    public func deleteFiles(
        _ deletions: [RemoteDeletion]
    ) async throws(RemoteError) -> [RemoteOutcome<Void>] {
        try await sendNamed(deletions, isGuarded: true) {
            $0.node
        } send: { deletions async throws(RemoteError) in
            let results = try await finish(
                Files.deleteBatch,
                Files.DeleteBatchArg(
                    entries: deletions.map {
                        Files.DeleteArg(path: $0.name.text, parentRev: $0.change.revision.rawValue)
                    }),
                Files.deleteBatchCheck
            ).entries
            try Self.expect(results.count, deletions.count)
            return results.map { result in
                switch result {
                case .success: BatchAnswer(outcome: .success(()))
                case .failure(let error):
                    BatchAnswer(
                        outcome: .failure(RemoteError(error)), isFormRefused: error.isFormRefused)
                case .unknown(let tag): BatchAnswer(outcome: .failure(.server(tag)))
                }
            }
        }
    }

    /// Moves files as one batch.
    public func moveFiles(
        _ moves: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        let outcomes = try await sendNamed(moves) {
            $0.source
        } send: { moves async throws(RemoteError) in
            let results = try await finish(
                Files.moveBatchV2, Files.MoveBatchArg(entries: moves.map(paths)),
                Files.moveBatchCheckV2)
            return try relocated(results.entries, count: moves.count)
        }
        for (move, outcome) in zip(moves, outcomes) {
            if case .success(let entry) = outcome { compare(entry, with: move.source) }
        }
        return outcomes
    }

    /// Copies files as one batch.
    public func copyFiles(
        _ copies: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        return try await sendNamed(copies) {
            $0.source
        } send: { copies async throws(RemoteError) in
            let results = try await finish(
                Files.copyBatchV2, Files.CopyBatchArg(entries: copies.map(paths)),
                Files.copyBatchCheckV2)
            return try relocated(results.entries, count: copies.count)
        }
    }

    private func paths(
        of relocation: RemoteRelocation, as name: NodeName
    ) -> Files.RelocationPath {
        Files.RelocationPath(fromPath: name.text, toPath: serverPath(relocation.target))
    }

    private func relocated(
        _ results: [Files.RelocationBatchResultEntry], count: Int
    ) throws(RemoteError) -> [BatchAnswer<RemoteEntry>] {
        try Self.expect(results.count, count)
        return results.map { result in
            switch result {
            case .success(let entry):
                BatchAnswer(
                    outcome: Result { () throws(RemoteError) in try reader.entry(entry) })
            case .failure(let error):
                BatchAnswer(
                    outcome: .failure(RemoteError(error)), isFormRefused: error.isFormRefused)
            case .unknown(let tag): BatchAnswer(outcome: .failure(.server(tag)))
            }
        }
    }

    private static func expect(_ answers: Int, _ questions: Int) throws(RemoteError) {
        guard answers == questions else {
            throw .malformed("\(questions) changes were sent, \(answers) answered")
        }
    }
}
