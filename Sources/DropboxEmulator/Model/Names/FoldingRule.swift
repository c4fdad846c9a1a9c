// Possible rules for folding a name to the key by which the service compares names. Dropbox does
// not document its own; other clients found it to be that of Python 2.5 (`unicode4`). A client
// should work with each.

/// A rule for removing case from a name.
public enum FoldingRule: String, Sendable, CaseIterable {
    /// Unicode's simple mapping as of version 4.1, as in Python 2.5: later letters stay, and so do
    /// letters whose lower case came later. U+0130 becomes "i". See github.com/wfraser/dbxcase and
    /// github.com/samschott/maestral/pull/409.
    case unicode4
    /// Lower case scalar by scalar; a scalar whose lower case is several (U+0130) stays.
    case scalar
    /// Unicode's simple mapping, always one scalar for one: U+0130 becomes "i".
    case simple
    /// Unicode's full mapping without its conditions: U+0130 becomes "i" and U+0307.
    case full
    /// The full mapping with the one condition that no language sets: a sigma that ends a word
    /// becomes "ς". So do Python, JavaScript and Rust.
    case contextual

    /// The lower case of a name in NFC, without composing it again.
    func folded(_ name: String) -> String {
        let scalars = Array(name.unicodeScalars)
        var folded = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let full = scalar.properties.lowercaseMapping.unicodeScalars
            switch self {
            case .contextual where scalar == Self.sigma && Self.endsWord(index, in: scalars):
                folded.append(Self.finalSigma)
            case .full, .contextual: folded.append(contentsOf: full)
            // Only U+0130 maps to several scalars, and the first of them is its simple mapping.
            case .simple: folded.append(full.first ?? scalar)
            case .unicode4:
                let lower = full.first ?? scalar
                folded.append(
                    Self.isInUnicode4(scalar) && Self.isInUnicode4(lower) ? lower : scalar)
            case .scalar: folded.append(full.count == 1 ? full.first ?? scalar : scalar)
            }
        }
        return String(folded)
    }

    /// Whether a scalar has been assigned since Unicode 4.1 or earlier.
    private static func isInUnicode4(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return false }
        return (age.major, age.minor) <= (4, 1)
    }

    private static let sigma: Unicode.Scalar = "\u{3A3}"
    private static let finalSigma: Unicode.Scalar = "\u{3C2}"

    /// The condition Final_Sigma of the Unicode Standard (3.13): preceded by a letter and not
    /// followed by one, skipping case-ignorable characters such as accents and apostrophes.
    private static func endsWord(_ index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        let before = scalars[..<index].last { !$0.properties.isCaseIgnorable }
        let after = scalars[(index + 1)...].first { !$0.properties.isCaseIgnorable }
        return before?.properties.isCased == true && after?.properties.isCased != true
    }
}
