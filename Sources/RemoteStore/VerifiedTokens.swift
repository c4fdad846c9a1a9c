// Access tokens that are given out only once the server has said whose they are, so that one person's files are
// never listed for another, nor sent to another's account: not by a token that was mistaken, nor by a mount that
// began while the server could not be asked. Not responsible for where tokens come from, nor for remembering
// accounts.

public import DropboxAPI
import Synchronization

/// Gives a mount the tokens of one account, and those of no other.
public final class VerifiedTokens: AccessTokenProvider {
    private struct State {
        /// The account's id; nil until it is known, and then for good.
        var expected: String?
        /// The last token that is the account's.
        var verified: AccessToken?
        /// The last token that is somebody else's, and what is said about it.
        var refused: (token: AccessToken, message: String)?
        /// The token that the server does not want to be asked about before a moment.
        var pause: (token: AccessToken, end: ContinuousClock.Instant)?
        /// Questions that are on their way, by the token that they are about.
        var questions: [AccessToken: Question] = [:]
        var lastQuestion = 0
        /// The question whose answer was the last one to be kept.
        var lastKept = 0
        var lastWaiter = 0
    }

    private typealias Outcome = Result<Answer, Failure>

    /// One request, and all who wait for its answer.
    private struct Question {
        var number: Int
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    }

    private let base: any AccessTokenProvider
    private let client: @Sendable (AccessToken) -> DropboxClient
    private let explanation: @Sendable (RemoteAccount) -> String
    private let now: @Sendable () -> ContinuousClock.Instant
    /// Held for assignments; no other lock is taken under it.
    private let state: Mutex<State>

    /// Gives tokens of `base` that are of the account with the id `expected`; with nil, of the first account that
    /// `owner()` finds. `client` makes a client that calls by one token, `explanation` says what is wrong with a
    /// token of another account.
    public convenience init(
        _ base: any AccessTokenProvider, expected: String?,
        client: @escaping @Sendable (AccessToken) -> DropboxClient,
        explanation: @escaping @Sendable (RemoteAccount) -> String
    ) {
        self.init(
            base, expected: expected, client: client, explanation: explanation, now: { .now })
    }

    init(
        _ base: any AccessTokenProvider, expected: String?,
        client: @escaping @Sendable (AccessToken) -> DropboxClient,
        explanation: @escaping @Sendable (RemoteAccount) -> String,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.base = base
        self.now = now
        self.client = client
        self.explanation = explanation
        state = Mutex(State(expected: expected))
    }

    /// Asks the server whose the token at hand is. If it is the account's, calls go out by it from then on.
    ///
    /// Throws what the server answers, or that it could not be asked. Another account is no error here.
    public func owner() async throws(RemoteError) -> RemoteAccount {
        do throws(Failure) {
            return try await ask(about: base(replacing: nil)).account
        } catch {
            throw error.remoteError
        }
    }

    /// A token that is the account's. Throws `withheld` if it is another account's, `transport` or `server` if the
    /// server does not say.
    public func accessToken() async throws(TokenError) -> AccessToken {
        var token = try await base.accessToken()
        for _ in 1..<Self.tokensPerCall {
            do throws(TokenError) {
                return try await verified(token)
            } catch {
                // The failure is about a token that may be an old one by now.
                let newest = error == .cancelled ? token : try await base.accessToken()
                guard newest != token else { throw error }
                token = newest
            }
        }
        return try await verified(token)
    }

    /// A login that is replaced again and again is not waited for.
    private static let tokensPerCall = 3

    private func verified(_ token: AccessToken) async throws(TokenError) -> AccessToken {
        if let known = try verdict(on: token) { return known }
        do throws(Failure) {
            let answer = try await ask(about: token)
            guard let refusal = answer.refusal else { return answer.token }
            throw .token(.withheld(refusal))
        } catch {
            throw error.tokenError
        }
    }

    /// A token of the account's in place of one that the server refused.
    public func accessToken(
        replacing expired: AccessToken
    ) async throws(TokenError) -> AccessToken? {
        guard try await base.accessToken(replacing: expired) != nil else { return nil }
        return try await accessToken()
    }

    /// The token, if it is known to be the account's; nil if it is not known whose it is.
    private func verdict(on token: AccessToken) throws(TokenError) -> AccessToken? {
        let state = state.withLock { $0 }
        if state.verified == token { return token }
        if let refused = state.refused, refused.token == token { throw .withheld(refused.message) }
        if let pause = state.pause, pause.token == token, now() < pause.end {
            throw .server(status: 429, message: "the server asked to wait")
        }
        return nil
    }

    // MARK: Asking

    /// Why it is not known whose a token is.
    private enum Failure: Error {
        case token(TokenError)
        case call(CallError<NoError>)

        var remoteError: RemoteError {
            switch self {
            case .token(let failure): RemoteError(failure)
            case .call(let failure): RemoteError(failure)
            }
        }

        var tokenError: TokenError {
            switch self {
            case .token(let failure): failure
            case .call(let failure): TokenError(unverified: failure)
            }
        }

        /// Whether another token may do.
        var isAboutToken: Bool {
            if case .call(let error) = self, case .auth = error.kind { true } else { false }
        }
    }

    private struct Answer {
        var token: AccessToken
        var account: RemoteAccount
        /// Why the token is not given out; nil if it is the account's.
        var refusal: String?
    }

    /// Whose a token is, or the one that takes its place where the server refuses it.
    private func ask(about token: AccessToken) async throws(Failure) -> Answer {
        do throws(Failure) {
            return try await answer(about: token)
        } catch {
            guard error.isAboutToken else { throw error }
            let fresh = try await base(replacing: token)
            guard fresh != token else { throw error }
            return try await answer(about: fresh)
        }
    }

    /// Joins the question about this token that is on its way, or asks. A caller that is cancelled leaves the
    /// question to the others.
    private func answer(about token: AccessToken) async throws(Failure) -> Answer {
        let waiter = state.withLock { state in
            state.lastWaiter &+= 1
            return state.lastWaiter
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(waiter, token, continuation)
            }
        } onCancel: {
            let left = state.withLock { state in
                state.questions[token]?.waiters.removeValue(forKey: waiter)
            }
            left?.resume(returning: .failure(.token(.cancelled)))
        }
        return try outcome.get()
    }

    private func join(
        _ waiter: Int, _ token: AccessToken, _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        let (isCancelled, asks) = state.withLock { state in
            if Task.isCancelled { return (true, false) }
            let isFirst = state.questions[token] == nil
            if isFirst {
                state.lastQuestion &+= 1
                state.questions[token] = Question(number: state.lastQuestion)
            }
            state.questions[token]?.waiters[waiter] = continuation
            return (false, isFirst)
        }
        if isCancelled { return continuation.resume(returning: .failure(.token(.cancelled))) }
        guard asks else { return }
        Task {
            let result: Result<RemoteAccount, CallError<NoError>>
            do throws(CallError<NoError>) {
                result = .success(try await RemoteAccount(of: client(token)))
            } catch {
                result = .failure(error)
            }
            end(token, result)
        }
    }

    /// Keeps the answer, and gives it to all who wait.
    private func end(
        _ token: AccessToken, _ result: Result<RemoteAccount, CallError<NoError>>
    ) {
        let question = state.withLock { $0.questions[token]?.number ?? 0 }
        let outcome: Outcome
        switch result {
        case .success(let account):
            outcome = .success(
                Answer(
                    token: token, account: account,
                    refusal: note(account, of: token, question)))
        case .failure(let error):
            notePause(error, of: token)
            outcome = .failure(.call(error))
        }
        let waiters = state.withLock { $0.questions.removeValue(forKey: token)?.waiters }
        for waiter in waiters?.values ?? [:].values { waiter.resume(returning: outcome) }
    }

    /// A client of its own knows nothing of the pause when the next one is made.
    private func notePause(_ error: CallError<NoError>, of token: AccessToken) {
        guard case .rateLimited = error.kind,
            case .rateLimited(let seconds) = RemoteError(error)
        else { return }
        let end = now().advanced(by: .seconds(seconds))
        state.withLock { $0.pause = (token, end) }
    }

    /// The base's token; with `expired`, another one in its place, or the same if there is no other.
    private func base(replacing expired: AccessToken?) async throws(Failure) -> AccessToken {
        do throws(TokenError) {
            guard let expired else { return try await base.accessToken() }
            return try await base.accessToken(replacing: expired) ?? expired
        } catch {
            throw .token(error)
        }
    }

    /// Keeps whose a token is, and returns why it is not given out, if so. What is known of a token that was asked
    /// about later stays.
    private func note(
        _ account: RemoteAccount, of token: AccessToken, _ question: Int
    ) -> String? {
        state.withLock { state in
            let isNewest = question > state.lastKept
            if isNewest { state.lastKept = question }
            if state.expected ?? account.id == account.id {
                state.expected = account.id
                if isNewest { state.verified = token }
                return nil
            }
            let refusal = explanation(account)
            if isNewest { state.refused = (token, refusal) }
            return refusal
        }
    }
}

extension RemoteAccount {
    /// Asks whose the client's token is.
    init(of client: DropboxClient) async throws(CallError<NoError>) {
        // Who it is does not depend on where paths start, and must be known when that is wrong.
        let account = try await client.rooted(at: nil)
            .call(Users.getCurrentAccount, options: .interactive)
        let home = account.rootInfo.homeNamespaceID
        let team = account.rootInfo.rootNamespaceID
        self.init(
            id: account.accountID, displayName: account.name.displayName, email: account.email,
            rootNamespace: home, teamNamespace: team == home ? nil : team)
    }
}

extension TokenError {
    /// Nothing is sent by a token as long as the server does not say whose it is.
    fileprivate init(unverified error: CallError<NoError>) {
        switch error.kind {
        case .transport(let failure): self = .transport(failure)
        case .cancelled: self = .cancelled
        case .token(let failure): self = failure
        case .auth, .access: self = .withheld(error.summary)
        case .internalServer(let status), .http(let status, _):
            self = .server(status: status, message: error.summary)
        case .rateLimited: self = .server(status: 429, message: error.summary)
        case .route, .badInput, .pathRoot, .serialization, .response:
            self = .server(status: 200, message: error.summary)
        }
    }
}
