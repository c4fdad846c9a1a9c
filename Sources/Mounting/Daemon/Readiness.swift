// The pipe on which a mount in the background reports its readiness. The command that started it
// waits at one end; the child has only the other.

import DropboxAPI
import Foundation
import Glibc
import LocalIO
import Synchronization
import SystemPackage

/// The child's only message.
package struct ReadinessReport: Hashable, Sendable, Codable {
    /// The error's message; nil if the mount is ready.
    package var failure: String?
    /// The exit code for the command.
    package var status: Int32
    /// A notice for the user despite the success.
    package var notice: String?

    /// The report of success.
    package static func ready(notice: String? = nil) -> ReadinessReport {
        ReadinessReport(failure: nil, status: ExitStatus.success.rawValue, notice: notice)
    }

    /// The report of a failure.
    package static func failed(_ error: CommandError) -> ReadinessReport {
        ReadinessReport(failure: error.message, status: error.exitStatus.rawValue, notice: nil)
    }
}

/// Both ends of the pipe.
package enum Readiness {
    /// The descriptor of the child's end.
    package static let descriptor: Int32 = 3

    /// The child's end, until the report is sent: after that, its number is another file's.
    private static let end = Mutex<FileDescriptor?>(nil)

    /// Takes the child's end over from the command that has started this process. Must run before
    /// any file is opened, which could have the number of a pipe that is not there.
    package static func takeOver() {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
        end.withLock { $0 = FileDescriptor(rawValue: descriptor) }
    }

    /// Sends the first report and closes the pipe; returns false if the command has ended, and for
    /// each further report.
    @discardableResult
    package static func report(_ report: ReadinessReport) -> Bool {
        guard let pipe = end.withLock({ $0.take() }) else { return false }
        defer { try? pipe.close() }
        guard let text = try? JSONEncoder().encode(report) else { return false }
        return (try? pipe.writeAll(text)) != nil
    }

    /// Starts this program again as a mount in the background, and waits for its report.
    ///
    /// The child gets the environment, including the token, but no secret as an argument, which
    /// every user could read. It stays in this process's group until it has mounted: autofs blocks
    /// every process that accesses one of its mountpoints, except the group of the process that it
    /// started to mount.
    static func start(
        _ arguments: [String], environment: [String: String]?
    ) throws(CommandError) -> Outcome {
        let pipe: DescriptorPipe
        let child: ChildProcess
        do throws(ChildProcessError) {
            pipe = try DescriptorPipe()
            defer { try? pipe.writing.close() }
            child = try ChildProcess.start(
                ChildProcess.ownPath, arguments, environment: environment,
                descriptors: [descriptor: pipe.writing], isDetached: false)
        } catch {
            throw CommandError(error)
        }
        let text = pipe.readToEnd()
        if let report = try? JSON.decode(ReadinessReport.self, from: Array(text.utf8)) {
            if report.failure != nil { _ = child.wait() }
            return .reported(report, child)
        }
        return .died(status: child.wait())
    }

    /// The result of the start.
    enum Outcome: Sendable {
        /// The child has reported.
        case reported(ReadinessReport, ChildProcess)
        /// The child has ended without a report.
        case died(status: Int32)
    }
}
