// `dbxfs sync`: when it returns 0, every written change is on Dropbox.

import ArgumentParser
import Mounting

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Wait until everything queued is on Dropbox.",
        discussion: """
            Exits with 0 when it is, with 3 when time ran out or Dropbox refused something. Nothing \
            is lost then: it stays queued.
            """)

    @Argument(
        help: "A mountpoint or anything below it. Without it: all mounts.", completion: .file())
    var path: String?

    @OptionGroup var timeout: TimeoutOption

    func run() throws {
        let environment = try Environment.ofRunningMounts()
        let deadline = Deadline(after: timeout.seconds)
        var failure: CommandError?
        do {
            try RunningMount.forEach(path, environment) { mount in
                let outcome = try mount.connectOrFail(environment)
                    .synchronize(mount.mountpoint, timeout: deadline.secondsLeft)
                if outcome.remaining > 0 {
                    failure = .stillQueued(operations: outcome.remaining, reason: outcome.reason)
                }
            }
        } catch {
            if let failure { Terminal.complain(failure.message) }
            throw error
        }
        if let failure { throw failure }
    }
}
