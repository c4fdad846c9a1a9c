// Upload content in memory.

import Saturating

/// An upload source over bytes.
package struct MemorySource: UploadSource {
    /// The first byte's offset in the content.
    private let start: Int64
    private let bytes: [UInt8]

    /// Takes over the bytes of a content from an offset on; nothing before it is read.
    package init(_ bytes: [UInt8], from start: Int64 = 0) {
        self.start = start
        self.bytes = bytes
    }

    /// Takes over the UTF-8 form of a text.
    package init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// The size of the content up to the last of the bytes.
    package var size: Int64 { start +| Int64(clamping: bytes.count) }

    /// Copies bytes into the buffer.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = bytes.dropFirst(clamping: Int(clamping: offset -| start)).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}
