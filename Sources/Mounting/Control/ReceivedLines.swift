// Splits the bytes of a socket into lines.

import Saturating
import Synchronization

/// Bytes that were received and not taken yet.
final class Received: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// Bytes of lines that were taken.
        var taken = 0
        /// Bytes in which no end of a line is left.
        var searched = 0
    }

    private let state = Mutex(State())

    /// Longer than any message of dbxfs; a longer line comes from another program.
    private static let limit = 1 << 20

    /// Adds bytes; returns false if a line gets too long.
    func append(_ more: ArraySlice<UInt8>) -> Bool {
        state.withLock { state in
            state.bytes.removeFirst(state.taken)
            state.searched -|= state.taken
            state.taken = 0
            state.bytes.append(contentsOf: more)
            return state.bytes.count <= Self.limit
        }
    }

    /// Removes and returns the first complete line without its end. Each byte is examined once.
    func takeLine() -> [UInt8]? {
        state.withLock { state in
            guard let end = state.bytes[state.searched...].firstIndex(of: 0x0a) else {
                state.searched = state.bytes.count
                return nil
            }
            let line = state.bytes[state.taken..<end]
            state.taken = end +| 1
            state.searched = state.taken
            return Array(line)
        }
    }
}
