// `dbxfs leave`: takes a shared folder out of an account, of which the account stays a member.

import ArgumentParser
import CLinux
import Glibc
import MetadataStore
import Mounting

struct LeaveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Take a shared folder out of the account.",
        discussion: """
            The folder disappears from the account and from mounts, and stays as it is for its other members. \
            The account remains one of them: `dbxfs join` brings the folder back. Changes in the folder that \
            Dropbox does not have yet are refused: run `dbxfs sync` first. Needs what `dbxfs shared` needs.
            """)

    @Argument(
        help: ArgumentHelp(
            "A shared folder on a mount, or an account and a path in it.",
            valueName: "path|[account]:/path"), completion: .directory)
    var path: String

    @Flag(help: "The account of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    func run() throws {
        let scope: Environment.Scope = system ? .system : .user
        if let source = try remoteSource() {
            let folders = try SharedFolders(source.account, scope, for: self)
            let id = try folders.id(at: source.remotePath)
            guard try !hasUnsent(in: source, id, scope) else {
                throw CommandError.unsentChanges(path)
            }
            return try leave(id, folders)
        }
        let mount = try RunningMount(containing: path)
        let mounts = try Environment.ofRunningMounts()
        let connection = try mount.connectOrFail(mounts)
        guard let status = connection.status(timeout: 10) else {
            throw mount.silence
        }
        guard access(path, F_OK) == 0 else { throw CommandError.nothingThere(path) }
        guard let id = attribute("user.dropbox.shared_folder_id") else {
            throw CommandError.notShared(path)
        }
        // The mount would keep such changes, in a folder of the same name that is not shared.
        guard attribute("user.dropbox.state") == "synced" else {
            throw CommandError.unsentChanges(path)
        }
        let owner =
            system ? scope : try mounts.scope(ofMountAt: mount.mountpoint, device: mount.device)
        try leave(id, SharedFolders(status.account, owner, for: self))
    }

    /// The account and the path in `[ACCOUNT]:/PATH`; nil for a path on this machine.
    private func remoteSource() throws(CommandError) -> MountSource? {
        let first = path.utf8.first
        guard first != UInt8(ascii: "/"), first != UInt8(ascii: "."),
            path.utf8.contains(UInt8(ascii: ":")), access(path, F_OK) != 0
        else { return nil }
        let source = try MountSource(parsing: path)
        guard !source.remotePath.isEmpty else { throw .notShared(path) }
        return source
    }

    /// Whether a state folder of the account has changes in a shared folder. SQLite allows readers
    /// beside a mount.
    private func hasUnsent(
        in source: MountSource, _ id: String, _ scope: Environment.Scope
    ) throws(CommandError) -> Bool {
        let environment = try Environment(scope: scope)
        let parts = AccountFolders.states(
            of: source.account, within: source.remotePath, namespace: id, environment: environment)
        return AccountFolders.states(of: source.account, environment: environment).contains {
            state in
            guard let pending = AccountSurvey.pending(in: state), pending.operations > 0 else {
                return false
            }
            let database = AccountFolders.database(in: state)
            // Of an earlier version's database, only the whole queue is known.
            return parts.contains(state)
                || (try? DatabaseInspection(path: database)
                    .read { try $0.hasUnsent(inSharedFolder: id) }) ?? true
        }
    }

    private func leave(_ id: String, _ folders: SharedFolders) throws(CommandError) {
        try folders.leave(id)
        Terminal.print(Terminal.printable("\(path): left; `dbxfs join \(id)` brings it back"))
    }

    /// An attribute of the folder, which the mount is asked for.
    private func attribute(_ name: String) -> String? {
        var value = [UInt8](repeating: 0, count: Self.longestAttribute)
        let count = getxattr(path, name, &value, value.count)
        return count > 0 ? String(decoding: value.prefix(count), as: UTF8.self) : nil
    }

    /// Bytes of the longest value that is expected; Dropbox's ids have ten or so.
    private static let longestAttribute = 4096
}
