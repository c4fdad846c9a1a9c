// The temporary name of a node on the server between two moves: a rename that changes only case, or
// a swap of places, takes two.

package import Core
import MetadataStore

/// Builds and parses `.dbxfs-rename-INODE-NUMBER-NAME`. The last part is the original name, under
/// which the node is shown if the second move is never made.
package enum TemporaryName {
    private static let prefix = ".dbxfs-rename-"
    /// Seconds that another client gets between its two moves before this mount makes the second
    /// one. Deltas were seen to come ten seconds late.
    package static let secondMoveDelay = 30.0

    /// The temporary name of a node named `original`, which is left out if it is too long.
    package static func name(
        for original: FileName, _ inode: InodeID, number: Int
    ) throws(FileName.Invalid) -> FileName {
        let start = "\(prefix)\(inode.rawValue)-\(number)"
        let kept = self.original(of: original) ?? original
        if let whole = try? FileName("\(start)-\(kept.string)") { return whole }
        return try FileName(start)
    }

    /// Whether a path may contain a temporary name.
    package static func occurs(in path: String) -> Bool { path.contains("/" + prefix) }

    /// Whether a name is a temporary one.
    package static func isTemporary(_ name: FileName) -> Bool {
        guard name.string.hasPrefix(prefix) else { return false }
        let parts = name.string.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.prefix(2).allSatisfy { isNumber(String(decoding: $0, as: UTF8.self)) }
    }

    private static func isNumber(_ text: String) -> Bool { Int(text, radix: 10) != nil }

    /// The original name; nil if this is no temporary name, or has none.
    package static func original(of name: FileName) -> FileName? {
        guard name.string.hasPrefix(prefix) else { return nil }
        // A name may begin with a mark that would be one character with the hyphen.
        let parts = name.string.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, parts.prefix(2).allSatisfy(isNumber) else { return nil }
        return try? FileName(parts[2])
    }
}

extension Place {
    /// The place to which others have moved a node: with its own name as long as its alias is the
    /// same, but for the spelling. A temporary name keeps the own name for the second move.
    func keepingOwnName(movedFrom old: [Place?]) throws -> Place {
        let aliases = old.compactMap(\.self?.name).filter { $0.own?.isGiven == true }
        guard name.own == nil, !aliases.isEmpty else { return self }
        let key = (TemporaryName.original(of: name) ?? name).folded
        let known = aliases.first { alias in
            (TemporaryName.original(of: alias) ?? alias).folded.utf8.elementsEqual(key.utf8)
        }
        guard let own = known?.own else { return self }
        return Place(parent: parent, name: try name.shown(as: own))
    }
}
