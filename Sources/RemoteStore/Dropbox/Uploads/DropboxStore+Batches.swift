// Batches of small changes: 1,000 small files take a handful of requests. Only the sending of
// pieces is retried once it may have been applied: the responses to a repeated batch could not
// distinguish this mount's change from another client's.

import Core
import DropboxAPI
import Saturating

extension DropboxStore {
    /// Bytes in one request. The server accepts 150 MiB; a smaller request is cheaper to lose.
    private static let bytesPerRequest = 16 << 20

    // MARK: Content

    /// Sends whole contents, each into a separate session.
    package func send(
        _ contents: [[UInt8]]
    ) async throws(RemoteError) -> [RemoteOutcome<UploadSession>] {
        let files = client.files
        let ids: [String]
        do throws(FileUploadError) {
            ids = try await files.startSessions(contents.count, nil, options: .upload(bytes: 0))
        } catch {
            throw RemoteError(error)
        }
        let parcels = UploadParcel.filled(
            with: contents, sessions: ids, atMost: Self.bytesPerRequest)
        let sent = await withTaskGroup(of: (Int, [Result<Void, FileUploadError>]).self) { group in
            for (index, parcel) in parcels.enumerated() {
                group.addTask {
                    let options = CallOptions.upload(bytes: Int64(clamping: parcel.size))
                    let sent = await parcel.send(by: files, options)
                    return (index, sent.results)
                }
            }
            var sent = [[Result<Void, FileUploadError>]](repeating: [], count: parcels.count)
            for await (index, results) in group { sent[index] = results }
            return sent.flatMap { $0 }
        }
        return zip(ids, sent).map { id, result in
            result.map { UploadSession(id: id, isConcurrent: false) }
                .mapError { RemoteError($0) }
        }
    }

    /// Commits sessions as one batch, under one lock of the namespace.
    package func finishUploads(
        _ uploads: [FinishedUpload]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        let template = await factsTemplate(for: uploads.map(\.commit))
        let refusals = uploads.map { refusal(of: $0.commit, without: template) }
        let sent = zip(uploads, refusals).filter { $1 == nil }.map(\.0)
        var outcomes = sent.isEmpty ? [] : try await finish(sent, template)
        for (index, refusal) in refusals.enumerated() {
            if let refusal { outcomes.insert(.failure(refusal), at: index) }
        }
        return outcomes
    }

    private func finish(
        _ uploads: [FinishedUpload], _ template: String?
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        let argument = Files.UploadSessionFinishBatchArg(
            entries: uploads.map { upload in
                Files.UploadSessionFinishArg(
                    cursor: Files.UploadSessionCursor(
                        sessionID: upload.session.id, offset: UInt64(clamping: upload.size)),
                    commit: info(upload.commit, template))
            })
        let results: [Files.UploadSessionFinishBatchResultEntry]
        do {
            results = try await client.call(
                Files.uploadSessionFinishBatchV2, argument, options: .batch
            ).entries
        } catch {
            throw RemoteError(ofChange: error)
        }
        try Self.expect(results.count, uploads.count)
        var outcomes: [RemoteOutcome<RemoteEntry>] = []
        for (upload, result) in zip(uploads, results) {
            outcomes.append(await outcome(of: upload, result, template))
        }
        return outcomes
    }

    private func outcome(
        of upload: FinishedUpload, _ result: Files.UploadSessionFinishBatchResultEntry,
        _ template: String?
    ) async -> RemoteOutcome<RemoteEntry> {
        do throws(RemoteError) {
            switch result {
            case .success(let file):
                return .success(try stored(file, size: upload.size, upload.commit, template))
            case .failure(.propertiesError(let reason)):
                return .success(
                    try await storedWithoutFacts(
                        upload.commit, size: upload.size, reason,
                        insteadOf: .server("\(reason)")))
            case .failure(let error): throw RemoteError(error)
            case .unknown(let tag): throw .server(tag)
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: Names

    /// Creates folders as one batch.
    package func makeFolders(
        at paths: [RemotePath]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        let results = try await finish(
            Files.createFolderBatch,
            Files.CreateFolderBatchArg(paths: paths.map { serverPath($0) }),
            Files.createFolderBatchCheck)
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
    package func deleteFiles(
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
                Files.deleteBatchCheck)
            try Self.expect(results.count, deletions.count)
            return results.map { result in
                switch result {
                case .success: BatchAnswer(outcome: .success(()))
                case .failure(let error):
                    BatchAnswer(
                        failure: RemoteError(error), isFormRefused: error.isFormRefused)
                case .unknown(let tag): BatchAnswer(failure: .server(tag))
                }
            }
        }
    }

    /// Moves files as one batch.
    package func moveFiles(
        _ moves: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        let outcomes = try await sendNamed(moves) {
            $0.source
        } send: { moves async throws(RemoteError) in
            let results = try await finish(
                Files.moveBatchV2, Files.MoveBatchArg(entries: moves.map(paths)),
                Files.moveBatchCheckV2)
            return try relocated(results, count: moves.count)
        }
        return zip(moves, outcomes).map { move, outcome in
            outcome.flatMap { entry in
                Result { () throws(RemoteError) in
                    try check(entry, is: move.source)
                    return entry
                }
            }
        }
    }

    /// Copies files as one batch.
    package func copyFiles(
        _ copies: [RemoteRelocation]
    ) async throws(RemoteError) -> [RemoteOutcome<RemoteEntry>] {
        try await prepareToMake()
        return try await sendNamed(copies) {
            $0.source
        } send: { copies async throws(RemoteError) in
            let results = try await finish(
                Files.copyBatchV2, Files.CopyBatchArg(entries: copies.map(paths)),
                Files.copyBatchCheckV2)
            return try relocated(results, count: copies.count)
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
                BatchAnswer(failure: RemoteError(error), isFormRefused: error.isFormRefused)
            case .unknown(let tag): BatchAnswer(failure: .server(tag))
            }
        }
    }

    private static func expect(_ answers: Int, _ questions: Int) throws(RemoteError) {
        guard answers == questions else {
            throw .malformed("\(questions) changes were sent, \(answers) answered")
        }
    }
}
