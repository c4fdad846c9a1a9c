// Numbers, texts, dates, lists and absent values as parts of generated types.

import DropboxAPI
public import Foundation

extension String: StoneValue {
    /// Reads a text from JSON.
    public init(stone json: JSON) throws {
        guard case .str(let text) = json else { throw DeserializationError(json, as: String.self) }
        self = text
    }

    /// The text in JSON.
    public var stone: JSON { .str(self) }
}

extension Bool: StoneValue {
    /// Reads true or false, or a number that stands for it.
    public init(stone json: JSON) throws {
        switch json {
        case .bool(let truth): self = truth
        case .number(let number): self = number.boolValue
        default: throw DeserializationError(json, as: Bool.self)
        }
    }

    /// True or false in JSON.
    public var stone: JSON { .bool(self) }
}

extension UInt64: StoneValue {
    /// Reads a number that fits.
    public init(stone json: JSON) throws {
        guard case .number(let number) = json, let value = UInt64(exactly: number) else {
            throw DeserializationError(json, as: UInt64.self)
        }
        self = value
    }

    /// The number in JSON.
    public var stone: JSON { .number(NSNumber(value: self)) }
}

extension Int64: StoneValue {
    /// Reads a number that fits.
    public init(stone json: JSON) throws {
        guard case .number(let number) = json, let value = Int64(exactly: number) else {
            throw DeserializationError(json, as: Int64.self)
        }
        self = value
    }

    /// The number in JSON.
    public var stone: JSON { .number(NSNumber(value: self)) }
}

extension UInt32: StoneValue {
    /// Reads a number that fits.
    public init(stone json: JSON) throws {
        let wide: UInt64 = try .read(stone: json)
        guard let value = UInt32(exactly: wide) else {
            throw DeserializationError(json, as: UInt32.self)
        }
        self = value
    }

    /// The number in JSON.
    public var stone: JSON { .number(NSNumber(value: self)) }
}

extension Int32: StoneValue {
    /// Reads a number that fits.
    public init(stone json: JSON) throws {
        let wide: Int64 = try .read(stone: json)
        guard let value = Int32(exactly: wide) else {
            throw DeserializationError(json, as: Int32.self)
        }
        self = value
    }

    /// The number in JSON.
    public var stone: JSON { .number(NSNumber(value: self)) }
}

extension Double: StoneValue {
    /// Reads a number, whole or not.
    public init(stone json: JSON) throws {
        guard case .number(let number) = json else {
            throw DeserializationError(json, as: Double.self)
        }
        self = number.doubleValue
    }

    /// The number in JSON.
    public var stone: JSON { .number(NSNumber(value: self)) }
}

extension Float: StoneValue {
    /// Reads a number, whole or not.
    public init(stone json: JSON) throws {
        guard case .number(let number) = json else {
            throw DeserializationError(json, as: Float.self)
        }
        self = number.floatValue
    }

    /// The number in JSON.
    public var stone: JSON { .number(NSNumber(value: self)) }
}

extension Date: StoneValue {
    /// Reads a time in UTC, in whole seconds.
    public init(stone json: JSON) throws {
        guard let text = json.text, let date = StoneDates.time(text) else {
            throw DeserializationError(json, as: Date.self)
        }
        self = date
    }

    /// The time in JSON, in UTC and whole seconds.
    public var stone: JSON { .str(StoneDates.timeText(self)) }
}

extension Data: StoneValue {
    /// Reads bytes in base 64.
    public init(stone json: JSON) throws {
        guard let text = json.text, let data = Data(base64Encoded: text) else {
            throw DeserializationError(json, as: Data.self)
        }
        self = data
    }

    /// The bytes in base 64.
    public var stone: JSON { .str(base64EncodedString()) }
}

extension Optional: StoneValue where Wrapped: StoneValue {
    /// Reads a value, or null.
    public init(stone json: JSON) throws {
        self = json == .null ? nil : try Wrapped.read(stone: json)
    }

    /// The value in JSON, or null.
    public var stone: JSON { map { Wrapped.write(stone: $0) } ?? .null }
}

extension Array: StoneValue where Element: StoneValue {
    /// Reads a list of values.
    public init(stone json: JSON) throws {
        guard case .array(let elements) = json else {
            throw DeserializationError(json, as: Self.self)
        }
        self = try elements.map { try Element.read(stone: $0) }
    }

    /// The list in JSON.
    public var stone: JSON { .array(map { Element.write(stone: $0) }) }
}

extension Dictionary: StoneValue where Key == String, Value: StoneValue {
    /// Reads an object with values of one type.
    public init(stone json: JSON) throws {
        guard let members = json.members else { throw DeserializationError(json, as: Self.self) }
        self = try members.mapValues { try Value.read(stone: $0) }
    }

    /// The object in JSON.
    public var stone: JSON { .dictionary(mapValues { Value.write(stone: $0) }) }
}

/// The two forms of times in the specification.
enum StoneDates {
    static func time(_ text: String) -> Date? { Timestamp(text)?.date }

    static func timeText(_ date: Date) -> String { Timestamp(date).description }

    static func day(_ text: String) -> Date? {
        CalendarDate(text).flatMap { time("\($0.description)T00:00:00Z") }
    }

    static func dayText(_ date: Date) -> String { String(timeText(date).prefix { $0 != "T" }) }
}
