// Possible folding rules of a server: Dropbox's own is not documented. Pure; `InMemoryTree` uses
// the keys.

import Core

/// A rule for names that collide: those with the same key.
package enum NameFolding: String, Hashable, Sendable, CaseIterable {
    /// The rule that dbxfs predicts: composed, each scalar's full mapping, composed again.
    case scalar
    /// Unicode's simple mapping, one scalar for one: U+0130 becomes i.
    case simple
    /// Each scalar's full mapping without recomposition: U+0130 becomes i and U+0307.
    case full
    /// The full mapping with its one contextual rule, as Python's `str.lower()`: a sigma at the end
    /// of a word becomes U+03C2.
    case contextual

    /// The key of a name.
    package func key(of name: String) -> String {
        let composed = Folding.compose(name)
        switch self {
        case .scalar: return Folding.fold(name)
        case .simple: return Self.mapping(composed) { Self.simple($0) }
        case .full:
            return Self.mapping(composed) { Array($0.properties.lowercaseMapping.unicodeScalars) }
        case .contextual: return Self.contextual(composed)
        }
    }

    private static func mapping(
        _ text: String, _ map: (Unicode.Scalar) -> [Unicode.Scalar]
    ) -> String {
        var key = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { key.append(contentsOf: map(scalar)) }
        return String(key)
    }

    /// U+0130 is the only scalar whose two mappings differ.
    private static func simple(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        scalar == "\u{130}" ? ["i"] : Array(scalar.properties.lowercaseMapping.unicodeScalars)
    }

    private static func contextual(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var key = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            if scalar == "\u{3A3}", isFinal(index, in: scalars) {
                key.append("\u{3C2}")
            } else {
                key.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return String(key)
    }

    /// `Final_Sigma` of the Unicode Standard, section 3.13: after a cased letter, and not before
    /// one, skipping case-ignorable characters.
    private static func isFinal(_ index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
        let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
        return before?.properties.isCased == true && after?.properties.isCased != true
    }
}
