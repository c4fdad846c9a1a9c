// The place of a command that asks Dropbox: an account and a path in it, which a path on a mount
// may name. Not responsible for asking (RemoteAccess).

import Mounting

/// A path in an account, and the environment that has the account's login.
struct RemotePlace {
    let source: MountSource
    let environment: Environment

    /// The scope of a command, unless a path on a mount says more.
    static func scope(_ isSystem: Bool) -> Environment.Scope { isSystem ? .system : .user }

    /// A place that the user has named as such.
    init(_ source: MountSource, _ scope: Environment.Scope) throws(CommandError) {
        self.source = source
        environment = try Environment(scope: scope)
    }

    /// Parses `[ACCOUNT][:/PATH]`, or takes an absolute path on a mount, or one that begins with a
    /// dot.
    init(namedBy text: String, _ scope: Environment.Scope) throws(CommandError) {
        guard let first = text.utf8.first, [UInt8(ascii: "/"), UInt8(ascii: ".")].contains(first)
        else {
            try self.init(MountSource(parsing: text), scope)
            return
        }
        let mount: RunningMount
        do throws(CommandError) {
            mount = try RunningMount(containing: text)
        } catch {
            if case .notMounted = error { throw .badSource(text) }
            throw error
        }
        try self.init(on: mount, scope)
    }

    /// The place of the path by which a mount was found, of which its process is asked. Root's own
    /// accounts and those of system mounts may have the same names, so without `--system` the
    /// account is that of the mount.
    init(on mount: RunningMount, _ scope: Environment.Scope) throws(CommandError) {
        let mounts = try Environment.ofRunningMounts()
        let connection = try mount.connectOrFail(mounts)
        guard let status = connection.status(timeout: 10) else {
            throw mount.silence
        }
        let folder = "\(status.remotePath)\(try mount.remotePlace())"
        let end = folder.isEmpty ? "" : ":\(folder)"
        try self.init(
            MountSource(parsing: "\(status.account)\(end)"),
            scope == .system
                ? .system : mounts.scope(ofMountAt: mount.mountpoint, device: mount.device))
    }
}
