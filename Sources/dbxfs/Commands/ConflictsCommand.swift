// `dbxfs conflicts`: lists conflicted copies, without changing them. `MountConflicts.swift` finds
// them.

import ArgumentParser
import Mounting

struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List conflicted copies, and what they are copies of.",
        discussion: """
            A conflicted copy is made when two machines change a file before they hear of each other: the \
            version of the one that was later stands beside the other one's. Those that Dropbox's own clients \
            made are listed, too, if their names are English. With --json, one object per copy, each on a \
            line of its own.
            """)

    @Argument(help: "A file or folder on a mount. Without it: all mounts.", completion: .file())
    var path: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let environment = try Environment.ofRunningMounts()
        var hasAny = false
        try RunningMount.forEach(path, environment) { mount in
            let place = try mount.place()
            let connection = try mount.connectOrFail(environment)
            var reply = try connection.ask(
                ControlRoutes.conflicts, PathsRequest(paths: [place]), about: mount.mountpoint)
            while !reply.conflicts.isEmpty {
                for copy in reply.conflicts.compactMap({ $0.shown(mount.shown) }) {
                    try show(copy, isFirst: !hasAny)
                    hasAny = true
                }
                reply = try connection.next(ControlRoutes.conflicts, about: mount.mountpoint)
            }
            if reply.isTreeKnown == false {
                let listing = reply.listing?.text ?? "the account is being listed"
                Terminal.complain("\(mount.mountpoint): there may be more; \(listing)")
            }
        }
        if !json {
            Terminal.complain(
                hasAny ? "\n" + ConflictReport.advice : "no conflicted copies", prefix: "")
        }
    }

    private func show(_ copy: ConflictReport, isFirst: Bool) throws {
        if json { return try Terminal.printJSON(copy) }
        Terminal.print((isFirst ? "" : "\n") + copy.text)
    }
}
