// The name of the program behind a request, from /proc.

package import FileSystem
import LocalIO

extension CallingProcess {
    /// The name of the caller's program, of which the kernel keeps 15 bytes. Nil if the caller is
    /// in another PID namespace, has ended or is hidden.
    package var programName: String? {
        guard processID > 0, let status = try? readText("/proc/\(processID)/status") else {
            return nil
        }
        return Self.process(ofThread: status)
            .flatMap { try? readText("/proc/\($0)/comm") }
            .map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
    }

    /// The process of a thread, of which this is /proc/TID/status. Threads may have names of their
    /// own, and requests come from threads.
    static func process(ofThread status: String) -> Int32? {
        // The name comes first; the kernel escapes line ends in it.
        status.split(separator: "\n").first { $0.hasPrefix("Tgid:") }
            .flatMap { $0.split(whereSeparator: \.isWhitespace).last }.flatMap {
                Int32($0, radix: 10)
            }
    }
}
