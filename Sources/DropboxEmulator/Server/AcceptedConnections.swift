// Connections that the listener has accepted and the server has not taken over yet: dropping one in
// between crashes the process (https://github.com/apple/swift-nio/issues/2637).

import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Counts connections between the listener and the server.
final class AcceptedConnections: Sendable {
    private let waiting = Atomic(0)

    /// Whether the server has taken over every connection.
    var areTakenOver: Bool { waiting.load(ordering: .acquiring) == 0 }

    func noteAccepted() {
        waiting.add(1, ordering: .acquiringAndReleasing)
    }

    func noteTakenOver() {
        waiting.subtract(1, ordering: .acquiringAndReleasing)
    }
}

/// A server's connections, counted.
struct CountedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: AcceptedConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        connections.noteAccepted()
        let setup = base.setup(channel: channel, logger: logger)
        setup.whenFailure { [connections] _ in connections.noteTakenOver() }
        return setup
    }

    func handle(value: Base.Value, logger: Logger) async {
        connections.noteTakenOver()
        await base.handle(value: value, logger: logger)
    }
}
