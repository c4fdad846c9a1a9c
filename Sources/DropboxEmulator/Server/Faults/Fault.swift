// A fault that the admin route can plan: its kind, the calls, and the count. Not responsible for
// applying it (`FaultPlan`).

/// The kinds of faults.
enum FaultKind: String, CaseIterable, Sendable {
    // Refused in place of a result.
    case rateLimited = "rate_limited"
    case rateLimitedText = "rate_limited_text"
    case serverError = "server_error"
    case routeError = "route_error"
    case expiredToken = "expired_token"
    case invalidToken = "invalid_token"
    case missingScope = "missing_scope"
    case invalidRoot = "invalid_root"
    case cursorReset = "cursor_reset"
    case respond
    case resetBefore = "reset_before"
    // During the execution.
    case contention = "too_many_write_operations"
    case stall
    // Once the call was executed.
    case resetAfter = "reset_after"
    case errorAfter = "error_after"
    // In the response's bytes.
    case nonJSON = "non_json"
    case brokenJSON = "broken_json"
    case cutBody = "cut_body"
    case shortBody = "short_body"
    case corruptBody = "corrupt_body"
    case stallBody = "stall_body"
    case ignoreRange = "ignore_range"
    case wrongContentRange = "wrong_content_range"
    case wrongHash = "wrong_hash"
    case hostileNames = "hostile_names"
    case replaceField = "replace_field"

    /// Whether the call is not executed.
    var isRefusal: Bool {
        switch self {
        case .rateLimited, .rateLimitedText, .serverError, .routeError, .expiredToken,
            .invalidToken, .missingScope, .invalidRoot, .cursorReset, .respond, .resetBefore:
            true
        default: false
        }
    }
}

/// A fault planned by a test.
struct Fault: Sendable {
    let id: Int64
    /// A function's name, a prefix with `*` at its end, or `*` for all.
    let route: String
    let kind: FaultKind
    /// Number of calls that it still skips.
    var skip: Int64
    /// How often it still happens; nil for always.
    var count: Int64?
    /// Probability in each call; nil for certain.
    let probability: Double?
    /// State of the random generator, so that a seed repeats a run.
    var random: UInt64
    var hits: Int64 = 0
    let details: Details

    /// The parameters of the kinds.
    struct Details: Sendable {
        var status: Int64 = 500
        var retryAfter: Int64? = 1
        var reason = "too_many_requests"
        var seconds: Double = 5
        /// The position in a body, in bytes.
        var at: Int64 = 0
        /// Number of operations of a batch that are affected.
        var entries: Int64 = 1
        var scope = "files.content.write"
        var type = "text/html"
        var body: String?
        var error: JSONValue?
        var names: [String] = []
        /// The field that is replaced, and its value.
        var field = ""
        var value = JSONValue.null
    }

    /// Parses an admin request's fault.
    init(_ value: JSONValue, id: Int64) throws(ArgumentError) {
        var reader = try ArgumentReader(value)
        self.id = id
        route = try reader.optionalString("route") ?? "*"
        let name = try reader.string("kind")
        guard let kind = FaultKind(rawValue: name) else {
            throw ArgumentReader.error("kind", "unknown fault '\(name)'")
        }
        self.kind = kind
        skip = try reader.integer("skip", in: 0...Int64.max, default: 0)
        if let number = try reader.nullable("probability") {
            probability = try Self.number(number, at: "probability")
        } else {
            probability = nil
        }
        let count = try reader.nullable("count")
        if let count {
            self.count = try ArgumentReader.integer(count, in: 1...Int64.max, at: "count")
        } else {
            self.count = nil
        }
        random = UInt64(
            bitPattern: try reader.integer("seed", in: Int64.min...Int64.max, default: 1))
        details = try Details(&reader)
        try reader.finish()
    }

    static func number(_ value: JSONValue, at place: String) throws(ArgumentError) -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .float(let number): return number
        default: throw ArgumentReader.error(place, "expected float, got \(value.kind)")
        }
    }

    /// The fault as the admin route shows it.
    var json: JSONValue {
        [
            "id": .integer(id), "route": .string(route), "kind": .string(kind.rawValue),
            "skip": .integer(skip), "count": .optional(count),
            "probability": probability.map { .float($0) } ?? .null, "hits": .integer(hits),
        ]
    }

    /// Decides whether the fault happens in a call of a function, and counts it.
    mutating func happens(in function: String) -> Bool {
        guard matches(function), count != 0 else { return false }
        if skip > 0 {
            skip -= 1
            return false
        }
        if let probability {
            random &+= 0x9E37_79B9_7F4A_7C15
            let draw = Double(GeneratedContent.mix(random) >> 11) / Double(1 << 53)
            guard draw < probability else { return false }
        }
        if let left = count { count = left - 1 }
        hits += 1
        return true
    }

    private func matches(_ function: String) -> Bool {
        route.hasSuffix("*") ? function.hasPrefix(route.dropLast()) : function == route
    }
}

extension Fault.Details {
    fileprivate init(_ reader: inout ArgumentReader) throws(ArgumentError) {
        status = try reader.integer("status", in: 200...599, default: status)
        if let value = try reader.take("retry_after") {
            retryAfter =
                value == .null
                ? nil : try ArgumentReader.integer(value, in: 0...86_400, at: "retry_after")
        }
        reason = try reader.optionalString("reason") ?? reason
        if let value = try reader.nullable("seconds") {
            seconds = try Fault.number(value, at: "seconds")
        }
        at = try reader.integer("at", in: 0...Int64.max, default: at)
        entries = try reader.integer("entries", in: 1...Int64.max, default: entries)
        scope = try reader.optionalString("scope") ?? scope
        type = try reader.optionalString("content_type") ?? type
        body = try reader.optionalString("body")
        error = try reader.nullable("error")
        field = try reader.optionalString("field") ?? field
        value = try reader.take("value") ?? value
        if let value = try reader.nullable("names") {
            guard case .array(let elements) = value else {
                throw ArgumentReader.error("names", "expected list, got \(value.kind)")
            }
            for element in elements {
                names.append(try ArgumentReader.string(element, at: "names"))
            }
        }
    }
}
