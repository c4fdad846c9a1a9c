// A client in a group of services (swift-service-lifecycle), which ends it when the process is to
// end. Not responsible for the order of the group's services: the group ends the last one first.

public import DropboxAPI
public import ServiceLifecycle

/// Waits until its group shuts down, and then ends a client.
///
/// A group ends its services one by one, from the last to the first. A client stands before the
/// server whose handlers use it, so that it goes on until these have answered, and before a queue
/// of transfers, which has to be closed first:
///
///     let group = ServiceGroup(
///         services: [DropboxService(client), DropboxService { await queue.close() }, server],
///         gracefulShutdownSignals: [.sigterm], logger: logger)
public struct DropboxService: Service {
    private let end: @Sendable () async -> Void

    /// Ends this client when the group shuts down.
    public init(_ client: DropboxClient) {
        self.init { await client.shutDown() }
    }

    /// Ends something else: a transport that clients share, or a queue of transfers.
    ///
    ///     DropboxService { await transport.shutDown() }
    public init(end: @escaping @Sendable () async -> Void) {
        self.end = end
    }

    /// Runs until the group shuts down gracefully, or the task is cancelled.
    public func run() async {
        // An error is the task's cancellation, which is an end, too.
        try? await gracefulShutdown()
        await end()
    }
}
