// Why a change is not sent: what the journal keeps of it. The places where problems arise decide
// which of them last. Not responsible for when a step is tried again
// (`Sync/Errors/UploadReaction.swift`).

/// Why a node with an unsent change waits.
package enum Problem: Hashable, Sendable {
    /// A failure that may pass in a moment: of the server, of a lock, or of a full disk.
    case passing(String)
    /// A refusal that stays until users, or other clients, change something. It ends a wait for the
    /// queue.
    case lasting(String)

    /// Failed tries after which any problem counts as lasting: it has lasted for a minute, and the
    /// next try comes later than users wait for.
    package static let lastingTries = 6

    /// The reason, for people.
    package var text: String {
        switch self {
        case .passing(let text), .lasting(let text): text
        }
    }

    /// Whether it stays until something changes, after one try.
    package var isLasting: Bool {
        switch self {
        case .passing: false
        case .lasting: true
        }
    }
}
