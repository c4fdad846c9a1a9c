// The wal-index of an open database, which tells how many commits its log has. Not responsible for
// what follows from that.

import Glibc
import LocalFiles
import Synchronization

/// Reads the index file (`-shm`) beside SQLite.
///
/// The descriptor stays open as long as the database: POSIX takes all locks of a process on a file
/// when the process closes any descriptor of it. Without SQLite's lock, the next process that opens
/// the database, such as `dbxfs doctor`, takes itself for the first one and cuts the file, and this
/// process gets a SIGBUS.
final class LogIndex: Sendable {
    /// Bytes of the index that tell the extent of the log.
    static let headerSize = 96

    private let path: String
    /// Lock: a leaf, held for the opening and a read of few bytes.
    private let descriptor = Mutex<Int32>(-1)

    init(ofDatabaseAt path: String) {
        self.path = path + "-shm"
    }

    deinit { close() }

    /// The extent of the log; nil without an index, and while it changes.
    var extent: LogExtent? {
        descriptor.withLock { descriptor in
            if descriptor < 0 {
                guard let opened = try? RegularFile.open(path, O_RDONLY) else { return nil }
                descriptor = opened
            }
            var header = [UInt8](repeating: 0, count: Self.headerSize)
            let file = descriptor
            let count = header.withUnsafeMutableBytes {
                FileBytes.read(into: $0, at: 0, from: file)
            }
            guard count == header.count else { return nil }
            return LogExtent(index: header)
        }
    }

    /// Closes the descriptor, once SQLite has closed the database.
    func close() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
            descriptor = -1
        }
    }
}
