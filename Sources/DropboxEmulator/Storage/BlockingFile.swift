// A file descriptor with blocking reads and writes at offsets, and its threads. Not responsible for
// the files' paths (`ContentStore`).

import Glibc
import LocalFiles
import NIOPosix

/// A failed system call, with its path.
struct FileError: Error, CustomStringConvertible {
    let call: String
    let path: String
    let code: Int32

    init(_ call: String, _ path: String) {
        self.call = call
        self.path = path
        code = errno
    }

    var description: String { "\(call) \(path): \(String(cString: strerror(code)))" }
}

/// An open file; closed when released. Its methods may be called from any thread.
final class BlockingFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens a file for reading.
    init(reading path: String) throws(FileError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw FileError("open", path) }
    }

    /// Opens a file for writing, and creates it if it is missing.
    init(writing path: String, append: Bool = false) throws(FileError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0)
        descriptor = open(path, flags, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileError("open", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes all bytes at an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) {
        guard FileBytes.write(bytes, at: offset, to: descriptor) == bytes.count else {
            throw FileError("write", path)
        }
    }

    /// Writes all bytes at the end of a file opened to append.
    func append(_ bytes: [UInt8]) throws(FileError) {
        let count = bytes.withUnsafeBytes {
            FileBytes.write($0, at: 0) { rest, _ in
                Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
        }
        guard count == bytes.count else { throw FileError("append", path) }
    }

    /// Reads into a buffer from an offset; returns fewer bytes only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int
    {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = FileBytes.readOnce(
                into: rest, at: offset + Int64(done), from: descriptor)
            guard count >= 0 else { throw FileError("read", path) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads a whole small file.
    func contents() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes {
                try read(into: $0, at: Int64(bytes.count))
            }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// Cuts or extends the file.
    func truncate(to size: Int64) throws(FileError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileError("truncate", path) }
    }
}

/// Runs blocking work on dedicated threads, so that it never blocks the cooperative ones.
func onDiskThread<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await NIOThreadPool.singleton.runIfActive(work)
}
