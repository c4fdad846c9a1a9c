// `dbxfs status`: what the mounts say of themselves, for people or as JSON.

import ArgumentParser
import Mounting

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show mounts, and what is still to be sent.",
        discussion: "With --json, one object per mount, each on a line of its own.")

    @Argument(help: "A mountpoint or anything below it. Without it: all mounts.")
    var mountpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let environment = try Environment()
        let statuses = try statuses(environment)
        if json {
            for status in statuses { try Terminal.printJSON(status) }
        } else if statuses.isEmpty {
            Terminal.complain("nothing is mounted", prefix: "")
        } else {
            Terminal.print(statuses.map(\.text).joined(separator: "\n\n"))
        }
    }

    private func statuses(_ environment: Environment) throws(CommandError) -> [MountStatus] {
        guard let mountpoint else {
            return ControlClient(folders: environment.controlFolders).allMounts()
        }
        var mount = RunningMount(at: mountpoint)
        if mount.entry == nil, try mount.connect(environment) == nil {
            mount = try RunningMount(containing: mountpoint)
        }
        let reply = try mount.connectOrFail(environment)
            .ask(ControlRequest(.status), about: mount.mountpoint)
        return [reply.status].compactMap { $0 }
    }
}
