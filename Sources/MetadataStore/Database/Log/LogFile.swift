// The log (WAL) of an open database, for flushes beside SQLite. Not responsible for what follows
// from a failure.

import Glibc
import Synchronization

/// Opens the log file beside SQLite.
///
/// The descriptor stays open as long as the database: Linux tells a failed write to the descriptors
/// that were open then, and to a later one only if no flush has been told. SQLite flushes the log,
/// too. Closing it takes no lock from SQLite, which locks no byte of the log.
final class LogFile: Sendable {
    private let path: String
    /// Lock: a leaf, held over a flush.
    private let descriptor = Mutex<Int32>(-1)

    init(ofDatabaseAt path: String) {
        self.path = path + "-wal"
        _ = try? use { _ in }
    }

    deinit { close() }

    /// Calls `body` with the file; returns nil if there is none.
    func use<Value>(_ body: (Int32) -> Value) throws -> Value? {
        try descriptor.withLock { descriptor in
            if !isPresent(descriptor) {
                if descriptor >= 0 { _ = Glibc.close(descriptor) }
                descriptor = open(path, O_RDONLY | O_CLOEXEC)
            }
            guard descriptor >= 0 else {
                if errno == ENOENT { return nil }
                throw MetadataStore.systemError
            }
            return body(descriptor)
        }
    }

    /// Whether an open file is the one that has the name.
    private func isPresent(_ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return descriptor >= 0 && fstat(descriptor, &opened) == 0 && stat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Closes the descriptor, once SQLite has closed the database.
    func close() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
            descriptor = -1
        }
    }
}
