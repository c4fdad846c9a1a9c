// Patterns for what stays on this machine, in the form of gitignore(5). Pure: which text it is, and what
// becomes of what matches, is decided elsewhere.

public import Core

/// What users do not want to have on Dropbox, such as what a compiler makes.
///
/// A path is ignored if the last pattern that matches it says so, or if a folder above it is: a `!` cannot
/// bring back something in an ignored folder. Names are compared as Dropbox compares them, in any case.
public struct IgnoreRules: Hashable, Sendable {
    /// A pattern that cannot be read.
    public struct Malformed: Error, Hashable, Sendable {
        /// The number of its line, from 1.
        public var line: Int
        /// What is wrong.
        public var reason: String
    }

    private struct Rule: Hashable {
        /// Takes back what an earlier pattern ignored.
        var isNegated: Bool
        /// For folders only.
        var isForFolders: Bool
        /// From the top folder down.
        var steps: [Step]
    }

    private enum Step: Hashable {
        /// `**`: folders, none or more; at the end, everything in a folder.
        case anything
        case name(NamePattern)
    }

    /// The lines that were read.
    public private(set) var text = ""
    private var rules: [Rule] = []

    /// No patterns: nothing is ignored.
    public init() {}

    /// Reads patterns, one a line, which count after those that are here. Throws for one that cannot be.
    public mutating func append(parsing text: String) throws(Malformed) {
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

    /// Whether there are none.
    public var isEmpty: Bool { rules.isEmpty }

    private static func rule(_ line: String) throws(NamePattern.Malformed) -> Rule? {
        var line = withoutTrailingSpaces(line)
        if line.isEmpty || line.hasPrefix("#") { return nil }
        let isNegated = line.hasPrefix("!")
        if isNegated { line.removeFirst() }
        let isForFolders = line.hasSuffix("/")
        if isForFolders { line.removeLast() }
        let isAnchored = line.contains("/")
        if line.hasPrefix("/") { line.removeFirst() }
        guard !line.isEmpty else { return nil }
        var steps: [Step] = isAnchored ? [] : [.anything]
        for part in line.split(separator: "/", omittingEmptySubsequences: false) {
            steps.append(part == "**" ? .anything : .name(try NamePattern(String(part))))
        }
        return Rule(isNegated: isNegated, isForFolders: isForFolders, steps: steps)
    }

    /// A backslash keeps the space that follows it.
    private static func withoutTrailingSpaces(_ line: String) -> String {
        var line = line
        while line.hasSuffix(" "), !line.hasSuffix("\\ ") { line.removeLast() }
        return line
    }

    // MARK: Asking

    /// Whether something at a path from the top folder of the account on is ignored.
    public func isIgnored(_ path: [FileName], isFolder: Bool) -> Bool {
        guard !rules.isEmpty else { return false }
        let names = path.map { Array(Folding.fold($0.string).unicodeScalars) }
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
            // At the end: whatever is in the folder.
            if steps.count == 1 { return true }
            return matches(steps.dropFirst(), names) || matches(steps, names.dropFirst())
        }
    }
}
