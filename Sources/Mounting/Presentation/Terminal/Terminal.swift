// Output: results on stdout, everything else on stderr, progress on terminals only.
// `Terminal+Text.swift` makes text safe for a terminal.

import Glibc
import Saturating
import Synchronization
package import SystemPackage

/// This process's stdout and stderr.
package enum Terminal {
    /// Prints a result. Control characters are shown instead of sent.
    package static func print(_ text: String) {
        write(printableLines(text) + "\n", to: .standardOutput)
    }

    /// Prints a result for machines, on a line of its own.
    package static func printJSON(_ value: some Encodable) throws {
        write(try json(value) + "\n", to: .standardOutput)
    }

    /// Prints a result for programs unchanged, with its own line ends.
    package static func printPlain(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Prints an error or a notice.
    package static func complain(_ text: String, prefix: String = "dbxfs: ") {
        write(prefix + printableLines(text) + "\n", to: .standardError)
    }

    /// Writes text to stdout unchanged, control sequences included; returns whether that worked.
    static func send(_ text: String) -> Bool {
        (try? FileDescriptor.standardOutput.writeAll(text.utf8)) != nil
    }

    private static let firstFailure = Mutex<Errno?>(nil)

    /// The reason why a result could not be written to stdout, if one could not: the command has
    /// failed then.
    package static var failure: Errno? { firstFailure.withLock { $0 } }

    private static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            // A failure of stderr cannot be reported anywhere.
            guard descriptor == .standardOutput else { return }
            firstFailure.withLock { $0 = $0 ?? error as? Errno ?? .ioError }
        }
    }

    /// A line on stderr that the next one replaces, for terminals only.
    package struct ProgressLine {
        /// Whether stderr is a terminal.
        package let isShown = isatty(STDERR_FILENO) == 1
        private var isDirty = false

        /// Creates an empty line.
        package init() {}

        /// Replaces the text of the line.
        package mutating func show(_ text: String) {
            guard isShown else { return }
            // A line that wraps could not be replaced; the cursor needs the last column.
            let line = Terminal.cut(printable(text), to: Self.columns -| 1)
            // Back to the start of the line, and clear the rest of the old text.
            Terminal.write("\r" + line + "\u{1b}[K", to: .standardError)
            isDirty = true
        }

        private static var columns: Int {
            var size = winsize()
            guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
                return 80
            }
            return Int(clamping: size.ws_col)
        }

        /// Removes the line from the terminal.
        package mutating func clear() {
            guard isDirty else { return }
            Terminal.write("\r\u{1b}[K", to: .standardError)
            isDirty = false
        }
    }
}

extension Backlog {
    /// The remaining changes, for a progress line.
    package var summary: String {
        let what = Terminal.queue(operations, missingBytes, rate: rate, secondsLeft: secondsLeft)
        if isPaused == true { return what + " (paused, run: dbxfs resume)" }
        switch state {
        case .offline: return what + " (offline, waiting for the network)"
        case .authRequired: return what + " (no access: `dbxfs status` says why)"
        case .connecting, .online, .finishing: return what
        }
    }

    /// The state in a few words, for a supervisor.
    package var report: String {
        let queue = operations == 0 ? "everything is on Dropbox" : summary
        return "\(state.rawValue): \(queue)"
    }
}
