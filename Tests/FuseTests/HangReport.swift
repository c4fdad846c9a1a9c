// The system calls in which a mount and the programs on it wait, for the log of a test that hangs.
// Reads /proc only: a path on the mount would hang as well.

import Foundation

/// The threads of a mount's server and of the programs that a test runs on it.
struct HangReport: CustomStringConvertible {
    let description: String

    /// Looks at the processes whose arguments have the test's folder.
    init(folder: String) {
        let lines = Self.entries(of: "/proc").compactMap(Int32.init).sorted().flatMap { id in
            Self.threads(of: id, usedBy: folder)
        }
        description = lines.joined(separator: "\n")
    }

    private static func threads(of process: Int32, usedBy folder: String) -> [String] {
        let arguments = text("/proc/\(process)/cmdline").replacing("\0", with: " ")
        guard arguments.contains(folder) else { return [] }
        let threads = entries(of: "/proc/\(process)/task").compactMap(Int32.init).sorted()
        return ["\(process) \(arguments.prefix(200))"]
            + threads.map { thread in
                let place = "/proc/\(process)/task/\(thread)/"
                let facts = ["comm", "wchan", "syscall"].map { text(place + $0) }
                let frames = text(place + "stack").split(separator: "\n").prefix(6)
                return "  \(thread) \((facts + frames.map(String.init)).joined(separator: " | "))"
            }
    }

    private static func entries(of folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func text(_ path: String) -> String {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
    }
}
