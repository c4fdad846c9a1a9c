// HTTP over libcurl: the public API of the curl thread. The model for a thread with a table of
// continuations is swift-subprocess, AsyncIO+Linux.swift.

import CLibrary
public import Logging
import Synchronization

/// Sends requests with libcurl, on a dedicated thread.
///
/// Connections are kept alive and reused by host; requests are limited by purpose, so that
/// longpolls, calls and bodies never wait for one another. TLS is always verified. Unless the
/// configuration says otherwise, the environment's proxy variables (`https_proxy`, `no_proxy`, …)
/// and `SSL_CERT_FILE` are honoured; redirects are not followed.
public final class CurlTransport: HTTPTransport {
    let inbox: Inbox
    private let lastID = Atomic<UInt64>(0)

    /// Starts the thread. Throws when libcurl cannot be initialised, the thread cannot be started,
    /// or the certificate file cannot be read.
    public init(
        configuration: TransportConfiguration = .init(),
        logger: Logger = Logger(label: "dropbox.curl")
    ) throws(TransportError) {
        try configuration.checkCertificateFile()
        guard let inbox = Inbox() else {
            throw TransportError(
                kind: .other, message: "libcurl cannot be initialised", mayHaveBeenReceived: false)
        }
        self.inbox = inbox
        try Self.startThread(CurlWorker(configuration, inbox: inbox, logger: logger))
    }

    deinit {
        inbox.post(.stop)
    }

    /// Sends a request and returns when the response's headers have arrived.
    public func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        let id = lastID.add(1, ordering: .relaxed).newValue
        let exchange = Exchange(id: id, driver: inbox, transport: self)
        let command = CurlCommand.start(id: id, request, exchange, submitted: .now)
        guard inbox.post(command) else {
            throw TransportError.shutDown(mayHaveBeenReceived: false)
        }
        let head = try await exchange.head()
        return TransportResponse(
            status: head.status, headers: head.headers, body: ResponseBody(exchange))
    }

    /// Limits all bodies together, in bytes per second, from now on; nil means no limit.
    public func limitBandwidth(up: UInt64?, down: UInt64?) {
        inbox.post(.limitBandwidth(up: up, down: down))
    }

    /// Uses no connection of before for further requests, and fails transfers from an address that
    /// the machine no longer has.
    public func networkChanged(addresses: Set<String>) {
        inbox.post(.networkChanged(addresses: addresses))
    }

    /// Fails all transfers in flight and returns when the thread has ended.
    public func shutDown() async {
        inbox.post(.stop)
        await inbox.waitUntilClosed()
    }

    private static func startThread(_ worker: CurlWorker) throws(TransportError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(worker)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                // Signals belong to other threads; and a write to a closed socket must return an
                // error, not raise SIGPIPE, whose disposition a library must not change for the
                // whole process.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                Unmanaged<CurlWorker>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw TransportError(
                kind: .other, message: "no thread: \(String(cString: strerror(code)))",
                mayHaveBeenReceived: false)
        }
        pthread_detach(thread)
    }
}
