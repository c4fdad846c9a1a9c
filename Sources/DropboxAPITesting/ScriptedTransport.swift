// A server that a test writes down: answers by route, and a record of the requests. Nothing goes
// over a network. Not responsible for what Dropbox would answer: for that there is DropboxEmulator.

public import DropboxAPI
import Synchronization

// Toolchains have it for dynamic linking only; a static release build of everything does without.
#if canImport(Testing)
    import Testing
#endif

/// Answers requests by script, and records them.
///
///     let transport = ScriptedTransport()
///     transport.answer(Files.getMetadata, with: metadata)
///     transport.answer(Files.deleteV2, .error(.pathLookup(.notFound)))
///     try await CodeUnderTest(transport.client()).run()
///     #expect(try transport.arguments(of: Files.getMetadata).map(\.path) == ["/a.txt"])
///
/// Answers of a route are used in order, each once; then a script of the route is asked, then the
/// script for all routes. A request that nothing answers fails the test by a message that names the
/// route, and its call by `TransportError.Kind.invalidRequest`.
public final class ScriptedTransport: HTTPTransport {
    private enum Step {
        case response(ScriptedResponse)
        case failure(TransportError)
        case wrongTest(String)
    }

    private struct Script {
        let answer: @Sendable (RecordedRequest) -> Step?
    }

    private struct State {
        var answers: [String: [Script]] = [:]
        var scripts: [String: Script] = [:]
        var scriptForAll: Script?
        var requests: [RecordedRequest] = []
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let complain: @Sendable (String) -> Void

    /// A transport that answers nothing yet.
    ///
    /// `complain` fails the test: by default as Swift Testing does it; with XCTest, give
    /// `{ XCTFail($0) }`.
    public init(complain: (@Sendable (String) -> Void)? = nil) {
        self.complain = complain ?? Self.failTest
    }

    private static func failTest(_ message: String) {
        #if canImport(Testing)
            Issue.record(Comment(rawValue: message))
        #else
            fatalError(message)
        #endif
    }

    // MARK: Scripts

    /// Answers the next call of a route, after those that were scripted before, with a result.
    public func answer<Argument, Output: Encodable, Failure>(
        _ route: Route<Argument, Output, Failure>, with result: Output
    ) {
        answer(route, .result(result))
    }

    /// Answers the next calls of a route, after those that were scripted before, one after another.
    /// A request that is sent again takes the next answer, too.
    public func answer<Argument, Output, Failure>(
        _ route: Route<Argument, Output, Failure>, _ answers: ScriptedAnswer<Output, Failure>...
    ) {
        let style = route.style
        let scripts = answers.map { answer in Script { Self.step(answer, style, $0) } }
        state.withLock { $0.answers[route.name, default: []] += scripts }
    }

    /// Answers all calls of a route for which no other answer is left, from their arguments.
    public func answer<Argument: Decodable, Output, Failure>(
        _ route: Route<Argument, Output, Failure>,
        by script:
            @escaping @Sendable (Argument, RecordedRequest) -> ScriptedAnswer<Output, Failure>
    ) {
        let style = route.style
        let script = Script { request in
            do {
                let argument = try request.argument(as: Argument.self)
                return Self.step(script(argument, request), style, request)
            } catch {
                return .wrongTest("the argument of \(request.route) cannot be read: \(error)")
            }
        }
        state.withLock { $0.scripts[route.name] = script }
    }

    /// Answers what no route's script does; nil leaves a request unanswered.
    public func answerAll(by script: @escaping @Sendable (RecordedRequest) -> ScriptedResponse?) {
        let script = Script { request in script(request).map { .response($0) } }
        state.withLock { $0.scriptForAll = script }
    }

    private static func step<Output, Failure>(
        _ answer: ScriptedAnswer<Output, Failure>, _ style: RouteStyle, _ request: RecordedRequest
    ) -> Step {
        switch answer.form {
        case .result(let json, let content):
            .response(
                ScriptedResponse(
                    json: json, content: content, style: style, range: request.headers["Range"]))
        case .response(let response): .response(response)
        case .failure(let error): .failure(error)
        case .unwritable(let reason):
            .wrongTest("the answer to \(request.route) cannot be written: \(reason)")
        }
    }

    // MARK: Records

    /// All requests so far, in order, those that were sent again and the unanswered ones too.
    public var requests: [RecordedRequest] { state.withLock { $0.requests } }

    /// The requests of a route.
    public func requests<Argument, Output, Failure>(
        of route: Route<Argument, Output, Failure>
    ) -> [RecordedRequest] {
        requests.filter { $0.route == route.name }
    }

    /// The arguments with which a route was called. Throws when one does not fit the type.
    public func arguments<Argument: Decodable, Output, Failure>(
        of route: Route<Argument, Output, Failure>
    ) throws -> [Argument] {
        try requests(of: route).map { try $0.argument(as: Argument.self) }
    }

    /// The routes of answers that no request has taken, one for each answer, sorted.
    public var unusedAnswers: [String] {
        state.withLock { state in
            state.answers.flatMap { name, answers in answers.map { _ in name } }.sorted()
        }
    }

    // MARK: HTTPTransport

    /// A client that sends here, with a token and an app's key and secret, which does not pause
    /// before it sends again.
    public func client(
        configuration: DropboxConfiguration = .init(
            retryPolicy: .immediate, app: AppCredentials(key: "key", secret: "secret"))
    ) -> DropboxClient {
        DropboxClient(
            configuration: configuration, tokens: FixedAccessToken(AccessToken("token")),
            transport: self)
    }

    /// Records the request, and returns the answer that the script has for its route.
    public func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        let record: RecordedRequest
        do {
            record = try RecordedRequest(request)
        } catch {
            throw TransportError(
                kind: .bodySource, message: "\(error)", mayHaveBeenReceived: false)
        }
        switch step(for: record) {
        case .response(let response):
            return TransportResponse(
                status: response.status, headers: response.headers,
                body: ResponseBody(bytes: response.body))
        case .failure(let error):
            throw error
        case .wrongTest(let message):
            complain(message)
            throw TransportError(
                kind: .invalidRequest, message: message, mayHaveBeenReceived: false)
        }
    }

    private func step(for record: RecordedRequest) -> Step {
        let (scripts, isShutDown) = state.withLock { state in
            guard !state.isShutDown else { return ([] as [Script], true) }
            state.requests.append(record)
            var scripts = [state.scripts[record.route], state.scriptForAll].compactMap(\.self)
            if let answers = state.answers[record.route], let first = answers.first {
                state.answers[record.route] = Array(answers.dropFirst())
                scripts.insert(first, at: 0)
            }
            return (scripts, false)
        }
        if isShutDown {
            return .failure(
                TransportError(
                    kind: .shutDown, message: "the connection was shut down",
                    mayHaveBeenReceived: false))
        }
        // Outside of the lock: a script may read the recorded requests.
        for script in scripts {
            if let step = script.answer(record) { return step }
        }
        return .wrongTest("no answer is scripted for \(record.route)")
    }

    /// Does nothing: no bytes move.
    public func limitBandwidth(up: UInt64?, down: UInt64?) {}

    /// Fails all further requests.
    public func shutDown() async {
        state.withLock { $0.isShutDown = true }
    }
}

extension RetryPolicy {
    /// Sends again without pauses, but where an answer names a pause.
    public static let immediate = RetryPolicy(
        firstFaultDelay: .zero, longestFaultDelay: .zero, firstContentionDelay: .zero,
        longestContentionDelay: .zero, unnamedRateLimitDelay: .zero)
}
