// `dbxfs restore`: going back to an old revision of a file, or to an earlier state of a folder. A
// path may be that of something deleted.

import ArgumentParser
import LocalIO
import Mounting

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back deleted files, or old revisions of files.",
        usage: """
            dbxfs restore [--rev <revision>] <file>
            dbxfs restore --recursive [--before <time>] <folder>
            """,
        discussion: """
            What is there now becomes a revision itself, so this can be undone. A file with changes that \
            Dropbox does not have yet is refused: run `dbxfs sync` first.

            With --recursive, every deleted file below the folder comes back, which may be deleted itself; `dbxfs \
            ls-remote --deleted --recursive` lists them. With --before, the files are as they were before that \
            time, deleted and changed ones; newer files stay. Exits with 2 if some could not be brought back.
            """)

    @Argument(help: "A file or folder on a mount, or where one was.", completion: .file())
    var path: String

    @Option(
        help:
            "The revision, as `dbxfs revisions` lists it. Without it: the newest of a deleted file."
    )
    var rev: String?

    @Flag(help: "Bring back all files below a folder.")
    var recursive = false

    @Option(help: "A date and time, such as 2026-11-22 or '2026-11-22 03:14'; with Z in UTC.")
    var before: String?

    func validate() throws {
        if recursive && rev != nil {
            throw ValidationError("--rev is for one file, without --recursive")
        }
        guard let before else { return }
        guard recursive else { throw ValidationError("--before is for --recursive") }
        guard Terminal.seconds(parsing: before) != nil else {
            throw ValidationError(
                "--before takes a date and time, such as 2026-11-22 or '2026-11-22 03:14'")
        }
    }

    func run() throws {
        let mount = try RunningMount(containing: path)
        let connection = try mount.connectOrFail(Environment.ofRunningMounts())
        if recursive { return try restoreAll(mount, connection) }
        let request = RestoreRequest(path: try mount.place(), revision: rev)
        let restored = try connection.ask(
            ControlRoutes.restore, request, about: mount.mountpoint
        ).restored
        Terminal.print("\(Terminal.printable(path)): \(restored.rev)  \(restored.details)")
    }

    private func restoreAll(
        _ mount: RunningMount, _ connection: ControlConnection
    ) throws(CommandError) {
        let request = UndoRequest(
            path: try mount.place(), before: before.flatMap(Terminal.seconds(parsing:)))
        let report = try connection.undo(request, mount.mountpoint, shown: path)
        for refusal in report.refusals {
            Terminal.complain(refusal.reason)
        }
        Terminal.print("\(Terminal.printable(path)): \(report.outcome)")
        if report.refused > 0 { throw .notRestored(files: report.refused) }
    }
}

extension ControlConnection {
    /// Waits for the end of an undo, and shows its progress.
    fileprivate func undo(
        _ request: UndoRequest, _ mountpoint: String, shown path: String
    ) throws(CommandError) -> UndoReport {
        var line = Terminal.ProgressLine()
        defer { line.clear() }
        var reply = try ask(ControlRoutes.undo, request, about: mountpoint)
        while !reply.isOver {
            line.show("\(path): \(reply.report.summary)")
            reply = try next(ControlRoutes.undo, about: mountpoint)
        }
        return reply.report
    }
}
