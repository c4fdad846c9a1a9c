// The names that the server generates when a client asks it to avoid a conflict.

/// How autorename changes a name.
enum AutorenameStyle: Sendable {
    /// `name (1).ext`, `name (2).ext`, …
    case numbered
    /// `name (conflicted copy).ext`, `name (conflicted copy 1).ext`, …
    case conflictedCopy

    init(_ mode: WriteMode) {
        if case .update = mode { self = .conflictedCopy } else { self = .numbered }
    }

    /// The name of an attempt, after the earlier ones were taken.
    ///
    /// The specification's example for `add` is "document (2).txt"; the real service begins with 1.
    func name(_ name: String, attempt: Int, keepsExtension: Bool) -> String {
        let suffix =
            switch self {
            case .numbered: " (\(attempt + 1))"
            case .conflictedCopy:
                attempt == 0 ? " (conflicted copy)" : " (conflicted copy \(attempt))"
            }
        guard keepsExtension, let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            return name + suffix
        }
        return name[..<dot] + suffix + name[dot...]
    }
}

extension AccountTree {
    /// The first free path that autorename finds.
    func freeTarget(
        near target: WriteTarget, style: AutorenameStyle, keepsExtension: Bool = true
    ) -> WriteTarget {
        guard let last = target.path.components.last else { return target }
        var attempt = style == .numbered ? conduct.firstAutorename - 1 : 0
        while true {
            let name = style.name(last.name, attempt: attempt, keepsExtension: keepsExtension)
            let path = target.path.renamed(name, folding: folding)
            if nodes.node(at: path.components, below: target.base) == nil {
                return WriteTarget(base: target.base, path: path)
            }
            attempt += 1
        }
    }
}
