// Access tokens that are handed out only once the server has confirmed their account, so that one
// user's files are never listed for another, nor sent to another's account: neither by a wrong
// token, nor by a mount that started while the server was unreachable. Not responsible for
// obtaining tokens, nor for remembering accounts.

package import DropboxAPI
import Saturating
import Synchronization

/// Provides a mount with tokens of one account, and refuses all others.
package final class VerifiedTokens: AccessTokenProvider {
    private struct State {
        /// The account's id; nil until it is known, and constant from then on.
        var expected: String?
        /// The last token confirmed as the account's.
        var verified: AccessToken?
        /// The last token of another account, with the message about it.
        var refused: (token: AccessToken, message: String)?
        /// The token that the server's rate limit forbids to check before `end`.
        var pause: (token: AccessToken, end: ContinuousClock.Instant)?
        /// Account checks in flight, by token.
        var questions: [AccessToken: Question] = [:]
        var lastQuestion = 0
        /// The check whose result was recorded last.
        var lastKept = 0
        var lastWaiter = 0
    }

    private typealias Outcome = Result<Answer, Failure>

    /// One account check, with its waiting callers.
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

    /// Provides tokens of `base` that belong to the account with the id `expected`; with nil, of
    /// the first account that `owner()` finds. `client` makes a client for one token, `explanation`
    /// makes the message about a token of another account.
    package convenience init(
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

    /// Asks the server for the account of the current token. If it is the expected one, calls use
    /// the token from then on.
    ///
    /// Throws the server's error, or the failure to reach it. Another account is no error here.
    package func owner() async throws(RemoteError) -> RemoteAccount {
        do throws(Failure) {
            return try await ask(about: base(replacing: nil)).account
        } catch {
            throw error.remoteError
        }
    }

    /// A token of the account. Throws `withheld` if it belongs to another account, `transport` or
    /// `server` if the check fails.
    package func accessToken() async throws(TokenError) -> AccessToken {
        var token = try await base.accessToken()
        for _ in 1..<Self.tokensPerCall {
            do throws(TokenError) {
                return try await verified(token)
            } catch {
                // The failure may concern a token that was replaced since.
                let newest = error == .cancelled ? token : try await base.accessToken()
                guard newest != token else { throw error }
                token = newest
            }
        }
        return try await verified(token)
    }

    /// Maximum tokens checked per call, if the login is replaced again and again.
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

    /// A token of the account in place of one that the server refused.
    package func accessToken(
        replacing expired: AccessToken
    ) async throws(TokenError) -> AccessToken? {
        guard try await base.accessToken(replacing: expired) != nil else { return nil }
        return try await accessToken()
    }

    /// The token, if it is confirmed; nil if its account is unknown.
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

    /// The reason why a token's account could not be determined.
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

        /// Whether another token may succeed.
        var isAboutToken: Bool {
            if case .call(let error) = self, case .auth = error.kind { true } else { false }
        }
    }

    private struct Answer {
        var token: AccessToken
        var account: RemoteAccount
        /// The reason to withhold the token; nil if it is the account's.
        var refusal: String?
    }

    /// The account of a token, or of its replacement if the server refuses it.
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

    /// Joins the check of this token in flight, or starts one. Cancelling a caller does not cancel
    /// the check for the others.
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

    /// Records the result, and resumes all waiting callers.
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

    /// Records the pause of a rate limit: the next check's client is a new one with an open rate
    /// gate.
    private func notePause(_ error: CallError<NoError>, of token: AccessToken) {
        guard case .rateLimited = error.kind,
            case .rateLimited(let seconds) = RemoteError(error)
        else { return }
        let end = now().advanced(by: .seconds(clamping: seconds))
        state.withLock { $0.pause = (token, end) }
    }

    /// The base's token; with `expired`, a replacement, or the same token if there is none.
    private func base(replacing expired: AccessToken?) async throws(Failure) -> AccessToken {
        do throws(TokenError) {
            guard let expired else { return try await base.accessToken() }
            return try await base.accessToken(replacing: expired) ?? expired
        } catch {
            throw .token(error)
        }
    }

    /// Records the account of a token, and returns the reason to withhold it, if any. The result of
    /// a later check is kept.
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
    /// Requests the account of the client's token.
    init(of client: DropboxClient) async throws(CallError<NoError>) {
        // The account does not depend on the path root, and must be found even if that is wrong.
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
    /// The error for a token whose account the server did not confirm, and which is therefore not
    /// used.
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
