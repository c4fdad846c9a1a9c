// How far the database's write-ahead log is known to be flushed, in a small file beside it. A log
// or a database that is older than that was damaged, replaced or deleted; SQLite itself takes such
// a log for a shorter one and reports no error. Not responsible for the consequence.
//
// Formats: https://www.sqlite.org/walformat.html (log, section 4 of fileformat2.html; wal-index
// header).

import Core
import Foundation
import Glibc
import LocalFiles
import Saturating

/// The damage of a database that opens without an error.
package enum DatabaseDamage: Hashable, Sendable {
    /// The file existed before and is gone.
    case missing
    /// It is not the database that this folder had.
    case replaced
    /// The log has lost flushed changes.
    case logCutShort
    /// It is an older copy of the database that this folder had.
    case older

    /// The message for people.
    package var description: String {
        switch self {
        case .missing: "the database of this account was missing"
        case .replaced: "the database of this account was replaced by another one"
        case .logCutShort: "the database of this account had lost its last changes"
        case .older: "the database of this account was replaced by an older copy of it"
        }
    }
}

/// The last state of the log that is known to be flushed.
struct LogMark: Codable, Equatable {
    /// The database's unique name.
    var database: String
    /// The two salts of the log's header, as they stand there; nil without a log.
    var salts: [UInt8]?
    /// Number of flushed frames of the log.
    var frames: Int
    /// SQLite has closed the database, and so has ended the log.
    var isClosed: Bool
    /// How many openings and closings the database counts at least; nil in marks of older versions.
    var changes: Int64?

    /// Reads the mark of a database; nil if there is no readable one.
    init?(at path: String) {
        guard let bytes = (try? RegularFile.contents(of: path)) ?? nil,
            // Foundation's decoder traps on a document that is cut off within deep nesting, unless
            // a byte follows.
            let mark = try? JSONDecoder().decode(
                LogMark.self, from: Data(bytes + [UInt8(ascii: " ")]))
        else { return nil }
        self = mark
    }

    init(database: String, changes: Int64) {
        self.database = database
        self.changes = changes
        salts = nil
        frames = 0
        isClosed = false
    }

    /// Writes the mark in one call. It need not be flushed, because an older mark demands less:
    /// only that of an end, before SQLite deletes the log that an older mark demands.
    func write(to path: String, flushedBy flush: (Int32) -> Int32 = { _ in 0 }) {
        guard let bytes = try? JSONEncoder().encode(self) else { return }
        guard let descriptor = try? RegularFile.open(path, O_WRONLY | O_CREAT) else { return }
        defer { close(descriptor) }
        // Padded to one length, so that a shorter mark leaves no rest of a longer one.
        var padded = bytes
        let missing = max(0, 256 -| bytes.count)
        padded.append(contentsOf: repeatElement(UInt8(ascii: " "), count: missing))
        _ = padded.withUnsafeBytes { FileBytes.writeOnce($0, at: 0, to: descriptor) }
        _ = flush(descriptor)
    }
}

/// The part of a log that SQLite would read: frames up to the last commit with valid checksums.
struct LogExtent: Equatable {
    var salts: [UInt8]
    var frames: Int

    private static let headerSize = 32
    private static let frameHeaderSize = 24
    private static let largestPage = 65_536

    /// Reads a log; nil if there is none, or if its header is damaged.
    init?(ofLogAt path: String) {
        guard let log = (try? RegularFile.contents(of: path)) ?? nil else { return nil }
        self.init(log: log)
    }

    init?(log: [UInt8]) {
        guard log.count >= Self.headerSize else { return nil }
        let magic = Self.number(log, 0)
        guard magic & ~1 == 0x377f_0682 else { return nil }
        let pageSize = Int(clamping: Self.number(log, 8))
        guard pageSize >= 512, pageSize <= Self.largestPage else { return nil }
        var sum = LogChecksum(isBigEndian: magic & 1 == 1)
        sum.add(log[0..<24])
        guard sum.first == Self.number(log, 24), sum.second == Self.number(log, 28) else {
            return nil
        }
        salts = Array(log[16..<24])
        frames = 0
        let frameSize = Self.frameHeaderSize +| pageSize
        var start = Self.headerSize
        var count = 0
        while start +| frameSize <= log.count, salts.elementsEqual(log[start +| 8..<start +| 16]) {
            sum.add(log[start..<start +| 8])
            sum.add(log[start +| Self.frameHeaderSize..<start +| frameSize])
            guard sum.first == Self.number(log, start +| 16),
                sum.second == Self.number(log, start +| 20)
            else { return }
            count +|= 1
            // Only a commit's last frame contains the database's size.
            if Self.number(log, start +| 4) != 0 { frames = count }
            start +|= frameSize
        }
    }

    /// The extent of the log according to the beginning of the wal-index: the commits so far. Nil
    /// while it changes.
    init?(index header: [UInt8]) {
        guard header.count == LogIndex.headerSize,
            // Two copies that are written one after the other: if they are equal, both are whole.
            header[0..<48].elementsEqual(header[48..<96])
        else { return nil }
        // In the machine's byte order, except for the salts.
        let count = header[16..<20].enumerated().reduce(0 as UInt32) { sum, byte in
            #if _endian(little)
                sum | UInt32(truncatingIfNeeded: byte.element)
                    &<< (8 &* UInt32(truncatingIfNeeded: byte.offset))
            #else
                sum &<< 8 | UInt32(truncatingIfNeeded: byte.element)
            #endif
        }
        frames = Int(clamping: count)
        salts = Array(header[32..<40])
    }

    /// Whether a log with these salts may follow one with older ones: each time that SQLite
    /// restarts its log, after a complete checkpoint, it increments the first salt.
    static func mayFollow(_ newer: [UInt8], _ older: [UInt8]) -> Bool {
        guard newer.count == 8, older.count == 8 else { return false }
        let distance = number(newer, 0) &- number(older, 0)
        return (1...0x100_0000).contains(distance)
    }

    private static func number(_ bytes: [UInt8], _ index: Int) -> UInt32 {
        bytes[index..<index +| 4].reduce(0) { $0 &<< 8 | UInt32(truncatingIfNeeded: $1) }
    }
}

/// SQLite's checksum of a log: two sums over pairs of 32-bit words.
private struct LogChecksum {
    private let isBigEndian: Bool
    private(set) var first: UInt32 = 0
    private(set) var second: UInt32 = 0

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { raw in
            for offset in stride(from: 0, to: raw.count -| 7, by: 8) {
                first &+= word(raw, offset) &+ second
                second &+= word(raw, offset +| 4) &+ first
            }
        }
    }

    private func word(_ raw: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let value = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? value.bigEndian : value.littleEndian
    }
}

extension LogMark {
    /// Compares the mark with the files before SQLite opens them; nil if they match, or if
    /// `database`, the name in the file, is not known yet.
    func damage(ofDatabaseAt path: String) -> DatabaseDamage? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return .missing }
        guard !isClosed, let salts, frames > 0 else { return nil }
        guard let log = LogExtent(ofLogAt: "\(path)-wal") else { return .logCutShort }
        if log.salts == salts { return log.frames < frames ? .logCutShort : nil }
        return LogExtent.mayFollow(log.salts, salts) ? nil : .logCutShort
    }

    /// Compares the mark with what the database says of itself; nil if it matches.
    func damage(ofDatabase name: String, _ changes: Int64) -> DatabaseDamage? {
        if database != name { return .replaced }
        return changes < self.changes ?? 0 ? .older : nil
    }
}
