// A range of an upload source as the body of a request of the API. Not responsible for downloads:
// `DownloadStream.swift`.

import ContentHashing
import Core
import DropboxAPI
import Saturating

/// A range of a source as a request's body.
struct UploadBody: BodySource {
    let source: any UploadSource
    let range: Range<Int64>

    var length: UInt64 { UInt64(clamping: range.count) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let start = range.lowerBound +| Int64(clamping: offset)
        let count = try source.read(at: start, before: range.upperBound, into: buffer)
        source.noteTaken(upTo: start +| Int64(clamping: count))
        return count
    }
}

/// The source has fewer bytes than its size.
struct SourceEndedEarly: Error {}

extension UploadSource {
    /// Reads bytes before the offset `end`; returns how many.
    func read(
        at offset: Int64, before end: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        let count = Int(clamping: min(Int64(clamping: buffer.count), end -| offset))
        guard count > 0 else { return 0 }
        return try read(
            at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)))
    }

    /// The hash of a range. Throws the errors of `read`, and `SourceEndedEarly`.
    func contentHash(_ range: Range<Int64>) throws -> ContentHash {
        var hasher = ContentHasher()
        var buffer = [UInt8](repeating: 0, count: min(range.count, 1 << 20))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = try buffer.withUnsafeMutableBytes { bytes in
                try read(at: offset, before: range.upperBound, into: bytes)
            }
            guard count > 0 else { throw SourceEndedEarly() }
            hasher.update(buffer.prefix(count))
            offset +|= Int64(clamping: count)
        }
        return hasher.finalized()
    }
}
