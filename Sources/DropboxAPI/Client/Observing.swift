// What a client lets others see of its work: one record per request, and the bytes that move.

import Synchronization

/// One request and its end.
public struct RequestRecord: Hashable, Sendable {
    /// The route, for example `files/list_folder`.
    public var route: String
    /// The status; nil when no answer came.
    public var status: Int?
    /// The server's name for the request.
    public var requestID: String?
    /// From sending to the end of the headers, or of a small body.
    public var duration: Duration
    /// 1 for the first request of a call.
    public var attempt: Int
    /// What went wrong, in one line; nil when nothing did.
    public var failure: String?

    /// Takes over all fields.
    public init(
        route: String, status: Int?, requestID: String?, duration: Duration, attempt: Int,
        failure: String?
    ) {
        self.route = route
        self.status = status
        self.requestID = requestID
        self.duration = duration
        self.attempt = attempt
        self.failure = failure
    }
}

/// Sees all requests and bytes of a client. It is called from many threads and returns quickly.
public protocol DropboxObserver: TransferObserver {
    /// A request ended.
    func requestEnded(_ record: RequestRecord)
}

/// Counts requests by route, and bytes both ways.
public final class TrafficCounter: DropboxObserver {
    /// The counts at one moment.
    public struct Totals: Hashable, Sendable {
        /// Requests by route, repeated ones included.
        public var requests: [String: Int] = [:]
        /// Requests that ended with an error, by route.
        public var failures: [String: Int] = [:]
        /// Bytes of requests' bodies.
        public var bytesUp: UInt64 = 0
        /// Bytes of answers' bodies.
        public var bytesDown: UInt64 = 0
    }

    /// Held for an addition only.
    private let state = Mutex(Totals())

    /// Starts at zero.
    public init() {}

    /// The counts now.
    public var totals: Totals { state.withLock { $0 } }

    /// Counts the request.
    public func requestEnded(_ record: RequestRecord) {
        state.withLock { totals in
            totals.requests[record.route, default: 0] += 1
            if record.failure != nil {
                totals.failures[record.route, default: 0] += 1
            }
        }
    }

    /// Counts bytes up.
    public func sent(bytes: Int, label: String) {
        state.withLock { $0.bytesUp += UInt64(bytes) }
    }

    /// Counts bytes down.
    public func received(bytes: Int, label: String) {
        state.withLock { $0.bytesDown += UInt64(bytes) }
    }
}
