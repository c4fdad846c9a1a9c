// A piece of an open file as a part of a request's body. Not responsible for which pieces there are: UploadLimits.

import ContentHashing
import Saturating

/// Open content that may be read more than once, so that its pieces need not be kept in memory until they are sent.
protocol RepeatableFile: OpenedFile {}

extension OpenedLocalFile: RepeatableFile {}
extension BytesSource: RepeatableFile {}
extension DataSource: RepeatableFile {}

/// A piece of a repeatable file, read while it is sent.
struct FilePiece: BodySource {
    let file: any RepeatableFile
    let range: Range<UInt64>

    /// The piece's length in bytes.
    var length: UInt64 { range.length }

    /// Reads bytes of the piece.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard offset < length else { return 0 }
        let part = buffer.prefix(Int(clamping: length &- offset))
        return try file.read(
            at: range.lowerBound +| offset, into: UnsafeMutableRawBufferPointer(rebasing: part))
    }

    /// Whether the file was changed since it was opened, or can no longer be asked. Blocks for the disk.
    var hasChanged: Bool { (try? file.isUnchanged()) != true }
}

extension OpenedFile {
    /// The bytes of a range for a request: read now, unless they can be read again when they are sent. Throws
    /// `FileUploadError.changed` when the file has fewer.
    func piece(_ range: Range<UInt64>) throws -> any BodySource {
        guard let file = self as? any RepeatableFile else { return BytesBody(try bytes(range)) }
        return FilePiece(file: file, range: range)
    }
}

extension BodySource {
    /// The digests of its blocks of 4 MiB, the last of which may be short. Throws `FileUploadError.changed` if the source
    /// has fewer bytes than it said.
    func blockDigests() throws -> [ContentHash] {
        try stride(from: 0, to: length, by: ContentHasher.blockSize).map { start in
            let size = min(ContentHasher.blockSize, Int(clamping: length &- start))
            return try ContentHasher.blockDigest(size: size) { offset, part in
                try fill(part, from: start +| UInt64(clamping: offset))
            }
        }
    }

    private func fill(_ part: UnsafeMutableRawBufferPointer, from offset: UInt64) throws {
        var done = 0
        while done < part.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: part[done...])
            let count = try read(at: offset +| UInt64(clamping: done), into: rest)
            guard count > 0, count <= rest.count else { throw FileUploadError.changed }
            done +|= count
        }
    }
}
