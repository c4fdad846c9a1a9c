// The probe of a filesystem, which leaves nothing behind.

import BlockCache
import Foundation
import Testing

@Suite struct AbilitiesTests {
    @Test("a filesystem is tried without a trace")
    func trial() throws {
        let folder = NSTemporaryDirectory() + "dbxfs-abilities-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // All that tests run on (ext4, XFS, Btrfs, overlays of these, tmpfs) has sparse files.
        #expect(try FilesystemAbilities(probing: folder).isSparse)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(throws: BlockCacheError.system(folder + "/none", ENOENT)) {
            try FilesystemAbilities(probing: folder + "/none")
        }
    }
}
