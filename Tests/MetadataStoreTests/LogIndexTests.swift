// The wal-index beside other processes.

import Foundation
import Glibc
import Testing

@testable import MetadataStore

@Suite struct LogIndexTests {
    /// The byte of the index that SQLite locks as long as it uses it: `UNIX_SHM_DMS` of its
    /// `os_unix.c`.
    private static let lockedByte = "128"

    @Test("a flush leaves SQLite its lock on the index, so that no other process cuts the file")
    func lock() throws {
        let path = TemporaryStore.path()
        let store = try MetadataStore(path: path)
        try store.write {
            _ = try $0.insert(.folder, at: place("a"), local: .init())
        }
        try store.synchronize()
        #expect(store.isSafe)
        #expect(try isLocked(path + "-shm"))
        try store.close()
        #expect(try !isLocked(path + "-shm"))
    }

    /// Whether this process has the lock on a file. The kernel's list is read in pieces, and may
    /// lack a lock if others come and go between two of them.
    private func isLocked(_ path: String) throws -> Bool {
        try (0..<20).contains { _ in try isListed(path) }
    }

    private func isListed(_ path: String) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return locks.split(separator: "\n").contains { line in
            let words = line.split(separator: " ").map(String.init)
            return words.contains("\(getpid())")
                && words.contains { $0.hasSuffix(":\(status.st_ino)") }
                && words.suffix(2) == [Self.lockedByte, Self.lockedByte]
        }
    }
}
