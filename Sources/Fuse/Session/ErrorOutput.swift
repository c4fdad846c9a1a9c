// The standard error of programs that libfuse starts: `fusermount3` gives its reasons only there,
// and no user reads that of a process in the background. Not responsible for libfuse's own messages
// (`LibraryLog`).

import CLinux
import Glibc
import LocalFiles
import SystemPackage

/// The standard error of this process, caught for a moment.
enum ErrorOutput {
    /// The beginning of each message of `fusermount3`.
    private static let program = "fusermount3: "
    /// Bytes of messages that are read at most.
    private static let limit = 65_536

    /// Runs `body`, and returns its result with the messages of `fusermount3`. Text that any thread
    /// writes until `body` returns reaches the standard error afterwards, up to the limit.
    ///
    /// For one thread at a time: the descriptor is that of the process.
    static func catching<Result>(_ body: () -> Result) -> (result: Result, messages: [String]) {
        let file = clinux_memory_file("dbxfs-errors")
        guard file >= 0 else { return (body(), []) }
        defer { close(file) }
        let original = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        guard original >= 0 else { return (body(), []) }
        defer { close(original) }
        guard dup2(file, STDERR_FILENO) >= 0 else { return (body(), []) }
        let result = body()
        dup2(original, STDERR_FILENO)
        let written = content(of: file)
        // A failure of stderr cannot be reported anywhere.
        _ = try? FileDescriptor(rawValue: original).writeAll(written)
        return (result, messages(in: String(decoding: written, as: UTF8.self)))
    }

    /// The messages of `fusermount3` among lines of others.
    static func messages(in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix(program) }.map(String.init)
    }

    private static func content(of file: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { FileBytes.readOnce(into: $0, at: 0, from: file) }
        return Array(bytes.prefix(max(0, count)))
    }
}
