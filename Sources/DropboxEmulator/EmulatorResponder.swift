// Maps HTTP requests to routes and results to responses: authentication, faults, counting, and
// errors shared by all routes. Not responsible for what a route does (`Routes`).

import HTTPTypes
import Hummingbird
import NIOCore

import Glibc

/// A request's connection, which faults may break.
struct EmulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// A request that is being processed.
private struct ResponderExchange: Sendable {
    let request: Request
    let function: String
    /// Distinguishes the request from all others of this run.
    let number: UInt64
    let body: IncomingBody
    let plan: FaultPlan
}

/// Responds to every request.
struct EmulatorResponder: HTTPResponder {
    /// The most of a body, in bytes, that is queued without waiting for the event loop.
    private static let paceSize: Int64 = 1 << 20

    let emulator: Emulator

    func respond(to request: Request, context: EmulatorContext) async throws -> Response {
        if let refusal = VisitorCheck.refusal(request) {
            return Response(
                status: .forbidden, headers: [.contentType: "text/plain; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: refusal)))
        }
        let path = request.uri.path
        if path == "/admin" || path.hasPrefix("/admin/") {
            return try await AdminRoutes(emulator: emulator).respond(to: request)
        }
        let function = Self.function(path)
        emulator.statistics.addRequest(function)
        let length = request.headers[.contentLength].flatMap { Int64($0) }
        let body = IncomingBody(
            request.body, route: function, statistics: emulator.statistics,
            limiter: emulator.uploads, announcedLength: length)
        let plan = emulator.faults.plan(for: function)
        let number = emulator.makeRequestNumber()
        let exchange = ResponderExchange(
            request: request, function: function, number: number, body: body, plan: plan)
        do {
            try await delay(function)
            let response = try await answer(exchange)
            emulator.requestLog?.note(number, answer: response.summary, function: function)
            return self.response(
                response, function: function, number: number, plan: plan, channel: context.channel)
        } catch is ConnectionReset {
            emulator.requestLog?.note(number, answer: "connection reset", function: function)
            emulator.statistics.addStatus(0, function)
            try await Self.reset(context.channel)
            throw ConnectionReset()
        }
    }

    /// The name under which a function is counted and faults are planned.
    private static func function(_ path: String) -> String {
        if path.hasPrefix("/2/") { return String(path.dropFirst(3)) }
        if path.hasPrefix(TemporaryLinkRoutes.prefix) { return "temporary_link" }
        return String(path.dropFirst())
    }

    private func delay(_ function: String) async throws {
        let milliseconds = Settings.value(emulator.settings.latency, of: function)
        guard milliseconds > 0 else { return }
        try await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// Closes a connection so that the client sees a reset.
    private static func reset(_ channel: any Channel) async throws {
        let abrupt = linger(l_onoff: 1, l_linger: 0)
        try? await (channel as? any SocketOptionProvider)?.setSoLinger(abrupt).get()
        try? await channel.close()
    }

    // MARK: Answers

    /// Executes a call, and turns every error into a response.
    private func answer(_ exchange: ResponderExchange) async throws -> RouteResponse {
        do {
            return try await exchange.plan.spoil(try await carryOut(exchange))
        } catch {
            if !(error is ConnectionReset) { await exchange.body.drain() }
            return try Self.failure(error, function: exchange.function).response
        }
    }

    private static func failure(_ error: any Error, function: String) throws -> RouteFailure {
        switch error {
        case let failure as RouteFailure: return failure
        case let union as any APIUnion: return .route(union.json)
        case let argument as ArgumentError:
            return .badInput("Error in call to API function \"\(function)\": \(argument.message)")
        case let error as FileError: return .plain(500, error.description)
        default: throw error
        }
    }

    private func carryOut(_ exchange: ResponderExchange) async throws -> RouteResponse {
        let request = exchange.request
        let function = exchange.function
        guard request.uri.path.hasPrefix("/2/") else {
            try await exchange.plan.begin(account: nil)
            return try await page(request, body: exchange.body)
        }
        if let respond = Routes.tokenless[function] {
            try Self.checkMethod(request, style: .rpc)
            try await exchange.plan.begin(account: nil)
            return try await respond(emulator, request, exchange.body)
        }
        guard let route = Routes.table[function] else {
            throw RouteFailure.badInput("Unknown API function: \"\(function)\"")
        }
        try Self.checkMethod(request, style: route.style)
        let call = try await call(exchange, route: route)
        emulator.requestLog?.note(
            exchange.number, call: function, token: call.token, argument: call.argument.value)
        return try await carryOut(call, route: route, plan: exchange.plan)
    }

    /// Calls a route, at once or after the configured delay.
    private func carryOut(_ call: Call, route: Route, plan: FaultPlan) async throws -> RouteResponse
    {
        let settings = emulator.settings
        let refusals = OperationRefusals(plan, refusesIDs: settings.refusesIDs)
        let milliseconds = Settings.value(settings.latencyAfter, of: call.function)
        guard milliseconds > 0 else {
            return try await OperationRefusals.$current.withValue(refusals) {
                try await route.handler(call)
            }
        }
        try await call.body.keep()
        return try await emulator.deferred.run(after: .milliseconds(milliseconds)) {
            try await OperationRefusals.$current.withValue(refusals) {
                try await route.handler(call)
            }
        }
    }

    private static func checkMethod(
        _ request: Request, style: RouteStyle
    ) throws(ArgumentError) {
        guard request.method == .post || (request.method == .get && style == .download) else {
            throw ArgumentError(
                message: "Your request's HTTP request method is \"\(request.method.rawValue)\".  "
                    + "This function only accepts \"POST\".")
        }
    }

    /// The URLs outside of `/2/`: temporary links and logins.
    private func page(_ request: Request, body: IncomingBody) async throws -> RouteResponse {
        let path = request.uri.path
        if path.hasPrefix(TemporaryLinkRoutes.prefix) {
            return try await TemporaryLinkRoutes.respond(to: request, emulator: emulator)
        }
        switch path {
        case "/oauth2/token": return try await OAuthRoutes(emulator: emulator).token(request, body)
        case "/oauth2/authorize":
            return try await OAuthRoutes(emulator: emulator).authorize(request, body)
        default: throw RouteFailure.plain(404, "Not found")
        }
    }

    /// Assembles the call for a route.
    private func call(_ exchange: ResponderExchange, route: Route) async throws -> Call {
        let (request, plan) = (exchange.request, exchange.plan)
        let caller = try Requester(request, route: route, emulator: emulator)
        try await plan.begin(account: caller.account)
        var headers = request.headers
        if plan.details(.ignoreRange) != nil { headers[.range] = nil }
        let source = try await ArgumentSource(
            request, style: route.style, takesNothing: route.takesNothing,
            demandsASCII: emulator.settings.demandsASCIIArguments, body: exchange.body)
        return Call(
            emulator: emulator, function: exchange.function, account: caller.account,
            space: caller.space, base: caller.base, token: caller.token, argument: source,
            body: exchange.body, headers: headers, host: request.head.authority ?? "127.0.0.1")
    }

    // MARK: Responses

    private func response(
        _ response: RouteResponse, function: String, number: UInt64, plan: FaultPlan,
        channel: any Channel
    ) -> Response {
        emulator.statistics.addStatus(response.status, function)
        var headers = HTTPFields()
        for header in response.headers {
            if let name = HTTPField.Name(header.name) { headers[name] = header.value }
        }
        if let name = HTTPField.Name("X-Dropbox-Request-Id") {
            headers[name] = Emulator.requestID(number)
        }
        let statistics = emulator.statistics
        let limiter = emulator.downloads
        let sabotage = BodySabotage(plan)
        let (length, pieces) = response.body.pieces
        let body = ResponseBody(contentLength: length.map { Int($0) }) { writer in
            var offset: Int64 = 0
            do {
                for try await piece in pieces {
                    try await limiter.pass(piece.readableBytes)
                    for step in sabotage.steps(piece, at: offset) {
                        guard let part = try await step.part() else { continue }
                        statistics.addBytesOut(part.readableBytes, function)
                        try await writer.write(part)
                    }
                    offset += Int64(piece.readableBytes)
                    // A write only enqueues to the event loop, and on a busy machine a body can be
                    // read much faster than the loop notices that the client is slow.
                    if offset / Self.paceSize != (offset - Int64(piece.readableBytes))
                        / Self.paceSize
                    {
                        try await channel.eventLoop.submit {}.get()
                    }
                }
            } catch let error as ConnectionReset {
                try await Self.reset(channel)
                throw error
            }
            try await writer.finish(nil)
        }
        return Response(status: .init(code: response.status), headers: headers, body: body)
    }
}

extension RouteResponse.Body {
    /// The body's length and its pieces.
    fileprivate var pieces: (Int64?, any RouteResponse.Pieces) {
        switch self {
        case .json(let value): Self.single(ByteBuffer(bytes: value.utf8()))
        case .text(let text): Self.single(ByteBuffer(string: text))
        case .stream(let length, let pieces): (length, pieces)
        }
    }

    private static func single(_ buffer: ByteBuffer) -> (Int64?, any RouteResponse.Pieces) {
        (Int64(buffer.readableBytes), SinglePiece(buffer))
    }
}

/// A body that is in memory.
private struct SinglePiece: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let buffer: ByteBuffer

    init(_ buffer: ByteBuffer) {
        self.buffer = buffer
    }

    func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    struct Iterator: AsyncIteratorProtocol {
        var buffer: ByteBuffer?

        mutating func next() async throws -> ByteBuffer? {
            defer { buffer = nil }
            return buffer
        }
    }
}
