// Writes a zip archive as a stream: stored entries, with sizes and checksums after each.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT (4.3.7, 4.3.9, 4.3.12, 4.3.16)

import NIOCore

/// A zip archive of a folder.
struct ZipArchive: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    /// A file, or a folder if it has no content.
    struct Entry: Sendable {
        let name: String
        let content: Content?
    }

    /// Exclusive limit on the entries (files.stone, `download_zip`).
    static let maximumEntries = 10_000
    /// The limit of archives without the 64-bit extension; the service's own limit is 20 GB.
    static let maximumSize: Int64 = 1 << 32 - 1

    private let entries: [Entry]
    private let store: ContentStore

    /// Throws the `DownloadZipError` of a folder that is too large.
    init(_ entries: [Entry], store: ContentStore) throws(RouteFailure) {
        guard entries.count < Self.maximumEntries else { throw .route(.tag("too_many_files")) }
        let total = entries.reduce(Int64(0)) {
            $0 + ($1.content?.size ?? 0) + Int64(2 * $1.name.utf8.count) + 128
        }
        guard total < Self.maximumSize else { throw .route(.tag("too_large")) }
        self.entries = entries
        self.store = store
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: entries[...], store: store) }

    /// Flags: sizes follow the data (bit 3), names are UTF-8 (bit 11). Date: 1980-01-01.
    fileprivate static func localHeader(_ name: String) -> ByteBuffer {
        var buffer = words([0x0403_4B50])
        for half: UInt16 in [20, 0x0808, 0, 0, 0x0021] {
            buffer.writeInteger(half, endianness: .little)
        }
        buffer.writeImmutableBuffer(words([0, 0, 0]))
        buffer.writeInteger(UInt16(name.utf8.count), endianness: .little)
        buffer.writeInteger(UInt16(0))
        buffer.writeString(name)
        return buffer
    }

    fileprivate static func writeDirectoryEntry(
        _ name: String, checksum: UInt32, size: UInt32, offset: UInt32, to buffer: inout ByteBuffer
    ) {
        buffer.writeImmutableBuffer(words([0x0201_4B50]))
        for half: UInt16 in [20, 20, 0x0808, 0, 0, 0x0021] {
            buffer.writeInteger(half, endianness: .little)
        }
        buffer.writeImmutableBuffer(words([checksum, size, size]))
        for half in [UInt16(name.utf8.count), 0, 0, 0, 0] {
            buffer.writeInteger(half, endianness: .little)
        }
        buffer.writeImmutableBuffer(words([0, offset]))
        buffer.writeString(name)
    }

    fileprivate static func words(_ words: [UInt32]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for word in words { buffer.writeInteger(word, endianness: .little) }
        return buffer
    }
}

extension ZipArchive {
    /// Produces the archive piece by piece: the header, the data and the descriptor of each entry,
    /// then the central directory.
    struct Iterator: AsyncIteratorProtocol {
        /// The entry whose data is being sent.
        private struct Current {
            let name: String
            let size: UInt32
            let start: UInt32
            var data: ContentPieces.Iterator?
            var checksum = CRC32()
        }

        fileprivate var rest: ArraySlice<Entry>
        fileprivate let store: ContentStore
        private var current: Current?
        private var directory = ByteBuffer()
        private var count: UInt16 = 0
        private var offset: UInt32 = 0
        private var isFinished = false

        fileprivate init(rest: ArraySlice<Entry>, store: ContentStore) {
            self.rest = rest
            self.store = store
        }

        mutating func next() async throws -> ByteBuffer? {
            if let piece = try await current?.data?.next() {
                current?.checksum.update(piece)
                return sent(piece)
            }
            if let entry = current {
                current = nil
                return sent(descriptor(of: entry))
            }
            if let entry = rest.popFirst() { return sent(try await begin(entry)) }
            guard !isFinished else { return nil }
            isFinished = true
            return end()
        }

        private mutating func sent(_ piece: ByteBuffer) -> ByteBuffer {
            offset += UInt32(piece.readableBytes)
            return piece
        }

        private mutating func begin(_ entry: Entry) async throws -> ByteBuffer {
            let store = store
            var data: ContentPieces.Iterator?
            if let content = entry.content {
                let reader = try await onDiskThread { try store.reader(of: content) }
                data = ContentPieces(reader: reader, range: 0..<content.size).makeAsyncIterator()
            }
            let name = entry.name + (entry.content == nil ? "/" : "")
            current = Current(
                name: name, size: UInt32(entry.content?.size ?? 0), start: offset, data: data)
            return ZipArchive.localHeader(name)
        }

        private mutating func descriptor(of entry: Current) -> ByteBuffer {
            count += 1
            ZipArchive.writeDirectoryEntry(
                entry.name, checksum: entry.checksum.value, size: entry.size,
                offset: entry.start, to: &directory)
            return ZipArchive.words([0x0807_4B50, entry.checksum.value, entry.size, entry.size])
        }

        private func end() -> ByteBuffer {
            var end = directory
            end.writeImmutableBuffer(ZipArchive.words([0x0605_4B50, 0]))
            for _ in 0..<2 { end.writeInteger(count, endianness: .little) }
            end.writeInteger(UInt32(directory.readableBytes), endianness: .little)
            end.writeInteger(offset, endianness: .little)
            end.writeInteger(UInt16(0))
            return end
        }
    }
}

/// The checksum of zip archives (ISO 3309, reflected polynomial 0xEDB88320).
struct CRC32: Sendable {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in
            value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
    }

    private var state: UInt32 = 0xFFFF_FFFF

    /// Updates the checksum with the next bytes.
    mutating func update(_ bytes: ByteBuffer) {
        for byte in bytes.readableBytesView {
            state = state >> 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
        }
    }

    /// The checksum of all bytes so far.
    var value: UInt32 { ~state }
}
