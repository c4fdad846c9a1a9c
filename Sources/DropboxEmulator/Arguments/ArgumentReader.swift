// Reads a struct argument field by field, as strictly as the service does: a missing field, one of
// another type, one out of bounds and an unknown one are all errors. Not responsible for the
// argument's source (`ArgumentSource`).

/// The fault of an argument or of a header, in the service's words: 400. The responder writes the
/// function's name before the message.
struct ArgumentError: Error, Equatable {
    let message: String
}

/// Takes the fields out of one struct; `finish()` rejects the remaining ones.
struct ArgumentReader {
    private let place: String
    private var members: [JSONValue.Member]

    /// - Parameter place: the field that holds the struct, with its parents; empty at the top.
    init(_ value: JSONValue, at place: String = "") throws(ArgumentError) {
        guard case .object(let members) = value else {
            throw Self.error(place, "expected object, got \(value.kind)")
        }
        self.place = place
        self.members = members
    }

    /// Ends the reading of a struct; throws if fields remain.
    func finish() throws(ArgumentError) {
        if let extra = members.first(where: { $0.name != ".tag" }) {
            throw Self.error(place, "unknown field '\(extra.name)'")
        }
    }

    /// Takes a field; nil if it is absent.
    mutating func take(_ name: String) throws(ArgumentError) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
        let member = members.remove(at: index)
        guard !members.contains(where: { $0.name == name }) else {
            throw Self.error(place, "duplicate field '\(name)'")
        }
        return member.value
    }

    /// Takes a mandatory field.
    mutating func require(_ name: String) throws(ArgumentError) -> JSONValue {
        guard let value = try take(name) else {
            throw Self.error(place, "missing required field '\(name)'")
        }
        return value
    }

    /// Takes an optional field; null is the same as absent.
    mutating func nullable(_ name: String) throws(ArgumentError) -> JSONValue? {
        guard let value = try take(name), value != .null else { return nil }
        return value
    }

    /// Whether a field is there; null is the same as absent, and is taken.
    mutating func isPresent(_ name: String) throws(ArgumentError) -> Bool {
        guard let member = members.first(where: { $0.name == name }) else { return false }
        if member.value == .null { _ = try take(name) }
        return member.value != .null
    }

    /// The full name of a field.
    func at(_ name: String) -> String {
        place.isEmpty ? name : "\(place).\(name)"
    }

    /// An error at a field's place.
    static func error(_ place: String, _ message: String) -> ArgumentError {
        ArgumentError(message: place.isEmpty ? message : "\(place): \(message)")
    }
}

// MARK: Primitive types

extension ArgumentReader {
    /// Takes a mandatory string.
    mutating func string(_ name: String) throws(ArgumentError) -> String {
        try Self.string(try require(name), at: at(name))
    }

    /// Takes a string that may be absent.
    mutating func optionalString(_ name: String) throws(ArgumentError) -> String? {
        guard let value = try nullable(name) else { return nil }
        return try Self.string(value, at: at(name))
    }

    /// Takes a string with bounds on its length.
    mutating func string(
        _ name: String, length: ClosedRange<Int>
    ) throws(ArgumentError) -> String {
        try Self.string(try require(name), at: at(name), length: length)
    }

    /// Takes a path of a pattern.
    mutating func path(_ name: String, _ pattern: PathPattern) throws(ArgumentError) -> String {
        try Self.path(try require(name), pattern, at: at(name))
    }

    /// Takes a rev that may be absent.
    mutating func optionalRev(_ name: String) throws(ArgumentError) -> String? {
        guard let value = try nullable(name) else { return nil }
        return try Self.rev(value, at: at(name))
    }

    /// Takes a content hash that may be absent.
    mutating func optionalHash(_ name: String) throws(ArgumentError) -> ContentDigest? {
        guard let value = try nullable(name) else { return nil }
        let text = try Self.string(value, at: at(name), length: 64...64)
        guard let hash = ContentDigest(hex: text) else {
            throw Self.error(at(name), "'\(text)' did not match pattern '[0-9a-f]+'")
        }
        return hash
    }

    /// Takes a point in time that may be absent.
    mutating func optionalTimestamp(_ name: String) throws(ArgumentError) -> APITime? {
        guard let value = try nullable(name) else { return nil }
        let text = try Self.string(value, at: at(name))
        guard let time = APITime(text) else {
            throw Self.error(
                at(name), "time data '\(text)' does not match format '%Y-%m-%dT%H:%M:%SZ'")
        }
        return time
    }

    /// Takes a flag that may be absent.
    mutating func boolean(_ name: String, default standard: Bool) throws(ArgumentError) -> Bool {
        guard let value = try take(name) else { return standard }
        guard case .boolean(let truth) = value else {
            throw Self.error(at(name), "expected boolean, got \(value.kind)")
        }
        return truth
    }

    /// Takes a number within bounds.
    mutating func integer(
        _ name: String, in range: ClosedRange<Int64> = 0...Int64.max
    ) throws(ArgumentError) -> Int64 {
        try Self.integer(try require(name), in: range, at: at(name))
    }

    /// Takes a number within bounds that may be absent.
    mutating func integer(
        _ name: String, in range: ClosedRange<Int64>, default standard: Int64
    ) throws(ArgumentError) -> Int64 {
        guard let value = try take(name) else { return standard }
        return try Self.integer(value, in: range, at: at(name))
    }

    /// Takes a list within bounds, and reads each element.
    mutating func list<Element>(
        _ name: String, count: ClosedRange<Int> = 0...Int.max,
        _ element: (JSONValue, String) throws(ArgumentError) -> Element
    ) throws(ArgumentError) -> [Element] {
        let value = try require(name)
        guard case .array(let values) = value else {
            throw Self.error(at(name), "expected list, got \(value.kind)")
        }
        guard values.count >= count.lowerBound else {
            throw Self.error(
                at(name), "list must have at least \(count.lowerBound) items, got \(values.count)")
        }
        guard values.count <= count.upperBound else {
            throw Self.error(
                at(name), "list must have at most \(count.upperBound) items, got \(values.count)")
        }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            elements.append(try element(value, "\(at(name))[\(index)]"))
        }
        return elements
    }

    /// Takes a list of structs within bounds, and reads all fields of each.
    mutating func structs<Element>(
        _ name: String, count: ClosedRange<Int> = 0...Int.max,
        _ element: (inout ArgumentReader) throws(ArgumentError) -> Element
    ) throws(ArgumentError) -> [Element] {
        try list(name, count: count) { value, place throws(ArgumentError) in
            var reader = try ArgumentReader(value, at: place)
            let fields = try element(&reader)
            try reader.finish()
            return fields
        }
    }
}

// MARK: Values outside of a struct

extension ArgumentReader {
    static func string(
        _ value: JSONValue, at place: String, length: ClosedRange<Int> = 0...Int.max
    ) throws(ArgumentError) -> String {
        guard case .string(let text) = value else {
            throw error(place, "expected string, got \(value.kind)")
        }
        let count = text.unicodeScalars.count
        guard count >= length.lowerBound else {
            throw error(
                place, "'\(text)' must be at least \(length.lowerBound) characters, got \(count)")
        }
        guard count <= length.upperBound else {
            throw error(
                place, "'\(text)' must be at most \(length.upperBound) characters, got \(count)")
        }
        return text
    }

    static func path(
        _ value: JSONValue, _ pattern: PathPattern, at place: String
    ) throws(ArgumentError) -> String {
        let text = try string(value, at: place)
        guard pattern.matches(text) else {
            throw error(place, "'\(text)' did not match pattern '\(pattern.text)'")
        }
        return text
    }

    static func rev(_ value: JSONValue, at place: String) throws(ArgumentError) -> String {
        let text = try string(value, at: place, length: 9...Int.max)
        guard text.utf8.allSatisfy(PathPattern.isHexDigit) else {
            throw error(place, "'\(text)' did not match pattern '[0-9a-f]+'")
        }
        return text
    }

    static func integer(
        _ value: JSONValue, in range: ClosedRange<Int64>, at place: String
    ) throws(ArgumentError) -> Int64 {
        guard case .integer(let number) = value else {
            throw error(place, "expected integer, got \(value.kind)")
        }
        guard number >= range.lowerBound else {
            throw error(place, "\(number) is less than the minimum \(range.lowerBound)")
        }
        guard number <= range.upperBound else {
            throw error(place, "\(number) is greater than the maximum \(range.upperBound)")
        }
        return number
    }

    /// The tag of a union value, which may be written as a bare string if it has no data.
    static func tag(
        of value: JSONValue, among tags: [String], at place: String
    ) throws(ArgumentError) -> String {
        let tag: String
        switch value {
        case .string(let text): tag = text
        case .object(let members):
            guard let text = members.first(where: { $0.name == ".tag" })?.value.string else {
                throw error(place, "missing '.tag' key")
            }
            tag = text
        default: throw error(place, "expected string or object, got \(value.kind)")
        }
        guard tags.contains(tag) else { throw error(place, "unknown tag '\(tag)'") }
        return tag
    }
}
