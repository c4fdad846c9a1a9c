// The folder of an account that a mount's root is. A mount follows its folder by id: a path says where it
// was when somebody last looked. Pure.

import Core

/// What is known of the folder that paths start from.
struct MountedFolder: Hashable, Sendable {
    /// Where it was asked for; the root for the whole account.
    let wanted: RemotePath
    /// Which folder that turned out to be; nil until the server was asked.
    var id: FileID?
    /// Where it is, as the server files it; nil until the server was asked.
    var path: RemotePath?
    /// When the server last said that it is there; nil for what an earlier process knew.
    var confirmed: ContinuousClock.Instant?

    init(_ wanted: RemotePath) {
        self.wanted = wanted
    }

    /// Whether only a part of an account is mounted.
    var isPart: Bool { wanted != .root }

    /// What the server's paths begin with.
    var prefix: RemotePath { path ?? wanted }

    /// Adds which folder it is to the name of what the account's paths start from. Another folder, and the
    /// same one elsewhere, have other names: cursors are of no use there.
    func name(in root: String) -> String {
        guard isPart, let id, let path else { return root }
        return "\(root) \(id.rawValue) \(path.rawValue)"
    }

    /// Takes over what an earlier process has noted as a name. What the server has said since is newer.
    mutating func resume(name: String) {
        guard isPart, id == nil else { return }
        let parts = name.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, parts[1].hasPrefix("id:"), parts[2].hasPrefix("/") else { return }
        id = FileID(String(parts[1]))
        path = RemotePath(rawValue: String(parts[2]))
    }
}
