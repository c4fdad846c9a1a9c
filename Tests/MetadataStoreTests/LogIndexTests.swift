// The wal-index beside other processes.

import Glibc
import Testing

@testable import MetadataStore

@Suite struct LogIndexTests {
    /// The byte of the index that SQLite locks as long as it uses it: `UNIX_SHM_DMS` of its
    /// `os_unix.c`.
    private static let lockedByte: off_t = 128

    @Test("a flush leaves SQLite its lock on the index, so that no other process cuts the file")
    func lock() throws {
        let path = TemporaryStore.path()
        let store = try MetadataStore(path: path)
        try store.write {
            _ = try $0.insert(.folder, at: place("a"), local: .init())
        }
        try store.synchronize()
        #expect(store.isSafe)
        // Closed after the store: this process would lose the store's lock.
        let file = open(path + "-shm", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(isLocked(file))
        try store.close()
        #expect(!isLocked(file))
    }

    /// Whether the lock is there for owners of open file descriptions, to which a lock of this
    /// process is another's.
    private func isLocked(_ file: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Self.lockedByte
        lock.l_len = 1
        // F_OFD_GETLK of <asm-generic/fcntl.h>
        return fcntl(file, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
