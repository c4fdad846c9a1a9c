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
    }

    private let base: any AccessTokenProvider
    private let client: @Sendable (AccessToken) -> DropboxClient
    private let explanation: @Sendable (RemoteAccount) -> String
    /// Held for assignments; no other lock is taken under it.
    private let state: Mutex<State>

    /// Gives tokens of `base` that are of the account with the id `expected`; with nil, of the first account that
    /// `owner()` finds. `client` makes a client that calls by one token, `explanation` says what is wrong with a
    /// token of another account.
    public init(
        _ base: any AccessTokenProvider, expected: String?,
        client: @escaping @Sendable (AccessToken) -> DropboxClient,
        explanation: @escaping @Sendable (RemoteAccount) -> String
    ) {
        self.base = base
        self.client = client
        self.explanation = explanation
        state = Mutex(State(expected: expected))
    }

    /// Asks the server whose the token at hand is. If it is the account's, calls go out by it from then on.
    ///
    /// Throws what the server answers, or that it could not be asked. Another account is no error here.
    public func owner() async throws(RemoteError) -> RemoteAccount {
        do throws(Failure) {
            return try await ask().account
        } catch {
            switch error {
            case .token(let failure): throw RemoteError(failure)
            case .call(let failure): throw RemoteError(failure)
            }
        }
    }

    /// A token that is the account's. Throws `withheld` if it is another account's, `transport` or `server` if the
    /// server does not say.
    public func accessToken() async throws(TokenError) -> AccessToken {
        let token = try await base.accessToken()
        if let known = try verdict(on: token) { return known }
        do throws(Failure) {
            let answer = try await ask()
            if let refusal = answer.refusal { throw .token(.withheld(refusal)) }
            return answer.token
        } catch {
            switch error {
            case .token(let failure): throw failure
            case .call(let failure): throw TokenError(unverified: failure)
            }
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
        return nil
    }

    /// Why it is not known whose a token is.
    private enum Failure: Error {
        case token(TokenError)
        case call(CallError<NoError>)
    }

    private struct Answer {
        var token: AccessToken
        var account: RemoteAccount
        /// Why the token is not given out; nil if it is the account's.
        var refusal: String?
    }

    /// Asks whose the base's token is, and keeps the answer.
    private func ask() async throws(Failure) -> Answer {
        var token = try await base(replacing: nil)
        let account: RemoteAccount
        do throws(CallError<NoError>) {
            account = try await RemoteAccount(of: client(token))
        } catch {
            guard case .auth = error.kind else { throw .call(error) }
            let fresh = try await base(replacing: token)
            guard fresh != token else { throw .call(error) }
            token = fresh
            do throws(CallError<NoError>) {
                account = try await RemoteAccount(of: client(token))
            } catch {
                throw .call(error)
            }
        }
        return Answer(token: token, account: account, refusal: note(account, of: token))
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

    /// Keeps whose a token is, and returns why it is not given out, if so.
    private func note(_ account: RemoteAccount, of token: AccessToken) -> String? {
        state.withLock { state in
            if state.expected ?? account.id == account.id {
                state.expected = account.id
                state.verified = token
                return nil
            }
            let refusal = explanation(account)
            state.refused = (token, refusal)
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
