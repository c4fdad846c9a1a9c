// The common side of all errors: one type to catch, sentences for users, words of the server, and
// the limits after which an error comes at all.

import Foundation
import Synchronization
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct DropboxErrorTests {
    private func client(
        _ answers: [[Step]], _ body: (DropboxClient) async throws -> Void,
        change: (inout DropboxConfiguration) -> Void = { $0.retryPolicy.maxAttempts = 1 }
    ) async throws {
        let server = try ScriptedServer(answers: answers)
        defer { server.stop() }
        let client = try DropboxClient.testing(server, change: change)
        try await body(client)
        await client.shutDown()
    }

    /// The error of a call, as a caller sees it that does not know the route.
    private func failure(_ call: () async throws -> Void) async -> (any DropboxError)? {
        do {
            try await call()
        } catch let error as any DropboxError {
            return error
        } catch {
            Issue.record("not an error of the library: \(error)")
        }
        return nil
    }

    @Test("errors of different routes are caught as one, with kind, request id and sentence")
    func oneCatch() async throws {
        let gone = #"{"error":{".tag":"path_lookup","path_lookup":{".tag":"not_found"}}}"#
        try await client([.json(gone, status: 409), .json("oops", status: 500)]) { client in
            let first = await failure { _ = try await client.files.deleteV2(path: "/x") }
            #expect(first?.failedCall?.kind == .route)
            #expect(first?.requestID == "r1")
            #expect(first?.mayHaveTakenEffect == false)
            #expect(first?.localizedDescription == "There is no such file or folder.")
            let second = await failure { _ = try await client.users.getCurrentAccount() }
            #expect(second?.failedCall?.kind == .internalServer)
            #expect(
                second?.localizedDescription == "Dropbox failed with status 500; try again later.")
        }
    }

    @Test("the server's own message comes before ours, with its language")
    func userMessage() async throws {
        let answer =
            #"{"error":{".tag":"path","path":{".tag":"not_found"}},"#
            + #""user_message":{"locale":"de","text":"Weg."}}"#
        try await client([.json(answer, status: 409)]) { client in
            let error = await failure { _ = try await client.files.getMetadata(path: "/x") }
            #expect(error?.localizedDescription == "Weg.")
            #expect(error?.userMessage == UserMessage(text: "Weg.", locale: "de"))
        }
    }

    @Test("what a failing server says is kept, up to a limit, and is in the line for the log")
    func bodyOfFailure() async throws {
        let long = String(repeating: "x", count: 10_000)
        let answers = [Step].json("maintenance until noon", status: 503)
        try await client([answers, .json(long, status: 502)]) { client in
            let error = await failure { _ = try await client.files.getMetadata(path: "/x") }
            #expect(error?.failedCall?.context.answer?.body == "maintenance until noon")
            #expect(error?.summary.contains("maintenance until noon") == true)
            let second = await failure { _ = try await client.files.getMetadata(path: "/x") }
            #expect(second?.failedCall?.context.answer?.body.utf8.count == 4 << 10)
        }
    }

    @Test("a call that worked tells its request id and status, and the caller's label")
    func success() async throws {
        let record = Mutex<CallRecord?>(nil)
        try await client([.json(Examples.taggedFile)]) { client in
            let options = CallOptions(
                label: "mine", onEnd: { ended in record.withLock { $0 = ended } })
            _ = try await client.files.getMetadata(path: "/x", options: options)
        }
        let context = record.withLock { $0?.context }
        #expect(context?.requestID == "r1")
        #expect(context?.status == 200)
        #expect(context?.label == "mine")
        #expect(context?.answer == nil)
    }

    @Test("the result of a call is told as the server sent it, with what no type here has")
    func resultJSON() async throws {
        let answer = #"{".tag":"hologram","name":"a","hologram":{"depth":3}}"#
        let records = Mutex<[CallRecord]>([])
        let watcher = Watcher()
        try await client([.json(answer), .json("oops", status: 500)]) { client in
            let options = CallOptions(onEnd: { ended in records.withLock { $0.append(ended) } })
            let entry = try await client.files.getMetadata(path: "/a", options: options)
            #expect(entry.name == "a")
            _ = await failure {
                _ = try await client.files.getMetadata(path: "/a", options: options)
            }
        } change: {
            $0.retryPolicy.maxAttempts = 1
            $0.observers = [watcher]
        }
        let ended = records.withLock { $0 }
        #expect(ended.map(\.resultJSON) == [Data(answer.utf8), nil])
        // Results may hold secrets, which observers are not told.
        let seen = watcher.records.withLock { $0 }
        #expect(seen.count == 2 && seen.allSatisfy { $0.resultJSON == nil })
    }

    private final class Watcher: DropboxObserver {
        let records = Mutex<[CallRecord]>([])

        func callEnded(_ record: CallRecord) { records.withLock { $0.append(record) } }
    }

    @Test("errors of files, archives and stored logins are errors of the library, with sentences")
    func sentences() {
        let errors: [(any DropboxError, String)] = [
            (ZipError.malformed("a size is missing"), "The archive is damaged: a size is missing."),
            (
                ZipError.unsupported("an encrypted entry"),
                "The archive cannot be read: an encrypted entry."
            ),
            (
                FileBody.ReadError(errno: EIO),
                "Reading the file failed: \(String(cString: strerror(EIO)))."
            ),
            (
                StoredLogin.Damage(reason: "it is incomplete"),
                "The login cannot be used: it is incomplete; log in again."
            ),
            (
                LocalFile.Failure.notRegular,
                "The file cannot be read: it is not a regular file."
            ),
            (
                LocalFile.Failure.notFileURL,
                "The file cannot be read: it is not the URL of a file."
            ),
        ]
        for (error, sentence) in errors {
            #expect(error.localizedDescription == sentence)
            #expect(!error.mayHaveTakenEffect && !error.isCancellation)
            #expect("\(error)" != "" && error.failedCall == nil)
        }
    }

    @Test("the first 429 is an error where the policy says so, and so are calls during the pause")
    func firstThrottle() async throws {
        let busy = [Step].answer(429, [("Retry-After", "30")])
        let answers = [busy, .json(Examples.taggedFile)]
        try await client(answers) { client in
            for _ in 1...2 {
                let error = await failure { _ = try await client.files.getMetadata(path: "/x") }
                #expect(error?.failedCall?.kind == .rateLimited)
            }
        } change: {
            $0.retryPolicy.maxThrottles = 0
        }
    }

    @Test("throttled requests are waited out as often as the policy says")
    func throttles() {
        var policy = RetryPolicy(maxThrottles: 1)
        let event = RetryPolicy.Event.rateLimited(.tooManyRequests, retryAfter: .seconds(2))
        var progress = RetryPolicy.Progress(throttles: 1, isSafeToRepeat: true)
        #expect(policy.decide(event, progress, random: 0) == .holdAllCalls(for: .seconds(2)))
        progress.throttles = 2
        #expect(policy.decide(event, progress, random: 0) == .giveUp)
        policy.maxThrottles = nil
        #expect(policy.decide(event, progress, random: 0) == .holdAllCalls(for: .seconds(2)))
    }

    @Test("a client's limit ends a call that names none")
    func callLimit() async throws {
        let busy = [Step].answer(429, [("Retry-After", "3000")])
        try await client([busy]) { client in
            let error = await failure { _ = try await client.files.getMetadata(path: "/x") }
            #expect(error?.failedCall?.kind == .rateLimited)
        } change: {
            $0.callLimit = .seconds(20)
        }
    }

    @Test("a cancelled call says that it was cancelled")
    func cancelled() async throws {
        try await client([[.awaitEnd]]) { client in
            let call = Task { try await client.files.getMetadata(path: "/x") }
            call.cancel()
            let error = await failure { _ = try await call.value }
            #expect(error?.isCancellation == true)
        }
    }

    @Test("a preview has its own length, not that of the file that its metadata is about")
    func preview() async throws {
        let file = Examples.file.split(separator: "\n").joined()
        let answer = [Step].answer(200, [("Dropbox-API-Result", file)], "page")
        try await client([answer]) { client in
            let preview = try await client.files.getPreview(path: "/a.docx")
            #expect(try await preview.body.collect(upTo: 10) == Array("page".utf8))
        }
    }

    @Test("a download whose bytes are not those of its hash is an error")
    func damagedDownload() async throws {
        let file = Examples.file.split(separator: "\n").joined()
            .replacingOccurrences(of: "\"size\":7212", with: "\"size\":4")
        let answer = [Step].answer(200, [("Dropbox-API-Result", file)], "page")
        try await client([answer, answer]) { client in
            let download = try await client.files.download(path: "/a")
            let error = await failure { _ = try await download.body.collect(upTo: 10) }
            #expect(error?.failedCall?.kind == .response)
            let trusting = try await client.files.download(
                path: "/a", options: .init(comparesHashes: false))
            #expect(try await trusting.body.collect(upTo: 10) == Array("page".utf8))
        }
    }
}
