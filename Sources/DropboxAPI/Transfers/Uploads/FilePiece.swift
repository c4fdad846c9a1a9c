// A piece of an open file as a part of a request's body. Not responsible for which pieces there
// are: UploadLimits.

import ContentHashing
import Saturating

/// Open content that may be read more than once, so that its pieces need not be kept in memory
/// until they are sent.
protocol RepeatableFile: OpenedFile {
    /// Whether its bytes are in memory or on a disk of this machine. The thread of the connections
    /// reads them, and a server that does not answer would stop all of them.
    var isAtHand: Bool { get }
}

extension OpenedLocalFile: RepeatableFile {}

extension BytesSource: RepeatableFile {
    var isAtHand: Bool { true }
}

extension DataSource: RepeatableFile {
    var isAtHand: Bool { true }
}

/// A piece of a repeatable file, read while it is sent.
struct FilePiece: BodySource {
    let file: any RepeatableFile
    let range: Range<UInt64>

    /// The piece's length in bytes.
    var length: UInt64 { range.length }

    /// Reads bytes of the piece. Throws `FileUploadError.changed` before the first one if the file
    /// was changed since it was opened.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard offset < length else { return 0 }
        guard try offset > 0 || file.isUnchanged() else { throw FileUploadError.changed }
        let part = buffer.prefix(Int(clamping: length &- offset))
        return try file.read(
            at: range.lowerBound +| offset, into: UnsafeMutableRawBufferPointer(rebasing: part))
    }

    /// Whether the file was changed since it was opened. Blocks for the disk.
    var hasChanged: Bool { (try? file.isUnchanged()) == false }
}

extension OpenedFile {
    /// The bytes of a range for a request: read now, unless they are at hand when they are sent.
    /// Throws `FileUploadError.changed` when the file has fewer.
    func piece(_ range: Range<UInt64>) throws -> any BodySource {
        guard let file = self as? any RepeatableFile, file.isAtHand else {
            return BytesBody(try bytes(range))
        }
        return FilePiece(file: file, range: range)
    }
}

extension BodySource {
    /// The digests of its blocks of 4 MiB, the last of which may be short. Throws
    /// `FileUploadError.changed` if the source has fewer bytes than it said.
    func blockDigests() throws -> [ContentHash] {
        try stride(from: 0, to: length, by: ContentHasher.blockSize).map { start in
            let size = min(ContentHasher.blockSize, Int(clamping: length &- start))
            return try ContentHasher.blockDigest(size: size) { offset, part in
                try part.fill(from: start +| UInt64(clamping: offset), reading: read)
            }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Fills the buffer with the bytes of a content from `offset` on. Throws
    /// `FileUploadError.changed` when it has fewer.
    func fill(
        from offset: UInt64,
        reading read: (_ offset: UInt64, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        var done = 0
        while done < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: self[done...])
            let read = try read(offset +| UInt64(clamping: done), rest)
            guard read > 0, read <= rest.count else { throw FileUploadError.changed }
            done +|= read
        }
    }
}
