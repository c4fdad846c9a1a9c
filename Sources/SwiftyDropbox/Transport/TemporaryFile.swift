// A file that a transfer fills or empties: content of a download, and of a stream that is to go up.
// Its work blocks on the disk, and so has threads of its own.

import Blocking
import CLibrary
import DropboxAPI
import Foundation
import LocalFiles
import Saturating

/// A file among the system's temporary ones, readable by its owner only.
final class TemporaryFile: Sendable {
    static let disk = DiskQueue(label: "SwiftyDropbox.disk")

    let place: URL
    private let descriptor: Int32

    /// Makes an empty file.
    init() throws(SystemError) {
        place = FileManager.default.temporaryDirectory
            .appendingPathComponent("SwiftyDropbox-\(UUID().uuidString)")
        descriptor = open(place.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func remove() {
        unlink(place.path)
    }

    /// Appends bytes; `offset` is the file's length until now.
    func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
        let count = bytes.withUnsafeBytes {
            FileBytes.write($0, at: Int64(clamping: offset), to: descriptor)
        }
        guard count == bytes.count else { throw SystemError(errno) }
    }

    /// Reads a stream to its end and returns the content as a body. The file has no name then.
    static func body(of stream: InputStream) throws -> any BodySource {
        let file = try TemporaryFile()
        file.remove()
        stream.open()
        defer { stream.close() }
        var length: UInt64 = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { throw stream.streamError ?? SystemError(EIO) }
            guard count > 0 else { break }
            try file.write(Array(buffer.prefix(count)), at: length)
            length +|= UInt64(clamping: count)
        }
        return try FileBody(descriptor: file.descriptor, length: length)
    }

    /// A file of the app as a body.
    static func body(of file: URL) throws -> any BodySource {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EINVAL) }
        return try FileBody(descriptor: descriptor, length: UInt64(clamping: status.st_size))
    }
}

extension UploadBody {
    // Sendable: a stream is read by one thread only, once.
    /// The content for a request.
    struct Source: @unchecked Sendable {
        let input: UploadBody

        func body() async throws -> any BodySource {
            try await TemporaryFile.disk.run { () throws(any Error) -> any BodySource in
                switch self.input {
                case .data(let data): DataBody(data)
                case .file(let file): try TemporaryFile.body(of: file)
                case .stream(let stream): try TemporaryFile.body(of: stream)
                }
            }
        }
    }
}
