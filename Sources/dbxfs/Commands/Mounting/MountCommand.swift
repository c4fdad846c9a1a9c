// `dbxfs mount`: serves in the foreground, or starts a process that does.

import ArgumentParser
import Mounting

struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount",
        abstract: "Mount an account or a folder of it.",
        usage: """
            dbxfs mount [<source>] <mountpoint> [-o <options>] [--foreground] [--system]
            dbxfs mount [--account <name>] [-o <options>] [--foreground] [--system]
            """,
        discussion: """
            Returns when the mount answers; with --foreground, tells systemd so (Type=notify). Uses the access token in DBXFS_ACCESS_TOKEN, else what \
            `dbxfs login` has stored, else the account's token file. If a login is in a locked \
            keyring, the desktop asks for its password, within two minutes; processes without a \
            terminal do not ask.
            """)

    @OptionGroup var arguments: MountArguments

    @Flag(name: [.long, .short], help: "Serve the mount in this process, and log to stderr.")
    var foreground = false

    func run() throws {
        var arguments = arguments
        try arguments.showAsRemote()
        let plan = try MountPlan(arguments)
        guard !foreground else {
            return try MountProcess(plan, mode: .foreground).run()
        }
        try plan.unlockKeyring()
        try plan.launch(arguments)
    }
}

extension MountPlan {
    /// Makes the desktop ask the user for the keyring's password, if the login is in a locked one:
    /// the process behind the mount has no terminal, and does not ask.
    fileprivate func unlockKeyring() throws(CommandError) {
        let found = try Credentials.find(
            environment: environment, account: source.account, login: folders.login,
            tokenFile: folders.token)
        if found.isInKeyring { _ = try found.unlocked(.asking) }
    }

    /// Mounts by a process in the background, which gets the same arguments.
    func launch(_ arguments: MountArguments) throws(CommandError) {
        let success = try Launch.mount(
            arguments.forServing, at: requestedMountpoint, log: folders.log)
        if let notice = success.notice { Terminal.complain(notice) }
    }
}

/// The process behind a mount, started by `mount`.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

    @OptionGroup var arguments: MountArguments

    func run() throws {
        ProcessSettings.closeInherited(from: Readiness.descriptor + 1)
        Readiness.takeOver()
        do throws(CommandError) {
            try MountProcess(try MountPlan(arguments), mode: .background).run()
        } catch {
            Readiness.report(.failed(error))
            throw error
        }
    }
}
