// Starting a mount in the background, and checking that it answers before success is reported.

import Blocking
import Glibc
package import LocalIO

/// Starts a mount in a separate process.
package enum Launch {
    /// Timeout in seconds for the first answer of a mounted filesystem.
    private static let answerTimeout = 30

    /// The result of a start.
    package struct Success: Sendable {
        /// The process that serves the mount.
        package var process: ChildProcess
        /// A notice for the user despite the success.
        package var notice: String?
    }

    /// Starts this program with `arguments`, which make it serve a mount at `mountpoint`, and
    /// returns when the mount answers.
    ///
    /// This process sends the first request, because the serving process must not use its own
    /// mount. Throws the error that the child reports, or that it died or does not answer; it has
    /// ended then.
    package static func mount(
        _ arguments: [String], at mountpoint: String, log: String,
        environment: [String: String]? = nil
    ) throws(CommandError) -> Success {
        switch try Readiness.start(arguments, environment: environment) {
        case .died(let status):
            throw .mountDied(detail: "exit code \(status)", log: log)
        case .reported(let report, let child):
            if let failure = report.failure {
                throw .reported(failure, ExitStatus(rawValue: report.status) ?? .mountFailure)
            }
            guard answers(mountpoint) else {
                child.terminate()
                throw .mountDoesNotAnswer(path: mountpoint, seconds: answerTimeout, log: log)
            }
            return Success(process: child, notice: report.notice)
        }
    }

    /// Opens the folder, for which the kernel needs the mount, on a separate thread, because a
    /// mount that does not answer blocks the caller.
    private static func answers(_ path: String) -> Bool {
        let answer = Latch()
        let isOver = Latch()
        WorkerThread.start {
            while !isOver.hasHappened {
                let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                if folder >= 0 {
                    close(folder)
                    return answer.set()
                }
                usleep(10_000)
            }
        }
        defer { isOver.set() }
        return answer.wait(seconds: Double(answerTimeout))
    }
}
