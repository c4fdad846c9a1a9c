// The numbers of new staging files. A transaction reserves many at once, in the store, so that most
// need no statement. Not responsible for the store's count.

import MetadataStore
import Saturating
import Synchronization

/// Hands out numbers that no staging file ever had, apart from files of transactions that were
/// rolled back.
final class StagingNumbers: Sendable {
    /// Numbers that are reserved at once. A start skips those that were not used.
    private static let reserved: Int64 = 64

    private struct State {
        /// Numbers that the store counts as used.
        var rest: Range<Int64> = 0..<0
        /// Earlier ones, whose transactions were rolled back: their files are there.
        var returned: [Int64] = []
    }

    /// Lock: a leaf, held for memory only.
    private let state = Mutex(State())

    /// A number for a staging file that this transaction begins.
    func next(in transaction: Transaction) throws -> Int64 {
        let number = try taken() ?? reserve(in: transaction)
        transaction.afterUndo { [self] in
            state.withLock { $0.returned.append(number) }
        }
        return number
    }

    private func taken() -> Int64? {
        state.withLock { $0.returned.popLast() ?? $0.rest.popFirst() }
    }

    private func reserve(in transaction: Transaction) throws -> Int64 {
        let numbers = try transaction.nextStagingFiles(Self.reserved)
        state.withLock { $0.rest = numbers.dropFirst() }
        // Called after the numbers that the transaction has used were returned.
        transaction.afterUndo { [self] in
            state.withLock { state in
                state.rest = 0..<0
                state.returned.removeAll { numbers.contains($0) }
            }
        }
        return numbers.lowerBound
    }
}
