// `dbxfs cache`: the cached content on this disk. It cannot reach queued content, which is in
// another folder.

import ArgumentParser
import Mounting

struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Show, clear or check cached content of running mounts.",
        subcommands: [Status.self, Clear.self, Verify.self])

    /// The mounts to work on.
    struct Target: ParsableArguments {
        @Argument(
            help: "A mountpoint or anything below it. Without it: all mounts.", completion: .file())
        var mountpoint: String?

        /// Calls `body` with a connection to each mount.
        func forEach(
            _ body: (ControlConnection, String) throws(CommandError) -> Void
        ) throws {
            let environment = try Environment.ofRunningMounts()
            try RunningMount.forEach(mountpoint, environment) { mount in
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
                let status = try connection.ask(ControlRoutes.status, about: mountpoint).status
                let (cached, pinned) = (status.cachedBytes, status.pinnedBytes)
                let note = pinned > 0 ? ", of which \(Terminal.size(pinned)) are pinned" : ""
                let limit = Terminal.size(status.limits.cacheSize)
                Terminal.print("\(mountpoint): \(Terminal.size(cached)) of \(limit)\(note)")
            }
        }
    }

    struct Clear: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove cached content; what is pinned or still to be uploaded stays.")
        @OptionGroup var target: Target

        @Flag(help: "Remove pinned content too; it is fetched again.")
        var pinned = false

        func run() throws {
            try target.forEach { connection, mountpoint throws(CommandError) in
                let reply = try connection.ask(
                    ControlRoutes.clearCache, ClearCacheRequest(includesPinned: pinned),
                    about: mountpoint)
                Terminal.print("\(mountpoint): \(Terminal.size(reply.freedBytes)) freed")
            }
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read all cached content, and remove what the disk has damaged.")
        @OptionGroup var target: Target

        func run() throws {
            try target.forEach { connection, mountpoint throws(CommandError) in
                let report = try connection.ask(ControlRoutes.verifyCache, about: mountpoint).cache
                Terminal.print(
                    "\(mountpoint): \(Terminal.count(report.checkedChunks, "piece")) checked, "
                        + "\(report.damagedChunks) damaged and removed, "
                        + "\(Terminal.size(report.bytes)) cached")
            }
        }
    }
}
