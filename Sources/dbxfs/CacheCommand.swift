// `dbxfs cache`: what is kept of Dropbox's content on this disk. Nothing here can reach what is still to
// be uploaded: that lies in another folder.

import ArgumentParser
import Mounting

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Show, clear or check cached content of running mounts.",
        subcommands: [Status.self, Clear.self, Verify.self])

    /// Which mounts are meant.
    struct Target: ParsableArguments {
        @Argument(help: "A mountpoint or anything below it. Without it: all mounts.")
        var mountpoint: String?

        /// Calls `body` with a connection to each mount.
        func forEach(
            _ body: (ControlConnection, String) throws(CommandError) -> Void
        ) throws(CommandError) {
            let environment = try Environment()
            for mount in try RunningMount.named(mountpoint, environment) {
                try body(try mount.connectOrFail(environment), mount.mountpoint)
            }
        }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show how much is cached.")
        @OptionGroup var target: Target

        func run() throws {
            try target.forEach { connection, mountpoint throws(CommandError) in
                let reply = try connection.ask(ControlRequest(.status), about: mountpoint)
                Terminal.print("\(mountpoint): \(Terminal.size(reply.status?.cachedBytes ?? 0))")
            }
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove cached content; what is still to be uploaded stays.")
        @OptionGroup var target: Target

        func run() throws {
            try target.forEach { connection, mountpoint throws(CommandError) in
                let reply = try connection.ask(ControlRequest(.clearCache), about: mountpoint)
                Terminal.print("\(mountpoint): \(Terminal.size(reply.freedBytes ?? 0)) freed")
            }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read all cached content, and remove what the disk has damaged.")
        @OptionGroup var target: Target

        func run() throws {
            try target.forEach { connection, mountpoint throws(CommandError) in
                let reply = try connection.ask(ControlRequest(.verifyCache), about: mountpoint)
                guard let report = reply.cache else { return }
                Terminal.print(
                    "\(mountpoint): \(Terminal.count(report.checkedChunks, "piece")) checked, "
                        + "\(report.damagedChunks) damaged and removed, "
                        + "\(Terminal.size(report.bytes)) cached")
            }
        }
    }
}
