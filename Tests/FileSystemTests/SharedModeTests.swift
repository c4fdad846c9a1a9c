// Changes of modes, times and attributes alone are queued where a mount shares them, and only those
// that other machines would see.

import Core
import MetadataStore
import Testing

@testable import FileSystem

struct SharedModeTests {
    private func fixture() throws -> Fixture { try Fixture { $0.sharesPosix = true } }

    @Test("a mode is queued until it is the ordinary one again")
    func mode() throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        _ = try fixture.setAttributes(file) { $0.permissions = 0o755 }
        #expect(try fixture.isQueued(file))
        _ = try fixture.setAttributes(file) { $0.permissions = 0o644 }
        #expect(try !fixture.isQueued(file))
        let folder = try fixture.remoteFolder("d")
        _ = try fixture.setAttributes(folder) { $0.permissions = 0o700 }
        #expect(try fixture.isQueued(folder))
    }

    @Test("owners, access times and bits that are not shared are not queued")
    func own() throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        _ = try fixture.setAttributes(file) { changes in
            changes.userID = 5
            changes.accessTime = .time(WallTime(seconds: 9))
            changes.permissions = 0o4644
        }
        #expect(try !fixture.isQueued(file))
        _ = try fixture.setAttributes(.root) { $0.permissions = 0o700 }
        #expect(try fixture.store.read { try $0.pending().operations } == 0)
    }

    @Test("a time that a program sets is queued if the second is another one")
    func time() throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        let shown = try fixture.attributes(file).modificationTime
        _ = try fixture.setAttributes(file) {
            $0.modificationTime = .time(shown.adding(nanoseconds: 5))
        }
        #expect(try !fixture.isQueued(file))
        _ = try fixture.setAttributes(file) {
            $0.modificationTime = .time(WallTime(seconds: 1_000_000_000))
        }
        #expect(try fixture.isQueued(file))
    }

    @Test("an attribute is queued until it is gone again")
    func attribute() throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        try fixture.fs.setExtendedAttribute("user.a", of: file, to: [1], mode: .any).now()
        #expect(try fixture.isQueued(file))
        try fixture.fs.removeExtendedAttribute("user.a", of: file).now()
        #expect(try !fixture.isQueued(file))
        // Too large for a property: it stays here.
        try fixture.fs.setExtendedAttribute(
            "user.b", of: file, to: [UInt8](repeating: 1, count: 2000), mode: .any
        ).now()
        #expect(try !fixture.isQueued(file))
    }
}
