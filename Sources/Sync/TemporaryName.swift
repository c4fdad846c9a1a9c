// The name that something has on the server between two moves: a rename that changes nothing but case, or
// a change of places, takes two.

import Core
import MetadataStore

/// Makes and reads `.dbxfs-rename-INODE-NUMBER-NAME`. The last part is the name that it had, so that it can be
/// shown by that if the second move is never made.
enum TemporaryName {
    private static let prefix = ".dbxfs-rename-"
    /// Seconds that another client gets between its two moves before this mount makes the second one. Deltas
    /// were seen to come ten seconds late.
    static let patience = 30.0

    /// A name for something that is called `original` now. One that is too long to be taken along is left out.
    static func name(
        for original: FileName, _ inode: InodeID, number: Int
    ) throws(FileName.Invalid) -> FileName {
        let start = "\(prefix)\(inode.rawValue)-\(number)"
        let kept = self.original(of: original) ?? original
        if let whole = try? FileName("\(start)-\(kept.string)") { return whole }
        return try FileName(start)
    }

    /// Whether a path may lead through something that is between two moves.
    static func occurs(in path: String) -> Bool { path.contains("/" + prefix) }

    /// Whether something of this name is between two moves.
    static func isTemporary(_ name: FileName) -> Bool {
        guard name.string.hasPrefix(prefix) else { return false }
        let parts = name.string.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.prefix(2).allSatisfy { Int(String(decoding: $0, as: UTF8.self)) != nil }
    }

    /// The name that something had before; nil if this is no such name.
    static func original(of name: FileName) -> FileName? {
        guard name.string.hasPrefix(prefix) else { return nil }
        // A name may begin with a mark that would be one character with the hyphen.
        let parts = name.string.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, parts.prefix(2).allSatisfy({ Int($0) != nil }) else { return nil }
        return try? FileName(parts[2])
    }
}
