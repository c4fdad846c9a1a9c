// What people and scripts see: results on stdout, everything else on stderr, progress on terminals only.
// What may reach a terminal at all is decided in `Terminal+Text.swift`.

import Glibc
import SystemPackage

/// This process's stdout and stderr.
public enum Terminal {
    /// A result. What could command a terminal is shown instead of sent.
    public static func print(_ text: String) {
        write(printableLines(text) + "\n", to: .standardOutput)
    }

    /// A result for machines, on a line of its own.
    public static func printJSON(_ value: some Encodable) throws {
        write(try json(value) + "\n", to: .standardOutput)
    }

    /// A result for programs, as it is and with its own line ends.
    public static func printPlain(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Something that went wrong or that the user should know.
    public static func complain(_ text: String, prefix: String = "dbxfs: ") {
        write(prefix + printableLines(text) + "\n", to: .standardError)
    }

    /// Sends text to stdout as it is, commands to the terminal included; returns whether it could be.
    static func send(_ text: String) -> Bool {
        (try? FileDescriptor.standardOutput.writeAll(text.utf8)) != nil
    }

    private static func write(_ text: String, to descriptor: FileDescriptor) {
        // Nobody is left to be told when this fails.
        _ = try? descriptor.writeAll(text.utf8)
    }

    /// A line on stderr that is replaced by the next one, and that only a terminal gets.
    public struct ProgressLine {
        /// Whether anybody sees it.
        public let isShown = isatty(STDERR_FILENO) == 1
        private var isDirty = false

        /// Shows nothing yet.
        public init() {}

        /// Replaces it.
        public mutating func show(_ text: String) {
            guard isShown else { return }
            // Back to the start of the line, and clear the rest of the old text.
            Terminal.write("\r" + printable(text) + "\u{1b}[K", to: .standardError)
            isDirty = true
        }

        /// Removes it.
        public mutating func clear() {
            guard isDirty else { return }
            Terminal.write("\r\u{1b}[K", to: .standardError)
            isDirty = false
        }
    }
}

extension Backlog {
    /// What is left, for a progress line.
    public var summary: String {
        let what = "\(Terminal.count(operations, "change")), \(Terminal.size(bytes)) to send"
        switch state {
        case .offline: return what + " (offline, waiting for the network)"
        case .authRequired: return what + " (no access: `dbxfs status` says why)"
        case .connecting, .online, .finishing: return what
        }
    }

    /// How the mount stands, in a few words, for whoever supervises it.
    public var report: String {
        let queue = operations == 0 ? "everything is on Dropbox" : summary
        return "\(state.rawValue): \(queue)"
    }
}
