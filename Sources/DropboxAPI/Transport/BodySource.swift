// Sources of a request's body. Not responsible for sending.

import CLibrary
import Essentials
import LocalFiles

/// Provides the bytes of a request's body piece by piece, and again for each retry.
///
/// `read` is called on the transport's thread, which serves all transfers: a source reads memory or
/// a local file and blocks for nothing else.
public protocol BodySource: Sendable {
    /// The body's length in bytes; must not change.
    var length: UInt64 { get }

    /// Copies up to `buffer.count` bytes from `offset` into `buffer` and returns how many.
    ///
    /// At least one byte must come while `offset` is less than `length`; zero means that the source
    /// shrank, which fails the request. Throws when the bytes cannot be read.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A body in memory. Its texts for logs have the number of bytes, and none of them: those of a
/// request for a token are secret.
public struct BytesBody: BodySource, CustomStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// Takes over bytes; the array is shared, not copied.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The body's length in bytes.
    public var length: UInt64 { UInt64(clamping: bytes.count) }

    /// The number of bytes.
    public var description: String { "\(bytes.count) bytes" }
    /// A mirror with the number of bytes.
    public var customMirror: Mirror { Mirror(self, children: ["length": length]) }

    /// Copies bytes from the array.
    public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < length else { return 0 }
        let part = bytes[Int(clamping: offset)...].prefix(buffer.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return part.count
    }
}

/// A body that is a part of an open file.
public final class FileBody: BodySource {
    /// The file could not be read.
    public struct ReadError: DropboxError, Hashable, CustomStringConvertible {
        /// The system's error number (errno).
        public let errno: Int32
        /// Returns the same text as `description`.
        public var summary: String { description }
        /// A description of the error.
        public var description: String {
            "reading the file failed: \(String(cString: strerror(errno)))"
        }
    }

    private let descriptor: Int32
    private let start: UInt64
    /// The body's length in bytes.
    public let length: UInt64

    /// Duplicates an open descriptor, so that the caller may close its own.
    ///
    /// The body is `length` bytes from `start` on. Throws when the descriptor cannot be duplicated.
    public init(descriptor: Int32, start: UInt64 = 0, length: UInt64) throws(ReadError) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw ReadError(errno: errno_()) }
        self.descriptor = own
        self.start = start
        self.length = length
    }

    deinit {
        close(descriptor)
    }

    /// Reads bytes from the file.
    public func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        guard offset < length else { return 0 }
        let count = min(buffer.count, Int(clamping: length &- offset))
        let (place, overflow) = start.addingReportingOverflow(offset)
        guard !overflow, let place = Int64(exactly: place) else { throw ReadError(errno: EINVAL) }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
        let read = FileBytes.readOnce(into: part, at: place, from: descriptor)
        guard read >= 0 else { throw ReadError(errno: errno_()) }
        return read
    }
}

/// A body that consists of other bodies, one after another.
public struct ConcatenatedBody: BodySource {
    private let parts: [any BodySource]
    /// Where each part starts, in rising order.
    private let starts: [UInt64]
    /// Sum of the parts' lengths.
    public let length: UInt64

    /// Takes over the parts, in order.
    public init(_ parts: [any BodySource]) {
        self.parts = parts
        var starts: [UInt64] = []
        var end: UInt64 = 0
        for part in parts {
            starts.append(end)
            // A sum that overflows is clamped: the server refuses a body of that length anyway.
            let (sum, overflow) = end.addingReportingOverflow(part.length)
            end = overflow ? .max : sum
        }
        self.starts = starts
        length = end
    }

    /// Reads from the part that covers `offset`, up to that part's end.
    public func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        guard offset < length else { return 0 }
        let index = partIndex(covering: offset)
        let inner = offset &- starts[index]
        guard inner < parts[index].length else { return 0 }
        let room = min(buffer.count, Int(clamping: parts[index].length &- inner))
        return try parts[index].read(
            at: inner, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
    }

    /// The last part that starts at or before `offset`; empty parts before it are skipped.
    private func partIndex(covering offset: UInt64) -> Int {
        var low = 0
        var high = starts.count
        while high &- low > 1 {
            let middle = (low &+ high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}

/// The system's last error number on this thread.
private func errno_() -> Int32 { errno }
