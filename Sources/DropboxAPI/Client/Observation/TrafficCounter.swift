// The simplest observer: a set of counters.

import Synchronization

/// Counts requests by route, and bytes both ways.
public final class TrafficCounter: DropboxObserver {
    /// The counts at one moment.
    public struct Totals: Hashable, Sendable {
        /// Number of requests by route, including retries.
        public var requests: [String: Int] = [:]
        /// Number of requests that ended with an error, by route.
        public var failures: [String: Int] = [:]
        /// Bytes sent in request bodies.
        public var bytesUp: UInt64 = 0
        /// Bytes received in response bodies.
        public var bytesDown: UInt64 = 0
    }

    /// Held for an addition only.
    private let state = Mutex(Totals())

    /// Starts with all counts at zero.
    public init() {}

    /// A snapshot of the counts.
    public var totals: Totals { state.withLock { $0 } }

    /// Counts the request, and its failure if it failed.
    public func requestEnded(_ record: RequestRecord) {
        state.withLock { totals in
            totals.requests[record.route, default: 0] &+= 1
            if record.failure != nil {
                totals.failures[record.route, default: 0] &+= 1
            }
        }
    }

    /// Counts the bytes of a request's body.
    public func sent(bytes: Int, label: String) {
        state.withLock { $0.bytesUp &+= UInt64(clamping: bytes) }
    }

    /// Counts the bytes of a response's body.
    public func received(bytes: Int, label: String) {
        state.withLock { $0.bytesDown &+= UInt64(clamping: bytes) }
    }
}
