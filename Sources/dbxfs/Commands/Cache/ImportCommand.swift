// `dbxfs import`: content that is on this machine already, in the folder of another Dropbox client.

import ArgumentParser
import LocalIO
import Mounting

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take cached content from a folder that another Dropbox client has synchronized.",
        discussion: """
            Files of the folder are compared with those at the same places on Dropbox, by size and content hash. \
            Equal ones are copied into the cache, so that they are not downloaded. The folder corresponds to the \
            mountpoint, and is not changed. The import ends when the cache is full, see cache_size.
            """)

    @Argument(help: "The folder, such as ~/Dropbox.old.", completion: .directory)
    var folder: String

    @Argument(
        help: "A mountpoint or anything below it. Without it: the mount, if there is one only.",
        completion: .directory)
    var mountpoint: String?

    func run() throws {
        let environment = try Environment.ofRunningMounts()
        let mount =
            if let mountpoint {
                try RunningMount(containing: mountpoint)
            } else {
                try RunningMount.onlyAnswering(environment)
            }
        let place = resolvedPath(absolutePath(folder))
        let report = try mount.connectOrFail(environment)
            .importContent(of: place, mount.mountpoint)
        if let notice = report.notice { Terminal.complain(notice) }
        Terminal.print("\(mount.mountpoint): \(report.outcome)")
    }
}

extension ControlConnection {
    /// Waits for the end of an import, and shows its progress.
    fileprivate func importContent(
        of folder: String, _ mountpoint: String
    ) throws(CommandError) -> ImportReport {
        var line = Terminal.ProgressLine()
        defer { line.clear() }
        let request = ImportRequest(folder: folder)
        var reply = try ask(ControlRoutes.importContent, request, about: mountpoint)
        while !reply.isOver {
            line.show("\(mountpoint): \(reply.report.summary)")
            reply = try next(ControlRoutes.importContent, about: mountpoint)
        }
        return reply.report
    }
}
