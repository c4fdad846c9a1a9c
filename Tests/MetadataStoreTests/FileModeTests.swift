// The files of a database are the user's own, and opening it changes nothing of the process.

import Foundation
import Glibc
import Synchronization
import Testing

@testable import MetadataStore

@Suite struct FileModeTests {
    /// The line of the umask in the state of this process, which reading it does not change.
    private static var mask: Substring? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        return status?.split(separator: "\n").first { $0.hasPrefix("Umask:") }
    }

    @Test("files are for this user only, and the umask, which is that of all threads, stays")
    func modes() throws {
        let path = TemporaryStore.path()
        let outside = try #require(Self.mask)
        let seen = Mutex<[Substring?]>([])
        let store = try MetadataStore(path: path) { descriptor in
            seen.withLock { $0.append(Self.mask) }
            return fdatasync(descriptor)
        }
        let masks = seen.withLock { $0 }
        #expect(!masks.isEmpty)
        #expect(masks.allSatisfy { $0 == outside })
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(lstat(path + suffix, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(suffix)")
        }
        try store.close()
    }
}
