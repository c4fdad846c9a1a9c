// Name comparison as in Dropbox: case-insensitive, in Unicode's composed form. Not responsible for
// allowed names (`AbsolutePath`), and the folding itself (`FoldingRule`).

import Foundation

/// One name in a path: its spelling, and the key for comparison.
struct PathComponent: Hashable, Sendable {
    /// The spelling, in NFC.
    let name: String
    /// The folded spelling; two names with equal keys are the same entry.
    let key: String

    init(_ spelling: String, folding: FoldingRule) {
        guard !Self.isFoldedASCII(spelling) else {
            name = spelling
            key = spelling
            return
        }
        name = spelling.precomposedStringWithCanonicalMapping
        key = folding.folded(name).precomposedStringWithCanonicalMapping
    }

    /// Whether a text is in Unicode's composed form.
    static func isComposed(_ text: String) -> Bool {
        text.unicodeScalars.elementsEqual(text.precomposedStringWithCanonicalMapping.unicodeScalars)
    }

    /// A fast path for the common case of names that folding does not change.
    private static func isFoldedASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
    }
}
