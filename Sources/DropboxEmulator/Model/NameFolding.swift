// How Dropbox compares names: without case, in Unicode's composed form.
// Not responsible for which names are allowed (`AbsolutePath`).

import Foundation

/// One name in a path: as its writer spelled it, and as names are compared.
struct PathComponent: Hashable, Sendable {
    /// The spelling, in NFC.
    let name: String
    /// The folded spelling; two names with equal keys are the same entry.
    let key: String

    init(_ spelling: String) {
        guard !Self.isFoldedASCII(spelling) else {
            name = spelling
            key = spelling
            return
        }
        name = spelling.precomposedStringWithCanonicalMapping
        key = Self.folded(name)
    }

    /// Names that folding does not change, the common case, need no work.
    private static func isFoldedASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
        }
    }

    /// Folds scalar by scalar. Where lower-casing one scalar gives several (U+0130 does), the scalar
    /// stays: the service's folding is not Unicode's full lower-casing, and clients must not
    /// assume that it is.
    private static func folded(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            scalars.append(lower.count == 1 ? lower.first ?? scalar : scalar)
        }
        return String(scalars).precomposedStringWithCanonicalMapping
    }
}
