// Where requests get their access tokens from, by the protocols of SwiftyDropbox.

public import Dispatch
import Foundation
import Synchronization

/// Gives access tokens, and renews them.
public protocol AccessTokenProvider: Sendable {
    /// The token that is valid at present.
    var accessToken: String { get }
    /// Renews the token if it expires soon, and then calls; with nil where that was not necessary.
    func refreshAccessTokenIfNecessary(completion: @escaping DropboxOAuthCompletion)
}

/// Renews tokens that expire.
public protocol AccessTokenRefreshing: Sendable {
    /// Gets a new token for one that expires, with some of its scopes or with all.
    func refreshAccessToken(
        _ accessToken: DropboxAccessToken, scopes: [String], queue: DispatchQueue?,
        completion: @escaping DropboxOAuthCompletion)
}

/// A token that does not expire.
public struct LongLivedAccessTokenProvider: AccessTokenProvider {
    /// The token that was given.
    public let accessToken: String

    /// Takes over a token.
    public init(accessToken: String) {
        self.accessToken = accessToken
    }

    /// Calls at once: there is nothing to renew.
    public func refreshAccessTokenIfNecessary(completion: @escaping DropboxOAuthCompletion) {
        completion(nil)
    }
}

/// A token that is renewed five minutes before it expires, once for all requests that wait for it.
public final class ShortLivedAccessTokenProvider: AccessTokenProvider {
    private struct State {
        var token: DropboxAccessToken
        var waiting: [OAuthCompletion] = []
    }

    /// Held for an access only.
    private let state: Mutex<State>
    private let refresher: any AccessTokenRefreshing
    /// Where renewals end: not on the main queue, which may wait for one of the requests.
    private let queue = DispatchQueue(label: "SwiftyDropbox.tokens")

    /// Takes over a token and what renews it.
    public init(token: DropboxAccessToken, tokenRefresher: any AccessTokenRefreshing) {
        state = Mutex(State(token: token))
        refresher = tokenRefresher
    }

    /// The token that is valid at present.
    public var accessToken: String { state.withLock(\.token).accessToken }

    /// Renews the token if it expires within five minutes.
    public func refreshAccessTokenIfNecessary(completion: @escaping DropboxOAuthCompletion) {
        let waiter = OAuthCompletion(call: completion)
        let limit = Double(Date().timeIntervalSince1970) + 300.0
        let (isValid, expiring) = state.withLock { state -> (Bool, DropboxAccessToken?) in
            guard let end = state.token.tokenExpirationTimestamp, end < limit
            else {
                return (true, nil)
            }
            state.waiting.append(waiter)
            return (false, state.waiting.count == 1 ? state.token : nil)
        }
        if isValid { return waiter.call(nil) }
        guard let expiring else { return }
        refresher.refreshAccessToken(expiring, scopes: [], queue: queue) { [self] result in
            let waiting = state.withLock { state in
                if case .success(let token) = result { state.token = token }
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.call(result) }
        }
    }
}
