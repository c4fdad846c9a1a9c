// Temporary links to contents (`files/get_temporary_link`).

import Synchronization

/// Links that work for four hours.
final class LinkTable: Sendable {
    /// In seconds (files.stone, `get_temporary_link`).
    static let lifetime: Int64 = 4 * 3600

    /// What a link leads to.
    struct Link: Sendable {
        let space: Space
        let content: Content
        let expiresAt: Timestamp
    }

    private let links = Mutex<[String: Link]>([:])

    /// Makes a link; returns the secret part of its address.
    func add(_ content: Content, in space: Space, at time: Timestamp) -> String {
        let secret = AccountRegistry.secret("uc")
        let link = Link(
            space: space, content: content,
            expiresAt: Timestamp(seconds: time.seconds + Self.lifetime))
        links.withLock { $0[secret] = link }
        return secret
    }

    /// What the secret part of an address leads to.
    func link(_ secret: String) -> Link? {
        links.withLock { $0[secret] }
    }
}
