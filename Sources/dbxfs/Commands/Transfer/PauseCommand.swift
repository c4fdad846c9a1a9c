// `dbxfs pause` and `resume`: uploads and the fetching of pinned content stop for a while. Content
// that programs read is still fetched, and the changes of other clients arrive.

import ArgumentParser
import Mounting

struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Send nothing, and fetch no pinned content, for a while.",
        discussion: """
            Until `dbxfs resume`, the time of --for, or the next mount. Changes are queued as if offline; uploads of \
            big files that have begun continue later where they are. Content that programs read is still fetched, and \
            the changes of other clients arrive.
            """)

    @Argument(
        help: "A mountpoint or anything below it. Without it: all mounts.", completion: .file())
    var path: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Go on after this time, such as 30m or 2h.", valueName: "time"))
    var duration: String?

    private var seconds: Double? { duration.flatMap(OptionValue.seconds) }

    func validate() throws {
        guard duration == nil || (seconds ?? 0) > 0 else {
            throw ValidationError("--for takes a time such as 30m or 2h")
        }
    }

    func run() throws {
        try PauseRequest(isPaused: true, seconds: seconds).send(path)
    }
}

struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "End a pause.")

    @Argument(
        help: "A mountpoint or anything below it. Without it: all mounts.", completion: .file())
    var path: String?

    func run() throws {
        try PauseRequest(isPaused: false, seconds: nil).send(path)
    }
}

extension PauseRequest {
    /// Sends it to the mount that contains a path, or to all mounts.
    fileprivate func send(_ path: String?) throws {
        let environment = try Environment.ofRunningMounts()
        try RunningMount.forEach(path, environment) { mount in
            _ = try mount.connectOrFail(environment)
                .ask(ControlRoutes.pause, self, about: mount.mountpoint)
        }
    }
}
