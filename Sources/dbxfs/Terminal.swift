// What people and scripts see: results on stdout, everything else on stderr, progress on terminals only.

import Glibc
import Mounting
import SystemPackage

enum Terminal {
    /// A result.
    static func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    /// Something that went wrong or that the user should know.
    static func complain(_ text: String, prefix: String = "dbxfs: ") {
        write(prefix + text + "\n", to: .standardError)
    }

    private static func write(_ text: String, to descriptor: FileDescriptor) {
        // Nobody is left to be told when this fails.
        _ = try? descriptor.writeAll(text.utf8)
    }

    /// A line on stderr that is replaced by the next one, and that only a terminal gets.
    struct ProgressLine {
        let isShown = isatty(STDERR_FILENO) == 1
        private var isDirty = false

        mutating func show(_ text: String) {
            guard isShown else { return }
            // Back to the start of the line, and clear the rest of the old text.
            Terminal.write("\r" + text + "\u{1b}[K", to: .standardError)
            isDirty = true
        }

        mutating func clear() {
            guard isDirty else { return }
            Terminal.write("\r\u{1b}[K", to: .standardError)
            isDirty = false
        }
    }

    /// Bytes as people read them: `0 B`, `17.3 MiB`.
    static func size(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        guard unit > 0 else { return "\(bytes) B" }
        let tenths = Int64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// `1 change`, `2 changes`.
    static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }
}

extension Backlog {
    /// What is left, for a progress line.
    var summary: String {
        let what = "\(Terminal.count(operations, "change")), \(Terminal.size(bytes)) to send"
        switch state {
        case .offline: return what + " (offline, waiting for the network)"
        case .authRequired: return what + " (no access: `dbxfs status` says why)"
        case .connecting, .online, .finishing: return what
        }
    }

    /// How the mount stands, in a few words, for whoever supervises it.
    var report: String {
        let queue = operations == 0 ? "everything is on Dropbox" : summary
        return "\(state.rawValue): \(queue)"
    }
}
