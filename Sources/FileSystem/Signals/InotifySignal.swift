// The nodes for which a mount has its helper process raise inotify events, and the form in which
// that process gets them. Not responsible for which changes there are, nor for the calls that raise
// the events.

/// A node of a mount whose watchers are told that another client has changed it.
package struct InotifySignal: Hashable, Sendable {
    /// The kind of a change.
    package enum Change: UInt8, Hashable, Sendable {
        /// A file's content, or the file is new.
        case content = 0x43
        /// The times or attributes of a node.
        case attributes = 0x41
        /// The names in a folder.
        case names = 0x4e
    }

    /// The command of dbxfs that raises the events.
    package static let command = "signal-changes"

    /// The kind of the change.
    package var change: Change
    /// The path from the mountpoint, without a slash at its beginning; empty for the mount's root.
    package var path: [UInt8]

    /// A change of the node at a path.
    package init(_ change: Change, at path: [UInt8]) {
        self.change = change
        self.path = path
    }

    /// The bytes of many signals: of each a letter, its path and NUL, which no path has.
    package static func encode(_ signals: [InotifySignal]) -> [UInt8] {
        signals.flatMap { [$0.change.rawValue] + $0.path + [0] }
    }

    /// The signals of such bytes. A last one without NUL, whose path may be cut, is left out; so is
    /// one with an unknown letter.
    package static func decode(_ bytes: [UInt8]) -> [InotifySignal] {
        guard let end = bytes.lastIndex(of: 0) else { return [] }
        return bytes[..<end].split(separator: 0, omittingEmptySubsequences: false)
            .compactMap { item in
                guard let change = item.first.flatMap(Change.init(rawValue:)) else { return nil }
                return InotifySignal(change, at: Array(item.dropFirst()))
            }
    }
}
