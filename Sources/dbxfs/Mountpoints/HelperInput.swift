// The input of a helper process: paths from the process of its mount, in a file in memory at stdin.
// Other users can see arguments, and a pipe could block.

import CLinux
import Glibc
import LocalFiles
import Saturating
import SystemPackage

/// The input of a helper process.
enum HelperInput {
    /// Bytes that are read at most: more than any batch has.
    private static let most = 256 << 20

    /// Passes a file with the bytes on; nil, and nothing is done, if there is no memory for it.
    static func withFile<Value, Failure: Error>(
        _ bytes: [UInt8], _ body: (FileDescriptor) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let file = clinux_memory_file("dbxfs-paths")
        guard file >= 0 else { return nil }
        defer { close(file) }
        let count = bytes.withUnsafeBytes { FileBytes.write($0, at: 0, to: file) }
        guard count == bytes.count else { return nil }
        return try body(FileDescriptor(rawValue: file))
    }

    /// The bytes of the file at stdin, in the helper; empty if it cannot be read.
    static func read() -> [UInt8] {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_size <= most else { return [] }
        var bytes = [UInt8](repeating: 0, count: max(0, Int(clamping: status.st_size)))
        let count = bytes.withUnsafeMutableBytes { FileBytes.read(into: $0, at: 0, from: 0) }
        return Array(bytes.prefix(count))
    }
}
