// Reads a zip archive as a stream, without its central directory, which comes last.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.7, 4.3.9, 4.5.3)

import Essentials

/// Why reading an archive stopped.
@nonexhaustive public enum ZipError: Error, Hashable, Sendable {
    /// It is no zip archive, or is damaged.
    case malformed(String)
    /// It uses an unsupported feature: encryption, or another compression.
    case unsupported(String)
}

extension ZipError: DropboxError {
    /// One line: what happened.
    public var summary: String {
        switch self {
        case .malformed(let reason): "the archive is damaged: \(reason)"
        case .unsupported(let feature): "the archive cannot be read: \(feature)"
        }
    }
}

/// Takes an archive's bytes in pieces of any size and returns its files, each complete and checked
/// against its checksum.
///
/// Sizes stand before the data, or behind it if the writer did not know them. A stored entry of the
/// second kind ends where a data descriptor matches the length and checksum of the bytes before it.
///
/// Additions do not check for overflow: positions are within the buffer, lengths of names and
/// fields have 16 bits, and no archive has 2^63 bytes.
public struct ZipReader {
    /// A file of an archive. Folders are left out.
    public struct File: Hashable, Sendable {
        /// Its path in the archive.
        public var name: String
        /// The file's uncompressed content.
        public var content: [UInt8]
    }

    private enum Signature {
        static let entry: UInt32 = 0x0403_4B50
        static let descriptor: UInt32 = 0x0807_4B50
    }

    private struct Header {
        var name = ""
        var isDeflated = false
        var sizesFollow = false
        var checksum: UInt = 0
        var compressed: Int64 = 0
    }

    /// An entry whose data is being read.
    private struct Current {
        var header: Header
        var inflater: Inflater?
        /// The content so far; nil once it exceeds the limit.
        var content: [UInt8]? = []
        var checksum: UInt = 0
        var count: Int64 = 0
        /// Bytes of the archive consumed as the entry's data so far.
        var taken: Int64 = 0
        var isDataOver = false
    }

    /// Bytes of content after which `take` returns: a few kilobytes can unpack to many files.
    private static let batch = 8 << 20

    private let limit: Int
    /// Remaining limits for bytes, packed and unpacked, and for entries.
    private var bytesLeft: Int64
    private var entriesLeft: Int
    private var buffer: [UInt8] = []
    private var current: Current?
    private var isOver = false

    /// Files of more than `limit` bytes are skipped. Reading stops at archives of more than `total`
    /// bytes, packed or unpacked, or of more `entries`.
    public init(limit: Int, total: Int64 = .max, entries: Int = .max) {
        self.limit = limit
        bytesLeft = total
        entriesLeft = entries
    }

    /// Whether the last file has been returned: only the central directory remains.
    public var isComplete: Bool { isOver }

    /// Whether the bytes so far complete more files than were returned: call `take` again, with no
    /// bytes.
    public private(set) var hasMore = false

    /// Parses the next bytes; returns the files that they complete, up to some 8 MiB of content.
    public mutating func take(_ bytes: [UInt8]) throws(ZipError) -> [File] {
        guard !isOver else { return [] }
        try spend(bytes.count)
        buffer.append(contentsOf: bytes)
        var files: [File] = []
        var position = 0
        var taken = 0
        hasMore = false
        while !isOver, !hasMore {
            let count = files.count
            guard try advance(&position, &files) else { break }
            // At most `limit` each.
            if files.count > count, let last = files.last { taken &+= last.content.count }
            hasMore = taken >= Self.batch
        }
        buffer.removeFirst(position)
        return files
    }

    /// Parses one element at a position in the buffer; false if that needs more bytes.
    private mutating func advance(
        _ position: inout Int, _ files: inout [File]
    ) throws(ZipError) -> Bool {
        guard var entry = current else { return try begin(&position) }
        // Cleared so that the bytes have one reference; a second one would copy them with every
        // piece.
        current = nil
        var isDone = false
        defer { if !isDone { current = entry } }
        if !entry.isDataOver {
            if entry.header.isDeflated {
                try inflate(&entry, &position)
            } else if entry.header.sizesFollow {
                try searchEnd(of: &entry, &position)
            } else {
                // Both are positive, and no more is consumed than the buffer holds.
                let rest = entry.header.compressed &- entry.taken
                let here = buffer.count &- position
                keep(min(Int(clamping: rest), here), of: &entry, &position)
                entry.isDataOver = entry.taken == entry.header.compressed
            }
            guard entry.isDataOver else { return false }
        }
        guard try end(&entry, &position) else { return false }
        if let content = entry.content, entry.header.name.utf8.last != UInt8(ascii: "/") {
            files.append(File(name: entry.header.name, content: content))
        }
        isDone = true
        return true
    }

    /// Rejects an archive that exceeds its limits, for example an endless one.
    private mutating func spend(_ count: Int) throws(ZipError) {
        let (left, overflow) = bytesLeft.subtractingReportingOverflow(Int64(clamping: count))
        guard !overflow, left >= 0 else { throw .malformed("more bytes than it can have") }
        bytesLeft = left
    }

    // MARK: Before the data

    private mutating func begin(_ position: inout Int) throws(ZipError) -> Bool {
        guard let signature = number(4, at: position) else { return false }
        guard signature == Signature.entry else {
            // The directory, or the end of an archive without entries.
            guard signature == 0x0201_4B50 || signature == 0x0605_4B50 else {
                throw .malformed("no entry where one should begin")
            }
            isOver = true
            return false
        }
        guard let nameSize = number(2, at: position &+ 26),
            let extraSize = number(2, at: position &+ 28),
            let flags = number(2, at: position &+ 6), let method = number(2, at: position &+ 8),
            let checksum = number(4, at: position &+ 14),
            let shortSize = number(4, at: position &+ 18)
        else { return false }
        let nameStart = position &+ 30
        let name = nameStart..<(nameStart &+ Int(clamping: nameSize))
        let extra = name.upperBound..<(name.upperBound &+ Int(clamping: extraSize))
        guard extra.upperBound <= buffer.count else { return false }
        guard entriesLeft > 0 else { throw .malformed("more entries than it can have") }
        entriesLeft &-= 1
        guard flags & 1 == 0 else { throw .unsupported("an encrypted entry") }
        guard method == 0 || method == 8 else { throw .unsupported("compression \(method)") }
        var compressed = UInt64(clamping: shortSize)
        if compressed == 0xFFFF_FFFF { compressed = try longSize(in: extra) }
        guard let compressed = Int64(exactly: compressed) else { throw .malformed("a huge entry") }
        let header = Header(
            name: String(decoding: buffer[name], as: UTF8.self), isDeflated: method == 8,
            sizesFollow: flags & 8 != 0, checksum: UInt(clamping: checksum), compressed: compressed)
        current = Current(
            header: header, inflater: header.isDeflated ? try Inflater() : nil)
        position = extra.upperBound
        return true
    }

    /// The compressed size in the Zip64 extra field, behind the uncompressed size.
    private func longSize(in extra: Range<Int>) throws(ZipError) -> UInt64 {
        var place = extra.lowerBound
        while place &+ 4 <= extra.upperBound, let id = number(2, at: place),
            let size = number(2, at: place &+ 2)
        {
            if id == 1, size >= 16, let low = number(4, at: place &+ 12),
                let high = number(4, at: place &+ 16)
            {
                return UInt64(clamping: high) &<< 32 | UInt64(clamping: low)
            }
            place &+= 4 &+ Int(clamping: size)
        }
        throw .malformed("a size is missing")
    }

    // MARK: Data

    private func keep(_ count: Int, of entry: inout Current, _ position: inout Int) {
        let bytes = buffer[position...].prefix(count)
        add(bytes, to: &entry)
        entry.taken &+= Int64(clamping: count)
        position &+= count
    }

    private func add(_ bytes: ArraySlice<UInt8>, to entry: inout Current) {
        entry.checksum = DropboxAPI.checksum(entry.checksum, bytes)
        entry.count &+= Int64(clamping: bytes.count)
        if entry.count <= limit {
            entry.content?.append(contentsOf: bytes)
        } else {
            entry.content = nil
        }
    }

    private mutating func inflate(_ entry: inout Current, _ position: inout Int) throws(ZipError) {
        guard let inflater = entry.inflater, position < buffer.count else { return }
        var isFull = false
        repeat {
            let output = try inflater.inflate(buffer[position...])
            try spend(output.bytes.count)
            add(output.bytes[...], to: &entry)
            entry.taken &+= Int64(clamping: output.consumed)
            position &+= output.consumed
            entry.isDataOver = output.isEnd
            isFull = output.isFull
        } while !entry.isDataOver && isFull
    }

    /// Consumes stored bytes up to the data descriptor that matches them.
    private func searchEnd(of entry: inout Current, _ position: inout Int) throws(ZipError) {
        while position < buffer.count {
            let rest = buffer[position...]
            // "P" begins the signature.
            guard let candidate = rest.firstIndex(of: 0x50) else {
                return keep(rest.count, of: &entry, &position)
            }
            keep(candidate &- position, of: &entry, &position)
            guard position &+ 16 <= buffer.count else { return }
            if isDescriptor(at: position, of: entry) {
                entry.isDataOver = true
                return
            }
            keep(1, of: &entry, &position)
        }
    }

    private func isDescriptor(at place: Int, of entry: Current) -> Bool {
        number(4, at: place) == Signature.descriptor
            && number(4, at: place &+ 4).map { UInt(clamping: $0) } == entry.checksum
            && number(4, at: place &+ 8) == UInt32(truncatingIfNeeded: entry.taken)
    }

    // MARK: After the data

    /// Skips the descriptor and checks the checksum; false if that needs more bytes.
    private func end(_ entry: inout Current, _ position: inout Int) throws(ZipError) -> Bool {
        var expected = entry.header.checksum
        if entry.header.sizesFollow {
            // A descriptor has up to 24 bytes, and the central directory always follows.
            guard position &+ 24 <= buffer.count else { return false }
            // The signature is optional.
            let start = number(4, at: position) == Signature.descriptor ? position &+ 4 : position
            let isShort =
                number(4, at: start &+ 4) == UInt32(truncatingIfNeeded: entry.taken)
                && number(4, at: start &+ 8) == UInt32(truncatingIfNeeded: entry.count)
                && isSignature(at: start &+ 12)
            expected = UInt(clamping: number(4, at: start) ?? 0)
            position = start &+ (isShort ? 12 : 20)
        }
        guard entry.checksum == expected else {
            throw .malformed("\(entry.header.name) has another checksum")
        }
        return true
    }

    private func isSignature(at place: Int) -> Bool {
        guard let signature = number(4, at: place) else { return true }
        return signature & 0xFFFF == 0x4B50
    }

    /// A little-endian number of 2 or 4 bytes; nil past the buffer's end.
    private func number(_ size: Int, at place: Int) -> UInt32? {
        guard place &+ size <= buffer.count else { return nil }
        return buffer[place...].prefix(size).reversed().reduce(0) {
            $0 &<< 8 | UInt32(truncatingIfNeeded: $1)
        }
    }
}
