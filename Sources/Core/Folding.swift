// Case folding as Dropbox is assumed to do it. In one place, because the rule is an assumption.

import Foundation

/// Predicts which names collide on Dropbox. For its own entries Dropbox reports the key.
package enum Folding {
    /// The canonical composition (NFC), in which Dropbox stores names.
    package static func compose(_ text: String) -> String {
        text.precomposedStringWithCanonicalMapping
    }

    /// The folded form of a name or path: canonical composition, then lower case scalar by scalar.
    ///
    /// ASCII has a fast path without Unicode tables: nearly every name in an account is ASCII.
    package static func fold(_ text: String) -> String {
        var isFoldedASCII = true
        var isASCII = true
        for byte in text.utf8 {
            if byte >= 0x80 {
                isASCII = false
                break
            }
            if byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") {
                isFoldedASCII = false
            }
        }
        if isASCII {
            return isFoldedASCII ? text : text.lowercased()
        }
        let composed = text.precomposedStringWithCanonicalMapping
        var folded = String.UnicodeScalarView()
        for scalar in composed.unicodeScalars {
            folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        return String(folded).precomposedStringWithCanonicalMapping
    }
}
