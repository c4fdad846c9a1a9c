// FIFOs and links in the place of a database's files: nothing waits for them or follows them. And
// files that cannot be opened.

import Foundation
import GRDB
import Glibc
import Testing

@testable import MetadataStore

@Suite(.timeLimit(.minutes(1))) struct OtherFilesTests {
    let path = TemporaryStore.path()

    @Test(
        "a database is not opened if one of its files is none",
        arguments: ["", "-wal", "-shm", "-changes"])
    func refused(suffix: String) throws {
        // Released without a close, so that it keeps its log.
        if !suffix.isEmpty { _ = try MetadataStore(path: path) }
        for isLink in [false, true] {
            unlink(path + suffix)
            let made = isLink ? symlink("/dev/null", path + suffix) : mkfifo(path + suffix, 0o600)
            #expect(made == 0)
            let error = #expect(throws: DatabaseError.self) { try MetadataStore(path: path) }
            #expect(error?.resultCode == .SQLITE_CANTOPEN)
            #expect(error?.message?.contains("not a file") == true)
            #expect(throws: DatabaseError.self) {
                try DatabaseInspection(path: path).read { try $0.pending() }
            }
        }
    }

    @Test("a database is not opened if its change log cannot be, which may have changes")
    func unreadableLog() throws {
        try MetadataStore(path: path).close()
        // The system takes this name with the other suffixes, and not with that of the change log.
        let name = String(repeating: "x", count: Int(NAME_MAX) - "-mark".utf8.count)
        let long = URL(filePath: path).deletingLastPathComponent().path() + name
        #expect(rename(path, long) == 0)
        let error = #expect(throws: DatabaseError.self) { try MetadataStore(path: long) }
        #expect(error?.message?.contains("its change log cannot be read") == true)
        #expect(FileManager.default.fileExists(atPath: long))
    }

    @Test("a mark that is no file is none")
    func mark() throws {
        try MetadataStore(path: path).close()
        unlink(path + "-mark")
        #expect(mkfifo(path + "-mark", 0o600) == 0)
        let store = try MetadataStore(path: path)
        #expect(store.damage == nil)
        try store.close()
    }
}
