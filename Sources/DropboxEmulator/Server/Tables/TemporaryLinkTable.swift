// Temporary links to contents (`files/get_temporary_link`).

import Synchronization

/// Links that work for four hours.
final class TemporaryLinkTable: Sendable {
    /// Lifetime in seconds (files.stone, `get_temporary_link`).
    static let lifetime: Int64 = 4 * 3600

    /// The content behind a link.
    struct Link: Sendable {
        let space: Space
        let content: Content
        let expiresAt: APITime
    }

    private let links = Mutex<[String: Link]>([:])

    /// Creates a link; returns the secret part of its URL.
    func add(_ content: Content, in space: Space, at time: APITime) -> String {
        let secret = AccountRegistry.secret("uc")
        let link = Link(
            space: space, content: content,
            expiresAt: APITime(seconds: time.seconds + Self.lifetime))
        links.withLock { $0[secret] = link }
        return secret
    }

    /// The link of a URL's secret part.
    func link(_ secret: String) -> Link? {
        links.withLock { $0[secret] }
    }
}
