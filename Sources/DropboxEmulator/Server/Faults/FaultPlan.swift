// The faults that happen in one call, and their effects.

import NIOCore
import Synchronization

/// The faults that tests have planned.
final class FaultBook: Sendable {
    private struct State {
        var nextID: Int64 = 1
        var faults: [Fault] = []
    }

    private let state = Mutex(State())

    /// Plans a fault; returns its number.
    func add(_ value: JSONValue) throws(ArgumentError) -> Int64 {
        try state.withLock { state throws(ArgumentError) in
            let fault = try Fault(value, id: state.nextID)
            state.nextID += 1
            state.faults.append(fault)
            return fault.id
        }
    }

    /// Removes a fault; nil removes all.
    func remove(_ id: Int64?) {
        state.withLock { $0.faults.removeAll { id == nil || $0.id == id } }
    }

    /// Every planned fault, including exhausted ones.
    var json: JSONValue {
        .array(state.withLock { $0.faults }.map(\.json))
    }

    /// The faults that happen in a call of a function.
    func plan(for function: String) -> FaultPlan {
        state.withLock { state in
            guard !state.faults.isEmpty else { return FaultPlan(faults: []) }
            var happening: [Fault] = []
            for index in state.faults.indices
            where state.faults[index].happens(in: function) {
                happening.append(state.faults[index])
            }
            return FaultPlan(faults: happening)
        }
    }
}

/// Makes the server reset the client's connection.
struct ConnectionReset: Error {}

/// The faults of one call.
struct FaultPlan: Sendable {
    let faults: [Fault]

    /// The details of a kind, if it happens.
    func details(_ kind: FaultKind) -> Fault.Details? {
        faults.first { $0.kind == kind }?.details
    }

    /// Applies delays and refusals before the call is executed.
    func begin(account: Account?) async throws {
        if let details = details(.stall) {
            try await Task.sleep(for: .seconds(details.seconds))
        }
        guard let fault = faults.first(where: { $0.kind.isRefusal }) else { return }
        throw Self.refusal(fault, account: account)
    }

    private static func refusal(_ fault: Fault, account: Account?) -> any Error {
        let details = fault.details
        switch fault.kind {
        case .resetBefore: return ConnectionReset()
        case .rateLimited:
            return RouteFailure.rateLimited(
                reason: details.reason, retryAfter: details.retryAfter, isText: false)
        case .rateLimitedText:
            return RouteFailure.rateLimited(
                reason: details.reason, retryAfter: details.retryAfter, isText: true)
        case .routeError: return RouteFailure.route(details.error ?? .tag("other"))
        case .expiredToken: return RouteFailure.authorization(.tag("expired_access_token"))
        case .invalidToken: return RouteFailure.authorization(.tag("invalid_access_token"))
        case .missingScope:
            return RouteFailure.authorization(
                .tagged("missing_scope", ["required_scope": .string(details.scope)]))
        case .invalidRoot:
            return RouteFailure.pathRoot(.tag("invalid_root", account?.rootInfo ?? .null))
        case .cursorReset: return RouteFailure.route(.tag("reset"))
        default:
            let headers = details.retryAfter.map {
                [RouteResponse.Header("Retry-After", String($0))]
            }
            return RouteFailure.plain(
                status: Int(details.status), type: details.type,
                body: details.body ?? "<html><body>Error \(details.status)</body></html>",
                headers: fault.kind == .respond ? [] : headers ?? [])
        }
    }

    /// Applies faults to the response of an executed call.
    func spoil(_ response: RouteResponse) async throws -> RouteResponse {
        if details(.resetAfter) != nil { throw ConnectionReset() }
        if let details = details(.errorAfter) {
            throw RouteFailure.plain(
                status: Int(details.status), type: details.type,
                body: details.body ?? "<html><body>Error \(details.status)</body></html>",
                headers: [])
        }
        var response = response
        if details(.wrongHash) != nil { response = response.mapResults { $0.withWrongHashes } }
        if let details = details(.hostileNames) {
            response = response.mapResults { $0.withHostileEntries(details.names) }
        }
        for fault in faults where fault.kind == .replaceField {
            response = response.mapResults {
                $0.replacing(fault.details.field, by: fault.details.value)
            }
        }
        if let details = details(.shortBody) {
            response.body = response.body.shortened(to: details.at)
        }
        if details(.wrongContentRange) != nil, let range = response.header("Content-Range") {
            response.setHeader("Content-Range", Self.shifted(range))
        }
        if let details = details(.nonJSON) {
            response.setHeader("Content-Type", details.type)
            response.body = .text(details.body ?? "<html><body>Please log in</body></html>")
        }
        if details(.brokenJSON) != nil, let json = response.json {
            let text = json.text()
            response.body = .text(String(text.prefix(text.count / 2)))
        }
        return response
    }

    /// `bytes 10-19/100` becomes `bytes 11-20/100`.
    private static func shifted(_ range: String) -> String {
        let parts = range.dropFirst("bytes ".count).split(whereSeparator: { "-/".contains($0) })
        guard parts.count == 3, let first = Int64(parts[0]), let last = Int64(parts[1]) else {
            return "bytes 0-0/1"
        }
        return "bytes \(first + 1)-\(last + 1)/\(parts[2])"
    }
}
