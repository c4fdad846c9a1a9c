// Connections that the listener has accepted and the server does not handle yet. NIO drops such a
// connection when its listener closes, and a dropped connection whose writer was never finished
// ends the process (https://github.com/apple/swift-nio/issues/2637). So each is kept here until
// something finishes its writer.

import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The connections between the listener and the server.
final class AcceptedConnections: Sendable {
    private struct State {
        var isClosed = false
        var endings: [ObjectIdentifier: @Sendable () async -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Whether the server accepts no further connection.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Keeps a connection alive until it is released. After `close`, the connection is ended at
    /// once.
    func keep(_ channel: any Channel, ending: @escaping @Sendable () async -> Void) {
        let isKept = state.withLock { state in
            guard !state.isClosed else { return false }
            state.endings[ObjectIdentifier(channel)] = ending
            return true
        }
        if !isKept { Task { await ending() } }
    }

    /// The server handles the connection, and finishes its writer.
    func release(_ channel: any Channel) {
        state.withLock { $0.endings[ObjectIdentifier(channel)] = nil }
    }

    /// Ends every connection that the server has not begun to handle, and all that are accepted
    /// from now on. To be called after the server has ended: it must not handle a connection that
    /// is ended here.
    func close() async {
        let endings = state.withLock { state in
            state.isClosed = true
            defer { state.endings = [:] }
            return state.endings.values.map { $0 }
        }
        for ending in endings { await ending() }
    }
}

/// A server's connections, each of which is kept until it is handled.
struct KeptChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let connections: AcceptedConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        guard !connections.isClosed else {
            return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        return base.setup(channel: channel, logger: logger).map { [base, connections] value in
            connections.keep(value.channel) {
                try? await value.channel.close()
                // On a closed connection this does nothing but finish the writer.
                await base.handle(value: value, logger: logger)
            }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        connections.release(value.channel)
        await base.handle(value: value, logger: logger)
    }
}
