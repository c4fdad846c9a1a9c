// A glob for one name, as in a shell: `*`, `?`, `[…]` and backslashes. Pure.

import Core
import Saturating

/// A glob for names, which must be folded.
struct NamePattern: Hashable, Sendable {
    struct Malformed: Error, Hashable, Sendable {
        var reason: String
    }

    private enum Piece: Hashable {
        case scalar(Unicode.Scalar)
        /// `?`: exactly one scalar.
        case one
        /// `*`: any number of scalars.
        case many
        case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    }

    private let pieces: [Piece]

    /// Parses a pattern. Throws if a bracket or a backslash is left open.
    init(_ text: String) throws(Malformed) {
        var pieces: [Piece] = []
        var rest = Folding.fold(text).unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*":
                if pieces.last != .many { pieces.append(.many) }
            case "?": pieces.append(.one)
            case "[": pieces.append(try Self.set(&rest))
            case "\\":
                guard let literal = rest.popFirst() else {
                    throw Malformed(reason: "nothing follows the backslash at the end")
                }
                pieces.append(.scalar(literal))
            default: pieces.append(.scalar(scalar))
            }
        }
        self.pieces = pieces
    }

    /// Parses the rest of a set behind `[`: a leading `]` is literal, a leading `!` or `^` negates,
    /// then ranges.
    private static func set(
        _ rest: inout Substring.UnicodeScalarView
    ) throws(Malformed) -> Piece {
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let scalar = rest.popFirst() {
            if scalar == "]", !ranges.isEmpty { return .set(ranges, isNegated: isNegated) }
            let low = scalar == "\\" ? rest.popFirst() ?? scalar : scalar
            guard rest.first == "-", let high = rest.dropFirst().first, high != "]" else {
                ranges.append(low...low)
                continue
            }
            rest.removeFirst(2)
            guard low <= high else {
                throw Malformed(reason: "the range \(low)-\(high) is backwards")
            }
            ranges.append(low...high)
        }
        throw Malformed(reason: "the bracket [ is not closed")
    }

    /// Whether the pattern matches a whole folded name, in at most the product of both lengths.
    func matches(_ name: [Unicode.Scalar]) -> Bool {
        var (piece, position) = (0, 0)
        // Where to backtrack after a mismatch: the last `*` takes one more scalar.
        var retry: (piece: Int, position: Int)?
        while position < name.count {
            if piece < pieces.count, pieces[piece] == .many {
                piece +|= 1
                retry = (piece, position)
            } else if piece < pieces.count, Self.fits(pieces[piece], name[position]) {
                piece +|= 1
                position +|= 1
            } else if let last = retry {
                retry = (last.piece, last.position +| 1)
                (piece, position) = (last.piece, last.position +| 1)
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .many }
    }

    private static func fits(_ piece: Piece, _ scalar: Unicode.Scalar) -> Bool {
        switch piece {
        case .scalar(let wanted): scalar == wanted
        case .one: true
        case .many: false
        case .set(let ranges, let isNegated):
            ranges.contains { $0.contains(scalar) } != isNegated
        }
    }
}
