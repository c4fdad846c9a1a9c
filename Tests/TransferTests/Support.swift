// The common parts of the tests of transfers: an account on an emulator, and a transport that
// counts, loses and holds requests.

import ContentHashing
import DropboxAPI
import DropboxEmulator
import Foundation
import Logging
import Synchronization
import TestSupport

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Sends requests on, unless its script wants something else, and counts what moves.
final class ScriptedTransport: HTTPTransport {
    enum Action: Sendable {
        /// Sends the request to the server.
        case pass
        /// Sends it on and loses the answer.
        case loseAnswer
        /// Loses the request, without a sign to the client.
        case loseRequest
        /// Fails without a request, which the server cannot have received.
        case fail(TransportError.Kind)
        /// Answers without the server.
        case json(String, status: Int = 200)
        /// Answers when the task is cancelled.
        case hang
        /// Sends it on, says that the server has answered, and answers when the task is cancelled.
        case hold(@Sendable () -> Void)
    }

    struct Meter: Sendable {
        /// Number of requests by route.
        var requests: [String: Int] = [:]
        var total = 0
        /// Bytes of content in requests that were sent on, by route.
        var bytes: [String: UInt64] = [:]
        /// Ranges that were asked for.
        var ranges: [String] = []
        /// Bodies of content whose answer has come.
        var answeredBytes: UInt64 = 0
    }

    private let inner: (any HTTPTransport)?
    private let script: @Sendable (TransportRequest, Int) -> Action
    private let state = Mutex(Meter())

    var meter: Meter { state.withLock { $0 } }

    /// The script is told how many requests of the route there were before.
    init(
        over inner: (any HTTPTransport)? = nil,
        script: @escaping @Sendable (TransportRequest, Int) -> Action = { _, _ in .pass }
    ) {
        self.inner = inner
        self.script = script
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let number = state.withLock { meter in
            meter.total += 1
            if let range = request.headers["Range"] { meter.ranges.append(range) }
            defer { meter.requests[request.label, default: 0] += 1 }
            return meter.requests[request.label, default: 0]
        }
        let lost = TransportError(kind: .reset, message: "lost", mayHaveBeenReceived: true)
        switch script(request, number) {
        case .pass: return try await pass(request)
        case .loseAnswer:
            _ = try await pass(request).body.collect(upTo: 1 << 30)
            throw lost
        case .loseRequest: throw lost
        case .fail(let kind):
            throw TransportError(kind: kind, message: "failed", mayHaveBeenReceived: false)
        case .json(let text, let status):
            return TransportResponse(
                status: status, headers: [:], body: ResponseBody(WholeBody(Array(text.utf8))))
        case .hold(let isDone):
            _ = try await pass(request).body.collect(upTo: 1 << 30)
            isDone()
            fallthrough
        case .hang:
            await waitForCancellation()
            throw TransportError(kind: .cancelled, message: "", mayHaveBeenReceived: true)
        }
    }

    private func pass(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        guard let inner else {
            throw TransportError(kind: .shutDown, message: "no server", mayHaveBeenReceived: false)
        }
        let size = request.purpose == .upload ? request.body?.length ?? 0 : 0
        state.withLock { $0.bytes[request.label, default: 0] += size }
        let response = try await inner.send(request)
        state.withLock { $0.answeredBytes += size }
        return response
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async { await inner?.shutDown() }

    /// A client that waits for nothing, unless it is told so.
    func client(
        hosts: DropboxHosts = .dropbox, policy: RetryPolicy = .impatient,
        resultLimit: Int = 64 << 20,
        tokens: any AccessTokenProvider = FixedAccessToken(AccessToken("token")),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in await Task.yield() }
    ) -> DropboxClient {
        var client = DropboxClient(
            configuration: DropboxConfiguration(
                hosts: hosts, retryPolicy: policy, resultLimit: resultLimit),
            tokens: tokens, transport: self, logger: silent)
        client.clock = CallClock(sleep: sleep, random: { 0 })
        return client
    }
}

/// A token whose first renewals fail.
final class UnsteadyTokens: AccessTokenProvider {
    private let failures: Mutex<[TokenError]>

    init(_ failures: [TokenError]) {
        self.failures = Mutex(failures)
    }

    /// The failures that are still to come.
    var left: [TokenError] { failures.withLock { $0 } }

    func accessToken() throws(TokenError) -> AccessToken {
        let failure: TokenError? = failures.withLock { failures in
            failures.isEmpty ? nil : failures.removeFirst()
        }
        if let failure { throw failure }
        return AccessToken("token")
    }

    func accessToken(replacing expired: AccessToken) -> AccessToken? { nil }

    /// The ends of renewals while the network or the server is away.
    static let temporary: [TokenError] = [
        .transport(TransportError(kind: .connect, message: "", mayHaveBeenReceived: false)),
        .transport(
            TransportError(kind: .timedOut(.deadline), message: "", mayHaveBeenReceived: true)),
        .server(status: 503, message: ""), .server(status: 429, message: ""),
    ]
}

extension RetryPolicy {
    /// Pauses between attempts are the client's business, and tested there.
    static let impatient = RetryPolicy(
        firstFaultDelay: .zero, longestFaultDelay: .zero, firstContentionDelay: .zero,
        longestContentionDelay: .zero)
}

/// A body in one chunk.
private final class WholeBody: ChunkSource {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func nextChunk() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    func abandon() {}
}

/// An account on an emulator in this process.
struct TestAccount: Sendable {
    let server: RunningEmulator
    /// Untouched by any script.
    let plain: DropboxClient
    /// A folder that is gone after the test.
    let folder: String

    static func with(_ body: (TestAccount) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("transfer-tests-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await EmulatorServer(
            configuration: EmulatorConfiguration(
                stateFolder: folder + "/server", tokens: ["token"], logger: silent)
        ).start()
        let plain = try DropboxClient(
            configuration: DropboxConfiguration(
                hosts: try DropboxHosts(endpoint: server.baseURL), retryPolicy: .impatient),
            accessToken: "token", logger: silent)
        let account = TestAccount(server: server, plain: plain, folder: folder)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(account))
        } catch {
            result = .failure(error)
        }
        await plain.shutDown()
        await server.stop()
        try result.get()
    }

    /// A transport to the emulator, and a client over it.
    func scripted(
        policy: RetryPolicy = .impatient,
        tokens: any AccessTokenProvider = FixedAccessToken(AccessToken("token")),
        _ script: @escaping @Sendable (TransportRequest, Int) -> ScriptedTransport.Action = {
            _, _ in
            .pass
        }
    ) throws -> (transport: ScriptedTransport, client: DropboxClient) {
        let transport = ScriptedTransport(over: try CurlTransport(logger: silent), script: script)
        let hosts = try DropboxHosts(endpoint: server.baseURL)
        return (transport, transport.client(hosts: hosts, policy: policy, tokens: tokens))
    }

    /// The files of the account, by path, with their hashes.
    func hashes() async throws -> [String: ContentHash?] {
        var hashes: [String: ContentHash?] = [:]
        for try await entry in plain.files.entries(of: "", recursive: true) {
            if case .file(let file) = entry {
                hashes[file.pathDisplay ?? file.name] = file.contentHash
            }
        }
        return hashes
    }

    func put(_ path: String, _ bytes: [UInt8]) async throws {
        _ = try await plain.files.upload(path: path, mode: .overwrite, body: BytesBody(bytes))
    }
}

/// Bytes that differ by their seed and their place.
func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
    var page = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ seed) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var number = 0
    while bytes.count < count {
        withUnsafeBytes(of: number &* 0x9E37_79B9 ^ seed) { page.replaceSubrange(0..<8, with: $0) }
        bytes += page.prefix(count - bytes.count)
        number += 1
    }
    return bytes
}
