// The scripted server: the answer of a call, the record of requests, and the failures of a test.

import DropboxAPI
import DropboxAPITesting
import Synchronization
import Testing

/// A refusal like those of routes.
private struct Refusal: RouteError, Equatable {
    var reason: String
}

private struct Document: Codable, Hashable, Sendable {
    var name: String
}

@Suite(.timeLimit(.minutes(5)))
struct ScriptedTransportTests {
    private let transport = ScriptedTransport()
    private let read = Route<Document, Document, Refusal>("notes/read", isSafeToRepeat: true)
    private let write = Route<Document, NoValue, Refusal>(
        "notes/write", host: .content, style: .upload, isSafeToRepeat: false)
    private let fetch = Route<Document, Document, Refusal>(
        "notes/fetch", host: .content, style: .download, isSafeToRepeat: true)

    private func kind<Output>(
        _ call: () async throws(CallError<Refusal>) -> Output
    ) async -> CallError<Refusal>.Kind? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("answers are given in order, each once; requests are recorded")
    func order() async throws {
        transport.answer(read, with: Document(name: "first"))
        transport.answer(
            read, .error(Refusal(reason: "no"), userMessage: "Nö"), .result(.init(name: "ü")))
        let client = transport.client()
        #expect(try await client.call(read, .init(name: "a")).name == "first")
        #expect(transport.unusedAnswers == ["notes/read", "notes/read"])
        let error = await kind { () async throws(CallError<Refusal>) in
            try await client.call(read, .init(name: "b"))
        }
        #expect(error == .route(Refusal(reason: "no"), userMessage: "Nö"))
        #expect(try await client.call(read, .init(name: "c")).name == "ü")
        #expect(try transport.arguments(of: read).map(\.name) == ["a", "b", "c"])
        #expect(transport.requests.map(\.route) == ["notes/read", "notes/read", "notes/read"])
        #expect(transport.requests[0].headers["Authorization"] == "Bearer token")
        #expect(transport.requests[0].url == "https://api.dropboxapi.com/2/notes/read")
        #expect(transport.unusedAnswers.isEmpty)
    }

    @Test("content that goes up is recorded, beside its argument")
    func upload() async throws {
        transport.answer(write, with: NoValue())
        let body = ConcatenatedBody([BytesBody([1, 2]), BytesBody([3])])
        _ = try await transport.client().upload(write, .init(name: "é"), body: body)
        let request = try #require(transport.requests(of: write).first)
        #expect(request.body == [1, 2, 3])
        #expect(request.argumentJSON == #"{"name":"\u00e9"}"#)
        #expect(try transport.arguments(of: write) == [Document(name: "é")])
    }

    @Test("a download gives its content, or the part that was asked for")
    func download() async throws {
        transport.answer(fetch) { argument, _ in
            .download(argument, content: Array("content".utf8))
        }
        let client = transport.client()
        let whole = try await client.download(fetch, .init(name: "ö"))
        #expect(whole.result.name == "ö")
        #expect(try await whole.body.collect(upTo: 100) == Array("content".utf8))
        for (range, text) in [
            (ByteRange.from(3), "tent"), (.bytes(1..<3), "on"), (.bytes(5..<100), "nt"),
        ] {
            let part = try await client.download(fetch, .init(name: "a"), range: range)
            #expect(try await part.body.collect(upTo: 100) == Array(text.utf8))
        }
        let behind = await kind { () async throws(CallError<Refusal>) in
            try await client.download(fetch, .init(name: "a"), range: .from(7))
        }
        #expect(behind == .response(.rangeNotSatisfiable))
    }

    @Test("nothing is waited for before a request is sent again")
    func pauses() {
        let progress = RetryPolicy.Progress(faults: 3, throttles: 3, isSafeToRepeat: true)
        let policy = RetryPolicy.immediate
        #expect(policy.decide(.serverFault, progress, random: 1) == .retry(after: .zero))
        let contention = RetryPolicy.Event.route(.waitForWriters)
        #expect(policy.decide(contention, progress, random: 1) == .retry(after: .zero))
        let limit = RetryPolicy.Event.rateLimited(.tooManyRequests, retryAfter: nil)
        #expect(policy.decide(limit, progress, random: 1) == .holdAllCalls(for: .zero))
    }

    @Test("raw answers and failures of the network pass through the client's rules")
    func raw() async throws {
        let lost = TransportError(kind: .reset, message: "lost", mayHaveBeenReceived: true)
        transport.answer(
            read, .response(.init(status: 500)), .failure(lost), .result(.init(name: "third")))
        #expect(try await transport.client().call(read, .init(name: "a")).name == "third")
        #expect(transport.requests.count == 3)
        transport.answer(write, .failure(lost))
        let error = await kind { () async throws(CallError<Refusal>) in
            try await transport.client().upload(write, .init(name: "a"), body: BytesBody([1]))
        }
        #expect(error == .transport(lost))
        transport.answer(read, .response(.json("nonsense")))
        let unread = await kind { () async throws(CallError<Refusal>) in
            try await transport.client().call(read, .init(name: "a"))
        }
        guard case .serialization? = unread else {
            return #expect(Bool(false), "\(String(describing: unread))")
        }
    }

    @Test("a route's script is asked when its answers are used up, and the script for all after it")
    func scripts() async throws {
        transport.answer(read, with: Document(name: "queued"))
        transport.answer(read) { argument, request in
            .result(.init(name: argument.name + " by script of \(request.route)"))
        }
        transport.answerAll { request in
            request.route == "notes/write" ? .json("null") : nil
        }
        let client = transport.client()
        #expect(try await client.call(read, .init(name: "a")).name == "queued")
        #expect(
            try await client.call(read, .init(name: "a")).name == "a by script of notes/read")
        _ = try await client.upload(write, .init(name: "a"), body: BytesBody([]))
    }

    @Test("an unanswered request fails the test by its route's name, and is not sent again")
    func unanswered() async {
        let complaints = Mutex<[String]>([])
        let transport = ScriptedTransport { message in complaints.withLock { $0.append(message) } }
        let error = await kind { () async throws(CallError<Refusal>) in
            try await transport.client().call(read, .init(name: "a"))
        }
        #expect(complaints.withLock { $0 } == ["no answer is scripted for notes/read"])
        guard case .transport(let failure)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.kind == .invalidRequest)
        #expect(transport.requests.count == 1)
    }

    @Test("without a handler of its own, Swift Testing's test fails")
    func unansweredIssue() async {
        await withKnownIssue {
            _ = await kind { () async throws(CallError<Refusal>) in
                try await transport.client().call(read, .init(name: "a"))
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue == "no answer is scripted for notes/read" }
        }
    }

    @Test("after its end it refuses requests, as a transport does")
    func shutDown() async {
        let client = transport.client()
        await client.shutDown()
        let error = await kind { () async throws(CallError<Refusal>) in
            try await client.call(read, .init(name: "a"))
        }
        guard case .transport(let failure)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.kind == .shutDown)
        #expect(transport.requests.isEmpty)
    }
}
