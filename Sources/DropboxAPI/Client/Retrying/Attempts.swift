// One call as a series of requests: rate gate, token, request, response, decision. RetryPolicy
// makes the decisions; this file carries them out.

import Essentials
import Saturating

/// Clock and random numbers, replaceable in tests.
package struct CallClock: Sendable {
    package var now: @Sendable () -> ContinuousClock.Instant
    package var sleep: @Sendable (Duration) async throws -> Void
    package var random: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.now = now
        self.sleep = sleep
        self.random = random
    }
}

extension CallError {
    /// Wraps a kind as the failure of a `Result`.
    struct Failed: Error {
        let kind: Kind

        init(_ kind: Kind) {
            self.kind = kind
        }

        init(_ error: TransportError) {
            kind = Kind(error)
        }
    }
}

/// The attempts of one call so far.
private struct CallHistory {
    var context: CallContext
    var faults = 0
    var throttles = 0
    /// The JSON of the last response's result.
    var result: [UInt8]?
    var hasReplacedToken = false
    var token: AccessToken?
}

extension DropboxClient {
    /// Bytes read of an error response's body, at most.
    private static var errorBodyLimit: Int { 64 << 10 }

    /// Makes a call, and reports its end to observers.
    ///
    /// `read` turns a successful response into the result, and returns the result's JSON by its
    /// second argument.
    @_semantics("optimize.sil.specialize.generic.never")
    func perform<Output: Sendable, Failure>(
        _ call: PreparedCall,
        read: (TransportResponse, inout [UInt8]?) async -> Result<Output, CallError<Failure>.Failed>
    ) async throws(CallError<Failure>) -> Output {
        let start = clock.now()
        var history = CallHistory(context: call.context)
        var failure: CallFailure?
        defer {
            var record = CallRecord(
                context: failure?.context ?? history.context,
                duration: start.duration(to: clock.now()), failure: failure)
            reporter.callEnded(record)
            if let onEnd = call.options.onEnd {
                record.resultJSON = failure == nil ? history.result.map { Data($0) } : nil
                onEnd(record)
            }
        }
        do {
            return try await repeated(call, &history, read: read)
        } catch {
            failure = CallFailure(error)
            throw error
        }
    }

    /// Sends until there is a result, a permanent error, or no time left.
    private func repeated<Output: Sendable, Failure>(
        _ call: PreparedCall, _ history: inout CallHistory,
        read: (TransportResponse, inout [UInt8]?) async -> Result<Output, CallError<Failure>.Failed>
    ) async throws(CallError<Failure>) -> Output {
        while true {
            try await passGate(call, history.context, Failure.self)
            history.token = try await token(for: call, history, Failure.self)
            // A transport cannot always say that it was stopped before it had sent anything.
            guard !Task.isCancelled else {
                throw CallError(kind: .cancelled, context: history.context)
            }
            history.context.attempts &+= 1
            history.context.isBetweenRequests = false
            let failed: CallError<Failure>.Failed
            switch await attempt(call, &history, read: read) {
            case .success(let output): return output
            case .failure(let failure): failed = failure
            }
            let error = CallError(kind: failed.kind, context: history.context)
            // A cancellation of the pause speaks of all requests so far.
            history.context.earlierAttemptMayHaveTakenEffect = error.mayHaveTakenEffect
            history.context.isBetweenRequests = true
            if error.kind.asksForNewToken, !history.hasReplacedToken,
                let expired = history.token,
                let fresh = try await replacement(
                    for: expired, call, history.context, Failure.self)
            {
                history.hasReplacedToken = true
                history.token = fresh
                continue
            }
            try await pauseOrThrow(error, call, &history)
        }
    }

    /// Waits while the rate gate is closed. Routes without a token have limits of their own.
    private func passGate<Failure>(
        _ call: PreparedCall, _ context: CallContext, _ type: Failure.Type
    ) async throws(CallError<Failure>) {
        guard call.authentication != .none else { return }
        while let delay = gate.delay(at: clock.now()) {
            let mayWait = configuration.retryPolicy.maxThrottles != 0
            if !mayWait || longestPause(call).map({ delay >= $0 }) ?? false {
                throw CallError(
                    kind: .rateLimited(reason: .tooManyRequests, retryAfter: delay),
                    context: context)
            }
            // Up to a tenth more, so that the waiting calls do not all start at once.
            let more = min(delay / 10, .seconds(1)) *| clock.random()
            try await sleep(delay +| more, context, type)
        }
    }

    private func token<Failure>(
        for call: PreparedCall, _ history: CallHistory, _ type: Failure.Type
    ) async throws(CallError<Failure>) -> AccessToken? {
        switch call.authentication {
        case .none: return nil
        case .app:
            guard configuration.app?.secret != nil else {
                let missing = TokenError.missing("the app's key and secret are not configured")
                throw CallError(kind: .token(missing), context: history.context)
            }
            return nil
        case .user, .team, .userOrApp: break
        }
        if history.hasReplacedToken, let token = history.token { return token }
        let tokens = tokens
        let question = TokenQuestion { () async throws(TokenError) -> AccessToken? in
            try await tokens.accessToken()
        }
        return try await answer(to: question, of: call, history.context, type)
    }

    private func replacement<Failure>(
        for expired: AccessToken, _ call: PreparedCall, _ context: CallContext,
        _ type: Failure.Type
    ) async throws(CallError<Failure>) -> AccessToken? {
        let tokens = tokens
        let question = TokenQuestion { () async throws(TokenError) -> AccessToken? in
            try await tokens.accessToken(replacing: expired)
        }
        return try await answer(to: question, of: call, context, type)
    }

    /// A failure is not retried here: a renewal has attempts of its own.
    private func answer<Failure>(
        to question: TokenQuestion, of call: PreparedCall, _ context: CallContext,
        _ type: Failure.Type
    ) async throws(CallError<Failure>) -> AccessToken? {
        let kind: CallError<Failure>.Kind
        switch await question.answer(within: remaining(call)) {
        case .success(let token)?: return token
        case .failure(let error)?: kind = error == .cancelled ? .cancelled : .token(error)
        case nil:
            kind = .transport(TransportError(expired: .deadline, mayHaveBeenReceived: false))
        }
        throw CallError(kind: kind, context: context)
    }

    /// Sends one request and reads its response.
    private func attempt<Output: Sendable, Failure>(
        _ call: PreparedCall, _ history: inout CallHistory,
        read: (TransportResponse, inout [UInt8]?) async -> Result<Output, CallError<Failure>.Failed>
    ) async -> Result<Output, CallError<Failure>.Failed> {
        let start = clock.now()
        let result: Result<Output, CallError<Failure>.Failed>
        history.context.clearAnswer()
        do {
            let response = try await transport.send(request(call, token: history.token))
            history.context.status = response.status
            history.context.requestID = response.requestID
            if response.status == 200 || response.status == 206 && call.purpose == .download {
                result = await read(response, &history.result)
            } else {
                let body = await response.body.prefix(upTo: Self.errorBodyLimit)
                history.context.answer = FailureAnswer(body: body)
                result = .failure(
                    .init(.init(status: response.status, headers: response.headers, body: body)))
            }
        } catch {
            result = .failure(.init(error))
        }
        var failure: String?
        if case .failure(let failed) = result {
            failure = failed.kind.explanation
        }
        reporter.requestEnded(
            RequestRecord(
                route: call.name, label: call.options.label, status: history.context.status,
                requestID: history.context.requestID,
                duration: start.duration(to: clock.now()), attempt: history.context.attempts,
                failure: failure))
        return result
    }

    private func request(_ call: PreparedCall, token: AccessToken?) -> TransportRequest {
        var headers = call.headers
        if let authorization = authorization(call, token: token) {
            headers.append("Authorization", authorization)
        }
        var timeouts = call.timeouts
        if let remaining = remaining(call) {
            timeouts.total = min(timeouts.total ?? remaining, remaining)
        }
        return TransportRequest(
            url: call.url, headers: headers, body: call.body, purpose: call.purpose,
            timeouts: timeouts, mayBeSentTwice: call.mayBeSentTwiceSilently,
            acceptsCompression: call.acceptsCompression, label: call.name)
    }

    private func pauseOrThrow<Failure>(
        _ error: CallError<Failure>, _ call: PreparedCall, _ history: inout CallHistory
    ) async throws(CallError<Failure>) {
        let event = error.kind.retryEvent
        if RetryPolicy.isThrottling(event) { history.throttles &+= 1 } else { history.faults &+= 1 }
        let limit = RetryPolicy.isThrottling(event) ? longestPause(call) : remaining(call)
        let progress = RetryPolicy.Progress(
            faults: history.faults, throttles: history.throttles, remaining: limit,
            isSafeToRepeat: call.isSafeToRepeat, hasContent: call.hasContent,
            isPacedByCaller: call.isPacedByCaller, maxAttempts: call.options.maxAttempts)
        switch configuration.retryPolicy.decide(event, progress, random: clock.random()) {
        case .giveUp:
            if !call.isPacedByCaller { closeGate(after: event) }
            throw error
        case .retry(let delay):
            reporter.retryDecided(
                RetryRecord(failure: CallFailure(error), delay: delay, holdsAllCalls: false))
            let isOfNetwork = if case .transport = event { true } else { false }
            try await sleep(delay, history.context, Failure.self, endsWithNetwork: isOfNetwork)
        case .holdAllCalls(let delay):
            reporter.retryDecided(
                RetryRecord(failure: CallFailure(error), delay: delay, holdsAllCalls: true))
            gate.close(until: clock.now().advanced(by: delay))
        }
    }

    /// Closes the rate gate even when this call has no time to wait: otherwise each later call
    /// would run into the same limit.
    private func closeGate(after event: RetryPolicy.Event) {
        guard let delay = configuration.retryPolicy.closure(after: event) else { return }
        gate.close(until: clock.now().advanced(by: delay))
    }

    private func sleep<Failure>(
        _ duration: Duration, _ context: CallContext, _ type: Failure.Type,
        endsWithNetwork: Bool = false
    ) async throws(CallError<Failure>) {
        do {
            if endsWithNetwork {
                try await networkPauses.sleep(duration, by: clock)
            } else {
                try await clock.sleep(duration)
            }
        } catch {
            throw CallError(kind: .cancelled, context: context)
        }
    }

    private func remaining(_ call: PreparedCall) -> Duration? {
        call.options.deadline.map { max(.zero, clock.now().duration(to: $0)) }
    }

    /// The longest backoff the server may ask of this call; nil for no limit.
    private func longestPause(_ call: PreparedCall) -> Duration? {
        [call.options.deadline, call.options.pauseDeadline].compactMap(\.self).min()
            .map { max(.zero, clock.now().duration(to: $0)) }
    }
}

extension CallError.Kind {
    /// Whether another token may help. This includes a revoked one: the user may have logged in
    /// again since, and if not, the refused refresh is final.
    fileprivate var asksForNewToken: Bool {
        switch self {
        case .auth(.expiredAccessToken), .auth(.invalidAccessToken): true
        default: false
        }
    }

    /// The event that the retry policy decides on.
    package var retryEvent: RetryPolicy.Event {
        switch self {
        case .route(let failure, _): .route(failure.remedy)
        case .internalServer: .serverFault
        case .rateLimited(let reason, let wait): .rateLimited(reason, retryAfter: wait)
        case .transport(let error), .token(.transport(let error)): .transport(error)
        case .token(let error) where error.isTemporary: .serverFault
        case .badInput, .auth, .access, .pathRoot, .http, .serialization, .response, .token,
            .cancelled:
            .permanent
        }
    }
}

extension CallContext {
    /// Forgets the response before a new request.
    fileprivate mutating func clearAnswer() {
        requestID = nil
        status = nil
        answer = nil
    }
}

extension Duration {
    /// In whole milliseconds, clamped to `Int64`: a timeout of "for ever" may exceed it.
    var milliseconds: Int64 {
        let (seconds, isLonger) = components.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isJustLonger) = seconds.addingReportingOverflow(
            components.attoseconds / 1_000_000_000_000_000)
        guard isLonger || isJustLonger else { return sum }
        return components.seconds < 0 ? .min : .max
    }
}
