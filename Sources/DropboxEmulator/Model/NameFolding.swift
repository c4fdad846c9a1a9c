// How Dropbox compares names: without case, in Unicode's composed form.
// Not responsible for which names are allowed (`AbsolutePath`), and how case is taken away (`FoldingRule`).

import Foundation

/// One name in a path: as its writer spelled it, and as names are compared.
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

    /// Names that folding does not change, the common case, need no work.
    private static func isFoldedASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
    }
}
