// `dbxfs pin`, `unpin` and `pins`: content that is kept on this disk. The mount fetches it;
// interrupting a command does not stop that.

import ArgumentParser
import Mounting
import Saturating

struct PinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep files and folders on this disk, for reading offline.",
        discussion: """
            A folder is pinned with everything in it, now and later. Waits until all of it is here, and \
            exits with 3 when that cannot be for now (offline, or time ran out): the mount goes on by \
            itself, also when this command is interrupted, and after a restart.
            """)

    @OptionGroup var target: PinTarget

    @OptionGroup var timeout: TimeoutOption

    func run() throws {
        let deadline = Deadline(after: timeout.seconds)
        var failure: CommandError?
        try target.forEachMount { connection, mountpoint, pieces throws(CommandError) in
            // All are pinned before any is waited for: the mount then goes on by itself.
            for paths in pieces.dropFirst() {
                _ = try connection.waitForPins(PinRequest(paths: paths, timeout: 0), mountpoint)
            }
            for paths in pieces {
                let request = PinRequest(paths: paths, timeout: deadline.secondsLeft)
                let outcome = try connection.waitForPins(request, mountpoint)
                if let notice = outcome.progress.notice { Terminal.complain(notice) }
                guard let reason = outcome.reason else {
                    Terminal.print("\(mountpoint): \(outcome.progress.summary)")
                    continue
                }
                failure = .notHereYet(files: outcome.progress.missingFiles, reason: reason)
            }
        }
        if let failure { throw failure }
    }
}

struct UnpinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Keep pinned files and folders no longer than other cached content.")

    @OptionGroup var target: PinTarget

    func run() throws {
        try target.forEachMount { connection, mountpoint, pieces throws(CommandError) in
            for paths in pieces {
                _ = try connection.ask(
                    ControlRoutes.unpin, PathsRequest(paths: paths), about: mountpoint)
            }
        }
    }
}

struct PinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins", abstract: "List what is pinned, and how much of it is here.",
        discussion: "With --json, one object per pin, each on a line of its own.")

    @Argument(
        help: "A mountpoint or anything below it. Without it: all mounts.", completion: .file())
    var mountpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let environment = try Environment.ofRunningMounts()
        var isEmpty = true
        try RunningMount.forEach(mountpoint, environment) { mount in
            let connection = try mount.connectOrFail(environment)
            var reply = try connection.ask(ControlRoutes.pins, about: mount.mountpoint)
            while true {
                for pin in reply.pins {
                    guard let path = mount.shown(pin.path) else { continue }
                    isEmpty = false
                    try show(pin, at: path)
                }
                guard reply.isPart == true else { return }
                reply = try connection.next(ControlRoutes.pins, about: mount.mountpoint)
            }
        }
        if isEmpty, !json { Terminal.complain("nothing is pinned", prefix: "") }
    }

    private func show(_ pin: PinReport, at path: String) throws {
        if json { return try Terminal.printJSON(PinLine(path, pin.progress)) }
        Terminal.print("\(Terminal.printable(path)): \(pin.progress.summary)")
    }
}

/// The paths to pin, on any mounts.
struct PinTarget: ParsableArguments {
    @Argument(help: "Files and folders on a mount.", completion: .file())
    var paths: [String]

    /// Calls `body` for each mount that contains some of the paths, with these, a request's each.
    func forEachMount(
        _ body: (ControlConnection, String, [[String]]) throws(CommandError) -> Void
    ) throws(CommandError) {
        let environment = try Environment.ofRunningMounts()
        var mounts: [RunningMount] = []
        var places: [String: [String]] = [:]
        for path in paths {
            let mount = try RunningMount(containing: path)
            if places[mount.mountpoint] == nil { mounts.append(mount) }
            places[mount.mountpoint, default: []].append(try mount.place())
        }
        for mount in mounts {
            try body(
                try mount.connectOrFail(environment), mount.mountpoint,
                PathsRequest.pieces(of: places[mount.mountpoint] ?? []))
        }
    }
}

extension ControlConnection {
    /// Waits until pinned content is cached, and shows the progress: a bar on terminals, a line
    /// from time to time elsewhere.
    fileprivate func waitForPins(
        _ request: PinRequest, _ mountpoint: String
    ) throws(CommandError) -> PinOutcome {
        var line = Terminal.ProgressLine()
        defer { line.clear() }
        var lastLine = ContinuousClock.now
        var reply = try ask(ControlRoutes.pin, request, about: mountpoint)
        while true {
            switch reply {
            case .outcome(let outcome): return outcome
            case .progress(let progress):
                if line.isShown {
                    let whole = progress.missingBytes +| progress.presentBytes
                    // Some of the fetches may be for other pins.
                    let part = progress.presentBytes +| (progress.fetchedBytes ?? 0)
                    let bar = Terminal.bar(min(part, whole), of: whole)
                    line.show("\(bar) \(progress.summary)  \(mountpoint)")
                } else if lastLine.duration(to: .now) >= .seconds(10) {
                    lastLine = .now
                    Terminal.complain("\(mountpoint): \(progress.summary)", prefix: "")
                }
            }
            reply = try next(ControlRoutes.pin, about: mountpoint)
        }
    }
}

extension PinProgress {
    /// The progress in words.
    fileprivate var summary: String {
        let all = "\(Terminal.count(files, "file")), \(Terminal.size(bytes))"
        if !isTreeKnown {
            return "\(all) so far; \(listing?.text ?? "the account is being listed")"
        }
        if presentFiles == files { return "\(all): all here" }
        let skipped = unavailableFiles > 0 ? ", \(unavailableFiles) cannot be downloaded" : ""
        if missingFiles == 0 { return "\(all): \(presentFiles) here\(skipped)" }
        let left = secondsLeft.map { ", \(Terminal.duration($0)) left" } ?? ""
        return "\(all): \(presentFiles) here\(skipped), \(missingFiles) "
            + "(\(Terminal.size(missingBytes))) to fetch\(left)"
    }
}

/// One pin for scripts.
private struct PinLine: Encodable {
    var path: String
    var files: Int
    var bytes: Int64
    var presentFiles: Int
    var presentBytes: Int64
    var unavailableFiles: Int
    var missingFiles: Int
    var missingBytes: Int64

    private enum CodingKeys: String, CodingKey {
        case path, files, bytes
        case presentFiles = "present_files"
        case presentBytes = "present_bytes"
        case unavailableFiles = "unavailable_files"
        case missingFiles = "missing_files"
        case missingBytes = "missing_bytes"
    }

    init(_ path: String, _ progress: PinProgress) {
        self.path = path
        files = progress.files
        bytes = progress.bytes
        presentFiles = progress.presentFiles
        presentBytes = progress.presentBytes
        unavailableFiles = progress.unavailableFiles
        missingFiles = progress.missingFiles
        missingBytes = progress.missingBytes
    }
}
