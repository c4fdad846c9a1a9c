// How numbers, texts and values stand in a record of the change log. Numbers are in groups of seven
// bits, the lowest first.

import Saturating

extension [UInt8] {
    mutating func append(number: UInt64) {
        var rest = number
        while rest > 0x7f {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(bytes: some Collection<UInt8>) {
        append(number: UInt64(clamping: bytes.count))
        append(contentsOf: bytes)
    }

    mutating func append(value: ColumnValue) {
        switch value {
        case .null: append(0)
        case .integer(let number):
            append(1)
            append(number: UInt64(bitPattern: number))
        case .text(let text):
            append(2)
            append(bytes: text.utf8)
        case .blob(let bytes):
            append(3)
            append(bytes: bytes)
        }
    }

    /// Replaces the bytes at an index by a number, its lowest byte first.
    mutating func set(_ number: some FixedWidthInteger, at index: Int) {
        var rest = number
        for place in index..<index +| number.bitWidth / 8 {
            self[place] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
    }
}

extension ArraySlice<UInt8> {
    /// The number of `size` bytes at an offset, which the slice must have.
    func number(at offset: Int, size: Int) -> UInt64 {
        dropFirst(offset).prefix(size).reversed().reduce(0) {
            $0 &<< 8 | UInt64(truncatingIfNeeded: $1)
        }
    }
}

/// Reads a record from its beginning; each part is nil if the bytes end before it.
struct RecordReader {
    var rest: ArraySlice<UInt8>

    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst(), shift < 64 {
            number |= UInt64(truncatingIfNeeded: byte & 0x7f) &<< shift
            if byte & 0x80 == 0 { return number }
            shift +|= 7
        }
        return nil
    }

    mutating func bytes() -> ArraySlice<UInt8>? {
        guard let count = number(), count <= UInt64(clamping: rest.count) else { return nil }
        let bytes = rest.prefix(Int(clamping: count))
        rest = rest[bytes.endIndex...]
        return bytes
    }

    mutating func text() -> String? {
        bytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    mutating func value() -> ColumnValue? {
        switch rest.popFirst() {
        case 0: .null
        case 1: number().map { .integer(Int64(bitPattern: $0)) }
        case 2: text().map { .text($0) }
        case 3: bytes().map { .blob(Array($0)) }
        default: nil
        }
    }
}
