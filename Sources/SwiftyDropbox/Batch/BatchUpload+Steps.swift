// The steps of an upload of many files.

import Blocking
import DropboxAPI
import Foundation
import Saturating

/// An upload of many files.
struct BatchUpload: Sendable {
    /// Bytes of a request, at most.
    private static let pieceSize: UInt64 = 8 << 20
    /// Files at a time.
    private static let concurrency = 3
    /// Files in one commit, at most: the API's limit.
    private static let filesPerCommit = 1_000
    /// How often a piece waits for a busy server.
    private static let mostPauses = 3

    let routes: FilesRoutes
    let files: [URL: Files.CommitInfo]
    let report: UploadReport

    /// A file that is in a session, or why it is not.
    private struct Outcome: Sendable {
        let file: URL
        let result: Result<Files.UploadSessionFinishArg, Failure>
    }

    private struct Failure: Error {
        let error: BatchUploadError
    }

    func run() async {
        let sizes = await sizes()
        let total = sizes.values.reduce(UInt64(0)) { sum, size in sum +| ((try? size.get()) ?? 0) }
        let progress = Progress(totalUnitCount: Int64(clamping: total))
        var errors: [URL: BatchUploadError] = [:]
        var commits: [(file: URL, commit: Files.UploadSessionFinishArg)] = []
        for outcome in await upload(sizes, progress) {
            switch outcome.result {
            case .success(let commit): commits.append((outcome.file, commit))
            case .failure(let failure): errors[outcome.file] = failure.error
            }
        }
        guard !Task.isCancelled else {
            return report.end(nil, .clientError(.clientError(Self.cancelled)), errors)
        }
        commits.sort { $0.commit.commit.path < $1.commit.commit.path }
        await finish(commits, errors)
    }

    private static var cancelled: ClientError { .urlSessionError(URLError(.cancelled)) }

    /// The sizes of the files, or why they cannot be read.
    private func sizes() async -> [URL: Result<UInt64, Failure>] {
        let names = Array(files.keys)
        return await TemporaryFile.disk.run {
            var sizes: [URL: Result<UInt64, Failure>] = [:]
            for file in names {
                sizes[file] = Result { () throws(Failure) in
                    do {
                        return try TemporaryFile.body(of: file).length
                    } catch {
                        throw Failure(error: .clientError(.clientError(.fileAccessError(error))))
                    }
                }
            }
            return sizes
        }
    }

    private func upload(
        _ sizes: [URL: Result<UInt64, Failure>], _ progress: Progress
    ) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            var waiting = files.sorted { $0.value.path < $1.value.path }[...]
            func startNext() {
                guard let (file, commit) = waiting.popFirst() else { return }
                group.addTask {
                    do throws(Failure) {
                        let size = try sizes[file]?.get() ?? 0
                        let cursor = try await self.session(file, size, progress)
                        return Outcome(
                            file: file,
                            result: .success(
                                Files.UploadSessionFinishArg(cursor: cursor, commit: commit)))
                    } catch {
                        return Outcome(file: file, result: .failure(error))
                    }
                }
            }
            for _ in 0..<Self.concurrency { startNext() }
            var outcomes: [Outcome] = []
            for await outcome in group {
                outcomes.append(outcome)
                startNext()
            }
            return outcomes
        }
    }

    /// Brings a file into a session of its own, piece by piece.
    private func session(
        _ file: URL, _ size: UInt64, _ progress: Progress
    ) async throws(Failure) -> Files.UploadSessionCursor {
        let first = try await piece(of: file, at: 0, size)
        let started = try await patiently {
            routes.uploadSessionStart(close: UInt64(clamping: first.count) == size, input: first)
        } failure: {
            .startError($0)
        }
        var offset = UInt64(clamping: first.count)
        advance(progress, by: first.count)
        while offset < size {
            let piece = try await piece(of: file, at: offset, size)
            let cursor = Files.UploadSessionCursor(sessionId: started.sessionId, offset: offset)
            let end = offset +| UInt64(clamping: piece.count)
            try await patiently {
                routes.uploadSessionAppendV2(cursor: cursor, close: end == size, input: piece)
            } failure: {
                .appendError($0)
            }
            offset = end
            advance(progress, by: piece.count)
        }
        return Files.UploadSessionCursor(sessionId: started.sessionId, offset: offset)
    }

    /// Progress counts atomically; the app reads it on its queue.
    private func advance(_ progress: Progress, by count: Int) {
        let step = Int64(clamping: count)
        report.queue.async {
            progress.completedUnitCount = progress.completedUnitCount +| step
            report.progress?(progress)
        }
    }

    private func piece(of file: URL, at offset: UInt64, _ size: UInt64) async throws(Failure)
        -> Data
    {
        do {
            return try await TemporaryFile.disk.run {
                let body = try TemporaryFile.body(of: file)
                guard body.length == size else { throw SystemError(EIO) }
                var data = Data()
                let wanted = Int(clamping: min(Self.pieceSize, size -| offset))
                var buffer = [UInt8](repeating: 0, count: 1 << 20)
                while data.count < wanted {
                    let room = min(buffer.count, wanted -| data.count)
                    let count = try buffer.withUnsafeMutableBytes { bytes in
                        try body.read(
                            at: offset +| UInt64(clamping: data.count),
                            into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(room)))
                    }
                    guard count > 0 else { throw SystemError(EIO) }
                    data.append(contentsOf: buffer.prefix(count))
                }
                return data
            }
        } catch {
            throw Failure(error: .clientError(.clientError(.fileAccessError(error))))
        }
    }

    /// The result of a request, which is made again after the pauses that a busy server asks for.
    @discardableResult
    private func patiently<RSerial, ESerial>(
        _ request: () -> UploadRequest<RSerial, ESerial>,
        failure: (CallError<ESerial.ValueType>) -> BatchUploadError
    ) async throws(Failure) -> RSerial.ValueType {
        var pauses = 0
        while true {
            switch await request().responseResult() {
            case .success(let value): return value
            case .failure(.rateLimitError(let limit, _, _, _)) where pauses < Self.mostPauses:
                pauses +|= 1
                do {
                    // The client sends nothing for a second at least.
                    try await Task.sleep(for: .seconds(clamping: max(1, limit.retryAfter)))
                } catch {
                    throw Failure(error: .clientError(.clientError(Self.cancelled)))
                }
            case .failure(let error): throw Failure(error: failure(error))
            }
        }
    }

    /// Commits the files of all sessions.
    private func finish(
        _ commits: [(file: URL, commit: Files.UploadSessionFinishArg)],
        _ errors: [URL: BatchUploadError]
    ) async {
        var results: [URL: Files.UploadSessionFinishBatchResultEntry] = [:]
        var rest = commits[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.filesPerCommit)
            rest = rest.dropFirst(Self.filesPerCommit)
            let request = routes.uploadSessionFinishBatchV2(entries: part.map(\.commit))
            switch await request.responseResult() {
            case .success(let result):
                for (entry, commit) in zip(result.entries, part) { results[commit.file] = entry }
            case .failure(let error):
                return report.end(results.isEmpty ? nil : results, .finishError(error), errors)
            }
        }
        report.end(results, nil, errors)
    }
}
