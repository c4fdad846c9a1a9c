// `dbxfs revisions` and `dbxfs restore`: the revisions of a file on Dropbox, and going back to one.
// A path may be that of a deleted file.

import ArgumentParser
import LocalIO
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
            throw ValidationError("--limit takes a number from 1 to \(Self.most).")
        }
    }

    func run() throws {
        let mount = try RunningMount(containing: path)
        let request = RevisionsRequest(path: try mount.place(of: path), limit: limit)
        let list = try mount.connectOrFail(Environment())
            .ask(ControlRoutes.revisions, request, about: mount.mountpoint).revisions
        if json {
            for line in list.lines(path: resolvedPath(path)) { try Terminal.printJSON(line) }
        } else {
            Terminal.print(list.text)
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back a deleted file, or an old revision of one.",
        discussion: """
            What is there now becomes a revision itself, so this can be undone. A file with changes that \
            Dropbox does not have yet is refused: run `dbxfs sync` first.
            """)

    @Argument(help: "A file on a mount, or where one was.", completion: .file())
    var path: String

    @Option(
        help:
            "The revision, as `dbxfs revisions` lists it. Without it: the newest of a deleted file."
    )
    var rev: String?

    func run() throws {
        let mount = try RunningMount(containing: path)
        let request = RestoreRequest(path: try mount.place(of: path), revision: rev)
        let restored = try mount.connectOrFail(Environment())
            .ask(ControlRoutes.restore, request, about: mount.mountpoint).restored
        Terminal.print("\(Terminal.printable(path)): \(restored.rev)  \(restored.details)")
    }
}
