// One step of the model test. Operands are numbers taken modulo what there is at that moment, so
// that a history stays meaningful when steps are taken out of it.

@testable import FileSystem
import TestSupport

struct Operation: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable, Sendable {
        case makeDirectory, makeFile, create, makeLink, unlink, removeDirectory, rename
        case open, write, read, truncate, allocate, close, copy
        case setPermissions, setTime, setAttribute, removeAttribute
        case commit, commitAll, replaceFromServer, forget, restart

        /// How often it happens, relative to the others.
        var weight: Int {
            switch self {
            case .write, .rename: 12
            case .create, .open, .close, .unlink: 8
            case .makeDirectory, .read, .truncate, .commit: 6
            case .removeDirectory, .allocate, .replaceFromServer, .makeFile: 4
            case .makeLink, .copy, .setTime, .setPermissions, .forget, .commitAll: 2
            case .setAttribute, .removeAttribute, .restart: 1
            }
        }
    }

    var kind: Kind
    var operands: [Int]

    var description: String {
        "Operation(kind: .\(kind), operands: \(operands))"
    }

    static func random(using random: inout SeededRandom) -> Operation {
        let total = Kind.allCases.reduce(0) { $0 + $1.weight }
        var pick = Int(random.next() % UInt64(total))
        var kind = Kind.makeDirectory
        for candidate in Kind.allCases {
            pick -= candidate.weight
            if pick < 0 {
                kind = candidate
                break
            }
        }
        return Operation(
            kind: kind, operands: (0..<6).map { _ in Int(random.next() % 1_000_003) })
    }

    static func history(seed: UInt64, count: Int) -> [Operation] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Operation.random(using: &random) }
    }
}

/// Takes steps out of a failing history while it still fails (delta debugging, Zeller 1999).
func shrink(
    _ history: [Operation], attempts: Int = 400,
    fails: ([Operation]) async throws -> Bool
) async rethrows -> [Operation] {
    var current = history
    var size = max(1, current.count / 2)
    var left = attempts
    while size >= 1 {
        var start = 0
        var isReduced = false
        while start < current.count, left > 0 {
            var candidate = current
            candidate.removeSubrange(start..<min(start + size, current.count))
            left -= 1
            if try await fails(candidate) {
                current = candidate
                isReduced = true
            } else {
                start += size
            }
        }
        if !isReduced || size > 1 { size /= 2 }
        if left == 0 { break }
    }
    return current
}
