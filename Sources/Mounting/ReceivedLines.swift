// Splits the bytes of a socket into lines.

import Foundation
import Synchronization

/// Bytes that were received and not taken yet.
final class Received: Sendable {
    private let bytes = Mutex(Data())

    /// Longer than any message of dbxfs; a longer line comes from another program.
    private static let limit = 1 << 20

    /// Adds bytes; returns false if a line gets too long.
    func append(_ more: ArraySlice<UInt8>) -> Bool {
        bytes.withLock { bytes in
            bytes.append(contentsOf: more)
            return bytes.count <= Self.limit
        }
    }

    /// Removes and returns the first complete line without its end.
    func takeLine() -> Data? {
        bytes.withLock { bytes in
            guard let end = bytes.firstIndex(of: 0x0a) else { return nil }
            let line = Data(bytes[bytes.startIndex..<end])
            bytes = Data(bytes[bytes.index(after: end)...])
            return line
        }
    }
}
