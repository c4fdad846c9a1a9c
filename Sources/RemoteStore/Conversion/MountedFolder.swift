// The folder of an account that is the mount's root. A mount follows its folder by id: a path is
// valid only as of the last lookup. Pure.

import Core

/// The known state of the folder that paths start from.
struct MountedFolder: Hashable, Sendable {
    /// The configured path; the root for the whole account.
    let wanted: RemotePath
    /// The folder's id; nil until the server was asked.
    var id: FileID?
    /// The folder's current path on the server; nil until the server was asked.
    var path: RemotePath?
    /// When the server last confirmed it; nil for the state of an earlier process.
    var confirmed: ContinuousClock.Instant?

    init(_ wanted: RemotePath) {
        self.wanted = wanted
    }

    /// Whether only a part of an account is mounted.
    var isPart: Bool { wanted != .root }

    /// The prefix of the server's paths.
    var prefix: RemotePath { path ?? wanted }

    /// The path to show: the configured one, unless others have moved the folder. The server tells
    /// its path in lower case only.
    var shown: RemotePath {
        guard let path, Folding.fold(path.rawValue) != Folding.fold(wanted.rawValue) else {
            return wanted
        }
        return path
    }

    /// Adds the folder's identity and path to the name of the account's root. Another folder, and
    /// the same one at another path, has another name: cursors are invalid there.
    func name(in root: String) -> String {
        guard isPart, let id, let path else { return root }
        return "\(root) \(id.rawValue) \(path.rawValue)"
    }

    /// Restores the state from the name that an earlier process recorded, unless the server has
    /// already responded.
    mutating func resume(name: String) {
        guard isPart, id == nil else { return }
        let parts = name.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[1].hasPrefix("id:"), parts[2].utf8.first == UInt8(ascii: "/")
        else { return }
        id = FileID(String(parts[1]))
        path = RemotePath(rawValue: String(parts[2]))
    }
}
