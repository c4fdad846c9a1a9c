// Counts requests, statuses and bytes by route. Admin requests are not counted.

import Synchronization

/// Request counters by route.
final class Statistics: Sendable {
    private struct Counters {
        var requests: Int64 = 0
        var bytesIn: Int64 = 0
        var bytesOut: Int64 = 0
        var statuses: [Int: Int64] = [:]
    }

    private let counters = Mutex<[String: Counters]>([:])

    func addRequest(_ route: String) {
        counters.withLock { $0[route, default: Counters()].requests += 1 }
    }

    /// Counts bytes of a request's body.
    func addBytesIn(_ count: Int, _ route: String) {
        counters.withLock { $0[route, default: Counters()].bytesIn += Int64(count) }
    }

    /// Counts bytes of a response's body.
    func addBytesOut(_ count: Int, _ route: String) {
        counters.withLock { $0[route, default: Counters()].bytesOut += Int64(count) }
    }

    func addStatus(_ status: Int, _ route: String) {
        counters.withLock { $0[route, default: Counters()].statuses[status, default: 0] += 1 }
    }

    /// Sets all counters to zero.
    func reset() {
        counters.withLock { $0 = [:] }
    }

    /// All counters, as the admin route gives them.
    var json: JSONValue {
        let all = counters.withLock { $0 }.sorted { $0.key < $1.key }
        return [
            "requests": .integer(all.reduce(0) { $0 + $1.value.requests }),
            "bytes_in": .integer(all.reduce(0) { $0 + $1.value.bytesIn }),
            "bytes_out": .integer(all.reduce(0) { $0 + $1.value.bytesOut }),
            "routes": .object(all.map { .init($0.key, Self.json($0.value)) }),
        ]
    }

    private static func json(_ counters: Counters) -> JSONValue {
        let statuses = counters.statuses.sorted { $0.key < $1.key }
        return [
            "requests": .integer(counters.requests), "bytes_in": .integer(counters.bytesIn),
            "bytes_out": .integer(counters.bytesOut),
            "statuses": .object(statuses.map { .init(String($0.key), .integer($0.value)) }),
        ]
    }
}
