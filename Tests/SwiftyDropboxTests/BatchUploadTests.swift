// Uploads of many files: each file's result, what a bad file does to the others, limits, and
// cancelling.

import Dispatch
import DropboxEmulator
import Foundation
import SwiftyDropbox
import Synchronization
import Testing

struct BatchUploadTests {
    private struct Outcome: Sendable {
        var results: [URL: Files.UploadSessionFinishBatchResultEntry]?
        var error: BatchUploadError?
        var errors: [URL: BatchUploadError]
    }

    private func upload(
        _ service: Service, _ files: [URL: Files.CommitInfo],
        progress: (@Sendable (Progress) -> Void)? = nil,
        started: @Sendable (BatchUploadTask?) async -> Void = { _ in }
    ) async -> Outcome {
        let (stream, told) = AsyncStream.makeStream(of: Outcome.self)
        let task = service.client.files.batchUploadFiles(
            fileUrlsToCommitInfo: files, queue: DispatchQueue(label: "batch"),
            progressBlock: progress
        ) { results, error, errors in
            told.yield(Outcome(results: results, error: error, errors: errors))
            told.finish()
        }
        await started(task)
        var iterator = stream.makeAsyncIterator()
        return await iterator.next() ?? Outcome(errors: [:])
    }

    @Test("files of all sizes become files, and one that is not there leaves the others alone")
    func sizes() async throws {
        try await withService { service in
            var commits: [URL: Files.CommitInfo] = [:]
            let sizes = ["empty": 0, "small": 1_000, "piece": 8 << 20, "large": (16 << 20) + 5]
            for (name, size) in sizes {
                commits[try service.file(name, content(size))] = Files.CommitInfo(path: "/\(name)")
            }
            let missing = service.folder.appendingPathComponent("missing")
            commits[missing] = Files.CommitInfo(path: "/missing")
            let last = Mutex<(Int64, Int64)>((0, 0))
            let outcome = await upload(service, commits) { progress in
                last.withLock { $0 = (progress.completedUnitCount, progress.totalUnitCount) }
            }
            #expect(outcome.error == nil)
            #expect(outcome.results?.count == sizes.count)
            guard case .clientError(.clientError(.fileAccessError)) = outcome.errors[missing] else {
                Issue.record("\(outcome.errors)")
                return
            }
            let total = Int64(sizes.values.reduce(0, +))
            #expect(last.withLock { $0.0 == total && $0.1 == total })
            for (name, size) in sizes {
                let (_, data) = try await service.client.files.download(path: "/\(name)").response()
                #expect(data == content(size), "\(name)")
            }
        }
    }

    @Test("a refusal of the server is the result of that file")
    func conflict() async throws {
        try await withService { service in
            _ = try await service.client.files.upload(path: "/taken", input: Data("x".utf8))
                .response()
            let taken = try service.file("taken", Data("y".utf8))
            let free = try service.file("free", Data("z".utf8))
            let outcome = await upload(
                service,
                [taken: Files.CommitInfo(path: "/taken"), free: Files.CommitInfo(path: "/free")])
            guard case .failure(.path(.conflict)) = outcome.results?[taken] else {
                Issue.record("\(String(describing: outcome.results))")
                return
            }
            guard case .success(let metadata) = outcome.results?[free] else {
                Issue.record("\(String(describing: outcome.results))")
                return
            }
            #expect(metadata.name == "free")
        }
    }

    @Test("a busy server is waited for, and a failing one is the error of the file")
    func faults() async throws {
        try await withService { service in
            let file = try service.file("a", Data("a".utf8))
            let commits = [file: Files.CommitInfo(path: "/a")]
            try service.emulator.addFault([
                "route": "files/upload_session/start", "kind": "rate_limited", "retry_after": 0,
                "reason": "too_many_requests", "count": 2,
            ])
            let busy = await upload(service, commits)
            #expect(busy.results?.count == 1)
            try service.emulator.addFault([
                "route": "files/upload_session/start", "kind": "server_error", "status": 500,
                "count": 1,
            ])
            let failing = await upload(service, commits)
            guard case .startError(.internalServerError(500, _, _)) = failing.errors[file] else {
                Issue.record("\(failing.errors)")
                return
            }
            try service.emulator.addFault([
                "route": "files/upload_session/finish_batch_v2", "kind": "server_error",
                "status": 500,
            ])
            let unfinished = await upload(service, commits)
            guard case .finishError(.internalServerError(500, _, _)) = unfinished.error else {
                Issue.record("\(String(describing: unfinished.error))")
                return
            }
        }
    }

    @Test("an upload that is cancelled commits nothing")
    func cancelling() async throws {
        try await withService { service in
            try service.emulator.addFault([
                "route": "files/upload_session/start", "kind": "stall", "seconds": 600,
            ])
            let file = try service.file("a", Data("a".utf8))
            let outcome = await upload(
                service, [file: Files.CommitInfo(path: "/a")], started: { task in task?.cancel() })
            #expect(outcome.results == nil)
            #expect(outcome.error != nil)
            #expect(service.requests("files/upload_session/finish_batch_v2") == 0)
        }
    }

    @Test("no files are no requests")
    func none() async throws {
        try await withService { service in
            let outcome = await upload(service, [:])
            #expect(outcome.results?.isEmpty == true)
            #expect(service.requests("files/upload_session/finish_batch_v2") == 0)
        }
    }
}
