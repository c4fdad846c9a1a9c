// Bytes of a socket until they are lines.

import Foundation
import Synchronization

/// What has arrived and was not taken yet.
final class Received: Sendable {
    private let bytes = Mutex(Data())

    /// More than any message of ours; a peer that sends more is not one of ours.
    private static let limit = 1 << 20

    /// Adds bytes; returns false when a line gets too long.
    func append(_ more: ArraySlice<UInt8>) -> Bool {
        bytes.withLock { bytes in
            bytes.append(contentsOf: more)
            return bytes.count <= Self.limit
        }
    }

    /// The first complete line without its end.
    func takeLine() -> Data? {
        bytes.withLock { bytes in
            guard let end = bytes.firstIndex(of: 0x0a) else { return nil }
            let line = Data(bytes[bytes.startIndex..<end])
            bytes = Data(bytes[bytes.index(after: end)...])
            return line
        }
    }
}
