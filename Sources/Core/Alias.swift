// Aliases: the names under which the server has nodes whose own names it refuses, or takes for the
// name of a sibling. An alias resembles the own name, with a mark in the words of Dropbox's own
// client. Pure; the tree knows which aliases are free.

import Saturating

/// Builds the aliases of an own name.
package struct Alias: Hashable, Sendable {
    /// The reason for an alias, as its name says it.
    package enum Mark: String, Hashable, CaseIterable, Sendable {
        /// A sibling's name differs in case only.
        case letterCase = "Case Conflict"
        /// A sibling's name is the same text, composed otherwise.
        case composition = "Unicode Encoding Conflict"
        /// The own name ends in spaces.
        case space = "Whitespace Conflict"
        /// The own name has what the server refuses, or a sibling has its alias.
        case name = "Name Conflict"

        /// The word that ends every mark, in any case where other clients have respelled the name.
        package static let word = "Conflict"
    }

    /// The own name with all that the server refuses replaced or left out, in its composed form.
    private let base: String
    /// Why the own name cannot be the server's; nil if it can.
    package let fault: Mark?

    /// Reads an own name.
    package init(of own: [UInt8]) {
        let repaired = Self.text(of: own).map { scalar -> Unicode.Scalar in
            scalar == "\\" || scalar == "\u{7F}" ? "_" : scalar
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: repaired)
        while view.last == " " { view.removeLast() }
        let isTrimmed = view.count < repaired.count
        let text = Folding.compose(String(view))
        base = text.isEmpty ? "_" : text
        let isUnchanged = !isTrimmed && String(view).utf8.elementsEqual(own)
        let isStored = Self.isStored(text, as: String(view))
        fault = isUnchanged && isStored ? nil : isTrimmed ? .space : .name
    }

    /// Whether the server can have a name as it is.
    package static func isNeeded(for name: String) -> Bool {
        var isPlain = true
        var last: UInt8 = 0
        for byte in name.utf8 {
            if byte == UInt8(ascii: "\\") || byte == 0x7F { return true }
            if byte >= 0x80 { isPlain = false }
            last = byte
        }
        if last == UInt8(ascii: " ") { return true }
        return !isPlain && !isStored(Folding.compose(name), as: name)
    }

    /// Whether the composed form of a name can be stored for it: some characters are longer in that
    /// form, and Swift (6.3) leaves out what follows 64 combining marks.
    private static func isStored(_ composed: String, as name: String) -> Bool {
        // String equality is canonical equivalence.
        composed.utf8.count <= FileName.maximumByteCount && composed == name
    }

    /// The alias without a mark; nil if there is none such that could be seen to stand for the own
    /// name.
    package var plain: String? {
        guard fault == .name, base.utf8.count <= FileName.maximumByteCount else { return nil }
        return base
    }

    /// `NAME (Case Conflict).EXT`, with a number from the second one on.
    package func name(marked mark: Mark, number: Int) -> String {
        let counter = number > 1 ? " \(number)" : ""
        return NameParts(base).marked(" (\(mark.rawValue)\(counter))")
    }

    /// Whether a name on the server is one of the aliases of the own name, in any case. Numbers
    /// that no folder has are not looked at.
    package func stands(for name: String) -> Bool {
        let folded = Folding.fold(name)
        let number = number(upTo: Self.mostNumbers) {
            Folding.fold($0).utf8.elementsEqual(folded.utf8)
        }
        return number != nil
    }

    /// Folding is slow, and more siblings that differ in case only are rare.
    private static let mostNumbers = 16

    /// The number of a name that is one of the aliases: 0 without a mark, nil if it is none.
    /// Numbers that no folder has are not looked at.
    package func number(of name: String) -> Int? {
        number(upTo: Self.mostTries) { $0.utf8.elementsEqual(name.utf8) }
    }

    private static let mostTries = 1000

    /// The first number with an alias that is what is looked for.
    private func number(upTo most: Int, _ isIt: (String) -> Bool) -> Int? {
        if let plain, isIt(plain) { return 0 }
        return (1...most).first { number in
            Mark.allCases.contains { isIt(name(marked: $0, number: number)) }
        }
    }

    /// The scalars of bytes. Those that are no UTF-8 are read as Latin-1, from which most such
    /// names are.
    private static func text(of bytes: [UInt8]) -> [Unicode.Scalar] {
        if let text = String(validating: bytes, as: UTF8.self) { return Array(text.unicodeScalars) }
        var scalars: [Unicode.Scalar] = []
        var rest = bytes[...]
        while let first = rest.first {
            let length = Self.length(ofScalarIn: rest)
            if length > 0, let text = String(validating: rest.prefix(length), as: UTF8.self) {
                scalars.append(contentsOf: text.unicodeScalars)
                rest = rest.dropFirst(length)
            } else {
                scalars.append(first >= 0xA0 ? Unicode.Scalar(first) : "_")
                rest = rest.dropFirst()
            }
        }
        return scalars
    }

    /// The length of the valid UTF-8 scalar at the beginning; 0 if there is none.
    private static func length(ofScalarIn bytes: ArraySlice<UInt8>) -> Int {
        (1...4).first {
            $0 <= bytes.count && String(validating: bytes.prefix($0), as: UTF8.self) != nil
        } ?? 0
    }
}
