// Upload content in memory.

import RemoteStore

/// An upload source over bytes.
package struct BytesSource: UploadSource {
    private let bytes: [UInt8]

    /// Takes over the bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Takes over the UTF-8 form of a text.
    package init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// The number of bytes.
    package var size: Int64 { Int64(bytes.count) }

    /// Copies bytes into the buffer.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}

extension UploadSource {
    /// All bytes of a range. Throws `contentMismatch` when the source ends before it or fails.
    func bytes(_ range: Range<Int64>) throws(RemoteError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let start = done
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
                return (try? read(at: range.lowerBound + Int64(start), into: rest)) ?? 0
            }
            guard count > 0 else { throw .contentMismatch }
            done += count
        }
        return bytes
    }
}
