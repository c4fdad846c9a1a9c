// `dbxfs revisions`: the revisions of a file on Dropbox, which may be deleted.

import ArgumentParser
import Mounting

struct RevisionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revisions",
        abstract: "List the revisions of a file, also of one that was deleted.",
        discussion: """
            Newest first. How long Dropbox keeps them is a matter of the account's plan. With --json, one \
            object per revision, each on a line of its own.
            """)

    @Argument(help: "A file on a mount, or where one was.", completion: .file())
    var path: String

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "List so many at most.")
    var limit = 10

    /// So many fit into one reply of the mount.
    private static let most = 1000

    func validate() throws {
        guard (1...Self.most).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(Self.most)")
        }
    }

    func run() throws {
        let mount = try RunningMount(containing: path)
        let request = RevisionsRequest(path: try mount.place(), limit: limit)
        let list = try mount.connectOrFail(Environment.ofRunningMounts())
            .ask(ControlRoutes.revisions, request, about: mount.mountpoint).revisions
        if json {
            for line in list.lines(path: mount.path) { try Terminal.printJSON(line) }
        } else {
            Terminal.print(list.text)
        }
    }
}
