// The bytes of the change log: up to the first that a crash has torn, records are read, and nothing
// else.

import Testing

@testable import MetadataStore

@Suite struct ChangeLogTests {
    private static let name = "a database"

    private static func statements(_ number: Int) -> [LoggedStatement] {
        [
            LoggedStatement(
                sql: "INSERT INTO t (a, b, c) VALUES (?, ?, ?)",
                arguments: [number, "name \(number)", blob([1, 2, UInt8(clamping: number)])]),
            LoggedStatement(
                sql: "UPDATE t SET a = ? WHERE b = ? AND \(number) > 0",
                arguments: [-number, String?.none, Int64.min, Int64.max, "", blob([]), true]),
        ]
    }

    /// A lap of so many records, and the offsets at which they end.
    private static func lap(
        of count: Int, after last: Int64 = 0, salt: UInt32 = 7
    ) throws -> (bytes: [UInt8], ends: [Int], log: ChangeLog) {
        var log = ChangeLog(database: name, salt: salt, last: last)
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for number in 1...count {
            try log.append(statements(number)) { record, offset in
                #expect(offset == bytes.count)
                bytes += record
            }
            ends.append(bytes.count)
        }
        return (bytes, ends, log)
    }

    private func numbers(in bytes: [UInt8], after last: Int64, of name: String = name) -> [Int64] {
        ChangeLog.records(in: bytes, database: name, after: last).map(\.number)
    }

    @Test("records come back as they were written")
    func roundTrip() throws {
        let (bytes, _, log) = try Self.lap(of: 5)
        let read = ChangeLog.records(in: bytes, database: Self.name, after: 0)
        #expect(read.map(\.statements) == (1...5).map(Self.statements))
        #expect(read.map(\.number) == [1, 2, 3, 4, 5])
        #expect(log.records == read)
        #expect(log.last == 5)
    }

    @Test("a log that is torn at any byte has the records before that")
    func torn() throws {
        let (bytes, ends, _) = try Self.lap(of: 4)
        for count in 0...bytes.count {
            let whole = ends.count { $0 <= count }
            #expect(numbers(in: Array(bytes.prefix(count)), after: 0).count == whole)
            // As after a power cut that has kept the length of the file.
            let zeros = [UInt8](repeating: 0, count: bytes.count - count)
            let found = numbers(in: bytes.prefix(count) + zeros, after: 0).count
            #expect(found == whole || found == whole + 1 && bytes[count...].allSatisfy { $0 == 0 })
        }
    }

    @Test("a wrong byte ends the log at its record")
    func damaged() throws {
        let (bytes, ends, _) = try Self.lap(of: 3)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x41
            #expect(numbers(in: damaged, after: 0).count == ends.count { $0 <= index })
        }
    }

    @Test("records that the database has are skipped, and those behind a gap are none")
    func continuing() throws {
        let (bytes, _, _) = try Self.lap(of: 4, after: 100)
        #expect(numbers(in: bytes, after: 100) == [101, 102, 103, 104])
        #expect(numbers(in: bytes, after: 102) == [103, 104])
        #expect(numbers(in: bytes, after: 104).isEmpty)
        #expect(numbers(in: bytes, after: 99).isEmpty)
        #expect(numbers(in: bytes, after: 0).isEmpty)
        #expect(numbers(in: bytes, after: 100, of: "another database").isEmpty)
    }

    @Test("the rest of an earlier lap, or of an earlier process, is none")
    func laps() throws {
        let (old, _, log) = try Self.lap(of: 6)
        var next = log
        next.beginAnew()
        var bytes: [UInt8] = []
        try next.append(Self.statements(1)) { record, offset in
            #expect(offset == 0)
            bytes = record
        }
        #expect(numbers(in: bytes + old[bytes.count...], after: 6) == [7])
        // Another process, after a power cut that has lost the last records of the one before.
        let (first, ends, _) = try Self.lap(of: 1, after: 2, salt: 8)
        #expect(ends == [first.count])
        let (third, _, _) = try Self.lap(of: 6, after: 2, salt: 7)
        let fourth = Array(third.dropFirst(first.count))
        #expect(numbers(in: third, after: 2).count == 6)
        #expect(numbers(in: first + fourth, after: 2) == [3])
    }

    @Test("a record that was not written is not in the log")
    func refused() throws {
        struct Refused: Error {}
        var (bytes, _, log) = try Self.lap(of: 2)
        #expect(throws: Refused.self) {
            try log.append(Self.statements(3)) { _, _ in throw Refused() }
        }
        #expect(log.last == 2)
        try log.append(Self.statements(4)) { record, offset in
            #expect(offset == bytes.count)
            bytes += record
        }
        let read = ChangeLog.records(in: bytes, database: Self.name, after: 0)
        #expect(read.map(\.statements) == [1, 2, 4].map(Self.statements))
    }

    @Test("only statements that change rows are repeated")
    func kinds() throws {
        for sql in ["PRAGMA writable_schema = 1", "ATTACH 'x' AS y", "DROP TABLE node", ""] {
            var log = ChangeLog(database: Self.name, salt: 1, last: 0)
            var bytes: [UInt8] = []
            try log.append([LoggedStatement(sql: sql, arguments: [])]) { record, _ in bytes = record
            }
            #expect(numbers(in: bytes, after: 0).isEmpty)
        }
    }
}
