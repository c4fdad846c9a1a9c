// Patterns for local-only names, in the form of gitignore(5). Pure: the text comes from elsewhere,
// and so does the effect of a match.

package import Core
import Saturating

/// Patterns for files that users want to keep off Dropbox, such as a compiler's output.
///
/// A path is ignored if the last matching pattern says so, or if a parent folder is: `!` cannot
/// bring back an entry of an ignored folder. Names are compared as Dropbox compares them, without
/// case.
package struct IgnoreRules: Hashable, Sendable {
    /// A pattern with a syntax error.
    package struct Malformed: Error, Hashable, Sendable {
        /// The number of its line, from 1.
        package var line: Int
        /// The reason, for a message.
        package var reason: String
    }

    private struct Rule: Hashable {
        /// `!`: undoes what an earlier pattern ignored.
        var isNegated: Bool
        /// A trailing slash: matches folders only.
        var isForFolders: Bool
        /// The path components, from the top folder down.
        var steps: [Step]
    }

    private enum Step: Hashable {
        /// `**`: any number of folders; at the end, everything in a folder.
        case anything
        case name(NamePattern)
    }

    /// The text of all patterns.
    package private(set) var text = ""
    private var rules: [Rule] = []

    /// Creates rules that ignore no path.
    package init() {}

    /// Appends patterns, one per line, which take precedence over the present ones. Throws at a
    /// syntax error.
    package mutating func append(parsing text: String) throws(Malformed) {
        self.text.append("\(text)\n")
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            do throws(NamePattern.Malformed) {
                if let rule = try Self.rule(String(line)) { rules.append(rule) }
            } catch {
                throw Malformed(line: index +| 1, reason: error.reason)
            }
        }
    }

    /// Whether there is no pattern.
    package var isEmpty: Bool { rules.isEmpty }

    private static func rule(_ line: String) throws(NamePattern.Malformed) -> Rule? {
        // By scalars: a name may begin with an accent, which makes one character with the slash.
        var line = withoutTrailingSpaces(line).unicodeScalars
        if line.isEmpty || line.first == "#" { return nil }
        let isNegated = line.first == "!"
        if isNegated { line.removeFirst() }
        let isForFolders = line.last == "/"
        if isForFolders { line.removeLast() }
        let isAnchored = line.contains("/")
        if line.first == "/" { line.removeFirst() }
        guard !line.isEmpty else { return nil }
        var steps: [Step] = isAnchored ? [] : [.anything]
        for part in line.split(separator: "/", omittingEmptySubsequences: false) {
            let name = String(Substring(part))
            steps.append(name == "**" ? .anything : .name(try NamePattern(name)))
        }
        return Rule(isNegated: isNegated, isForFolders: isForFolders, steps: steps)
    }

    /// Trims trailing spaces; a backslash protects the space behind it.
    private static func withoutTrailingSpaces(_ line: String) -> String {
        var line = line
        while line.hasSuffix(" "), !line.hasSuffix("\\ ") { line.removeLast() }
        return line
    }

    // MARK: Asking

    /// Whether a path, from the account's top folder down, is ignored.
    package func isIgnored(_ path: [FileName], isFolder: Bool) -> Bool {
        guard !rules.isEmpty else { return false }
        let names = path.map { Array(Folding.fold($0.text).unicodeScalars) }
        return (1...max(1, names.count)).contains { count in
            let isFolder = isFolder || count < names.count
            let last = rules.last { rule in
                (isFolder || !rule.isForFolders)
                    && Self.matches(rule.steps[...], names.prefix(count))
            }
            return last.map { !$0.isNegated } ?? false
        }
    }

    private static func matches(
        _ steps: ArraySlice<Step>, _ names: ArraySlice<[Unicode.Scalar]>
    ) -> Bool {
        guard let step = steps.first else { return names.isEmpty }
        guard let name = names.first else { return false }
        switch step {
        case .name(let pattern):
            return pattern.matches(name) && matches(steps.dropFirst(), names.dropFirst())
        case .anything:
            // At the end: everything in the folder.
            if steps.count == 1 { return true }
            return matches(steps.dropFirst(), names) || matches(steps, names.dropFirst())
        }
    }
}
