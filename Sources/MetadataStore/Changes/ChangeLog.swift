// The change log: the statements of transactions that are acknowledged, and that SQLite has not
// committed yet. It is a file beside the database. A record is a transaction: its length, a salt,
// its number, a checksum, and its statements with their arguments. Here are the bytes;
// `ChangeGroup` decides when they are written.

import Saturating

/// A statement that has changed rows, with its arguments.
struct LoggedStatement: Hashable, Sendable {
    var sql: String
    var arguments: Arguments
}

/// The statements of one transaction.
struct ChangeRecord: Hashable, Sendable {
    /// Counted over the life of the database, with the transactions that have no record. Those of a
    /// lap have no gaps.
    var number: Int64
    var statements: [LoggedStatement]
}

/// The records since the last commit of the database: one lap of the file, which begins anew after
/// each.
struct ChangeLog: Sendable {
    /// Names the database: the records of another one have wrong checksums.
    private let seed: UInt64
    /// Differs from process to process, so that the rest of an older lap is never taken for this
    /// one's.
    private let salt: UInt32
    /// The number of the last record, of this lap or an earlier one.
    private(set) var last: Int64
    /// The bytes of this lap.
    private(set) var lap: [UInt8] = []
    /// The texts of this lap's statements: each is written once, and named by its number after
    /// that.
    private var texts: [String: UInt64] = [:]

    init(database: String, salt: UInt32, last: Int64) {
        seed = Checksum.seed(of: database)
        self.salt = salt
        self.last = last
    }

    static func path(ofDatabaseAt path: String) -> String { path + "-changes" }

    /// Adds a record, once `write` has put its bytes into the file at an offset. If that throws,
    /// nothing is added.
    mutating func append(
        _ statements: [LoggedStatement], write: (_ bytes: [UInt8], _ offset: Int) throws -> Void
    ) throws {
        var texts = texts
        let record = encoded(statements, &texts)
        try write(record, lap.count)
        self.texts = texts
        lap.append(contentsOf: record)
        last +|= 1
    }

    /// Leaves a number out, which a transaction without a record has. Called between laps only.
    mutating func skip() {
        last +|= 1
    }

    /// Begins a lap, because the database has all records.
    mutating func beginAnew() {
        lap.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
    }

    /// The records of this lap.
    var records: [ChangeRecord] {
        Self.records(in: lap, seed: seed, after: nil)
    }

    // MARK: Encoding

    /// Length, salt, number, checksum.
    private static let headerSize = 24

    private func encoded(
        _ statements: [LoggedStatement], _ texts: inout [String: UInt64]
    ) -> [UInt8] {
        var record = [UInt8](repeating: 0, count: Self.headerSize)
        record.reserveCapacity(1024)
        for statement in statements {
            let next = UInt64(clamping: texts.count)
            let number = texts[statement.sql] ?? next
            record.append(number: number)
            if number == next {
                texts[statement.sql] = next
                record.append(bytes: statement.sql.utf8)
            }
            record.append(number: UInt64(clamping: statement.arguments.values.count))
            for value in statement.arguments.values { record.append(value: value) }
        }
        record.set(UInt32(clamping: record.count -| Self.headerSize), at: 0)
        record.set(salt, at: 4)
        record.set(UInt64(bitPattern: last +| 1), at: 8)
        record.set(Checksum.of(record[...], seed: seed), at: 16)
        return record
    }

    // MARK: Decoding

    /// The records that a file holds for a database whose last one is `last`: those that follow it
    /// without a gap, up to the first that is torn or of another lap.
    static func records(
        in bytes: [UInt8], database: String, after last: Int64
    ) -> [ChangeRecord] {
        records(in: bytes, seed: Checksum.seed(of: database), after: last)
    }

    private static func records(
        in bytes: [UInt8], seed: UInt64, after last: Int64?
    ) -> [ChangeRecord] {
        var records: [ChangeRecord] = []
        var texts: [String] = []
        var salt: UInt32?
        var previous: Int64?
        var rest = bytes[...]
        while let header = header(at: rest, seed: seed) {
            if let salt, salt != header.salt { break }
            if let previous, header.number != previous +| 1 { break }
            let record = rest.prefix(header.size)
            guard let statements = statements(in: record.dropFirst(headerSize), &texts) else {
                break
            }
            salt = header.salt
            previous = header.number
            rest = rest.dropFirst(header.size)
            if let last {
                // Behind a gap are changes of another history.
                if records.isEmpty, header.number > last +| 1 { break }
                if header.number <= last { continue }
            }
            records.append(ChangeRecord(number: header.number, statements: statements))
        }
        return records
    }

    private struct Header {
        var salt: UInt32
        var number: Int64
        /// Bytes of the whole record.
        var size: Int
    }

    /// The header of the record at the beginning; nil if that is none, or torn.
    private static func header(at bytes: ArraySlice<UInt8>, seed: UInt64) -> Header? {
        guard bytes.count > headerSize else { return nil }
        let length = Int(clamping: bytes.number(at: 0, size: 4))
        guard length > 0, length <= bytes.count -| headerSize else { return nil }
        let record = bytes.prefix(headerSize +| length)
        guard bytes.number(at: 16, size: 8) == Checksum.of(record, seed: seed) else { return nil }
        let salt = UInt32(truncatingIfNeeded: bytes.number(at: 4, size: 4))
        let number = Int64(bitPattern: bytes.number(at: 8, size: 8))
        return number > 0 ? Header(salt: salt, number: number, size: record.count) : nil
    }

    /// Decodes the statements of a record; nil if they make no sense. `texts` are those of the lap
    /// so far.
    private static func statements(
        in bytes: ArraySlice<UInt8>, _ texts: inout [String]
    ) -> [LoggedStatement]? {
        var reader = RecordReader(rest: bytes)
        var statements: [LoggedStatement] = []
        while !reader.rest.isEmpty {
            guard let number = reader.number().map({ Int(clamping: $0) }), number <= texts.count
            else { return nil }
            if number == texts.count {
                guard let text = reader.text(), isChange(text) else { return nil }
                texts.append(text)
            }
            guard let count = reader.number(), count <= UInt64(clamping: reader.rest.count) else {
                return nil
            }
            var values: [ColumnValue] = []
            for _ in 0..<count {
                guard let value = reader.value() else { return nil }
                values.append(value)
            }
            statements.append(LoggedStatement(sql: texts[number], arguments: Arguments(values)))
        }
        return statements
    }

    /// Whether a text is a statement of the kinds that are logged.
    static func isChange(_ text: String) -> Bool {
        ["INSERT ", "UPDATE ", "DELETE "].contains { text.hasPrefix($0) }
    }
}

/// A checksum over words of eight bytes. It finds torn writes; it is no protection from a forger.
private enum Checksum {
    /// Of a record, without the place of the checksum itself.
    static func of(_ record: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
        sum(record.dropFirst(24), sum(record.prefix(16), seed))
    }

    static func seed(of name: String) -> UInt64 {
        sum(Array(name.utf8)[...], 0x6462_7866_7331)
    }

    private static func sum(_ bytes: ArraySlice<UInt8>, _ start: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { raw in
            var sum = start ^ UInt64(clamping: raw.count)
            let whole = raw.count & ~7
            for offset in stride(from: 0, to: whole, by: 8) {
                let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                sum = mixed(sum ^ word.littleEndian)
            }
            for byte in raw[whole...] { sum = mixed(sum ^ UInt64(truncatingIfNeeded: byte)) }
            return sum
        }
    }

    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = word &* 0x9e37_79b9_7f4a_7c15
        return product ^ (product &>> 29)
    }
}
