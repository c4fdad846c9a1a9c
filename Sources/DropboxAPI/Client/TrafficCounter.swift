// The simplest observer: it counts.

import Synchronization

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
            totals.requests[record.route, default: 0] &+= 1
            if record.failure != nil {
                totals.failures[record.route, default: 0] &+= 1
            }
        }
    }

    /// Counts bytes up.
    public func sent(bytes: Int, label: String) {
        state.withLock { $0.bytesUp &+= UInt64(clamping: bytes) }
    }

    /// Counts bytes down.
    public func received(bytes: Int, label: String) {
        state.withLock { $0.bytesDown &+= UInt64(clamping: bytes) }
    }
}
