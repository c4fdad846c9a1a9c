// How a mount in the background tells the command that started it whether it is ready. The command
// waits on one end of a pipe; the other end is the child's only link to it.

import DropboxAPI
import Foundation
import Glibc
import SystemPackage

/// What the child says, once.
public struct ReadinessReport: Hashable, Sendable, Codable {
    /// A failure's one line; nil when the mount is ready.
    public var failure: String?
    /// What to exit with.
    public var status: Int32
    /// Something the user should know although it went well.
    public var notice: String?

    /// Ready.
    public static func ready(notice: String? = nil) -> ReadinessReport {
        ReadinessReport(failure: nil, status: ExitStatus.success.rawValue, notice: notice)
    }

    /// Not to be had.
    public static func failed(_ error: CommandError) -> ReadinessReport {
        ReadinessReport(failure: error.message, status: error.exitStatus.rawValue, notice: nil)
    }
}

/// The two ends.
public enum Readiness {
    /// The descriptor by which a child finds its end.
    public static let descriptor: Int32 = 3

    /// Sends the report and closes the pipe; returns false when nobody waits any more.
    @discardableResult
    public static func report(_ report: ReadinessReport) -> Bool {
        let pipe = FileDescriptor(rawValue: descriptor)
        defer { try? pipe.close() }
        guard let text = try? JSONEncoder().encode(report) else { return false }
        return (try? pipe.writeAll(text)) != nil
    }

    /// Starts this program again as a mount in the background, and waits for its report.
    ///
    /// The child gets the environment, the token with it, and nothing secret as an argument, where
    /// every user could read it. It stays in this process's group until it has mounted: autofs holds
    /// everybody who looks at a mountpoint of its own, but those in the group of who it asked to mount.
    static func start(
        _ arguments: [String], environment: [String: String]?
    ) throws(CommandError) -> Outcome {
        let pipe = try Pipe()
        let child: ChildProcess
        do {
            defer { try? pipe.writing.close() }
            child = try ChildProcess.start(
                ChildProcess.ownPath, arguments, environment: environment,
                descriptors: [descriptor: pipe.writing], isDetached: false)
        }
        let text = pipe.readToEnd()
        if let report = try? JSON.decode(ReadinessReport.self, from: Array(text.utf8)) {
            if report.failure != nil { _ = child.wait() }
            return .reported(report, child)
        }
        return .died(status: child.wait())
    }

    /// What came of the start.
    enum Outcome: Sendable {
        /// The child spoke.
        case reported(ReadinessReport, ChildProcess)
        /// It ended in silence.
        case died(status: Int32)
    }
}
