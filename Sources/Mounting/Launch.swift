// Starting a mount in the background, and making sure that it answers before anybody is told so.

import Glibc

/// A mount that runs in a process of its own.
public enum Launch {
    /// Seconds within which a mounted filesystem must answer its first question.
    private static let patience = 30

    /// What came of it.
    public struct Success: Sendable {
        /// The process that serves the mount.
        public var process: ChildProcess
        /// Something the user should know although it went well.
        public var notice: String?
    }

    /// Starts this program with `arguments`, which make it serve a mount at `mountpoint`, and returns
    /// when the mount answers.
    ///
    /// A filesystem must not be asked by the process that serves it, so this process asks. Throws
    /// what the child reports, or that it died or does not answer; it is gone then.
    public static func mount(
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
                throw .mountDoesNotAnswer(path: mountpoint, seconds: patience, log: log)
            }
            return Success(process: child, notice: report.notice)
        }
    }

    /// Opens the folder, which the kernel cannot answer by itself, on a thread of its own, because a
    /// mount that does not answer holds whoever asks.
    private static func answers(_ path: String) -> Bool {
        let answer = Signal()
        let isOver = Signal()
        Thread.start {
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
        return answer.wait(seconds: Double(patience))
    }
}
