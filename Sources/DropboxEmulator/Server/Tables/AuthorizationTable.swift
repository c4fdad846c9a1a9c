// Codes of the OAuth 2 code flow, between the authorization page and the exchange for tokens.

import Synchronization

/// Codes that have not been exchanged yet.
final class AuthorizationTable: Sendable {
    /// The access that a user has granted.
    struct Grant: Sendable {
        let account: String
        let client: String
        let redirect: String?
        /// The PKCE challenge, and whether it is the SHA-256 of the verifier or the verifier
        /// itself.
        let challenge: String?
        let isHashed: Bool
        let scopes: [String]?
        let isOffline: Bool
    }

    private let grants = Mutex<[String: Grant]>([:])

    /// Creates a code for a grant.
    func add(_ grant: Grant) -> String {
        let code = AccountRegistry.secret("ac")
        grants.withLock { $0[code] = grant }
        return code
    }

    /// Removes and returns the grant of a code: a code works once.
    func take(_ code: String) -> Grant? {
        grants.withLock { $0.removeValue(forKey: code) }
    }
}
