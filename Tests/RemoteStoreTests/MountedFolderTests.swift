// A store of one folder of an account, which others rename, delete and make anew.

import Core
import DropboxAPI
import RemoteStore
import RemoteStoreTesting
import Synchronization
import Testing

@testable import RemoteStore

@Suite("A mounted folder")
struct MountedFolderTests {
    /// A clock that tests set.
    private final class Time: Sendable {
        let passed = Mutex(Duration.zero)
    }

    /// A folder with a file, a store of it that has listed it, and a store of the whole account.
    private struct Bed {
        let whole: Subject
        let folder: Subject
        let store: DropboxStore
        let client: DropboxClient
        let time: Time
        let cursor: Core.Cursor

        static func with(_ body: (Bed) async throws -> Void) async throws {
            try await EmulatedAccount.withAccount { account in
                let whole = Subject(
                    store: DropboxStore(client: account.client, log: silent),
                    account: .emulator(account))
                try await whole.put("/Projects/Old", "old")
                let time = Time()
                let start = ContinuousClock.now
                let store = DropboxStore(
                    client: account.client, folder: MountedFolder("/projects"), log: silent,
                    clock: StoreClock(now: { start + time.passed.withLock { $0 } }))
                let folder = Subject(store: store, account: .emulator(account))
                let (_, cursor) = try await folder.listing(.root, recursive: true)
                try await body(
                    Bed(
                        whole: whole, folder: folder, store: store, client: account.client,
                        time: time, cursor: cursor))
            }
        }
    }

    @Test("A folder that never was is not found, and a file is no folder")
    func absent() async throws {
        try await Bed.with { bed in
            for (path, error) in [
                ("/nowhere", RemoteError.notFound), ("/Projects/Old", .notAFolder),
            ] {
                let store = DropboxStore(
                    client: bed.client, prefix: RemotePath(rawValue: path), log: silent)
                await #expect(throws: error) { try await store.list(.root, recursive: false) }
            }
        }
    }

    @Test("A folder that others rename is followed, in the same process and in a later one")
    func renamed() async throws {
        try await Bed.with { bed in
            let name = bed.store.root
            _ = try await bed.whole.store.move("/Projects", to: "/Archive/Work")
            _ = try await bed.whole.store.makeFolder(at: "/Projects")
            await #expect(throws: RemoteError.rootChanged) {
                try await bed.store.list(after: bed.cursor)
            }
            await #expect(throws: RemoteError.rootChanged) {
                try await bed.store.list(.root, recursive: true)
            }
            try await bed.store.refreshRoot()
            #expect(bed.store.root != name)
            #expect(try await bed.folder.paths() == ["/Old"])
            try await bed.folder.put("/New", "new")
            #expect(try await bed.whole.text(at: "/Archive/Work/New") == "new")

            let later = DropboxStore(client: bed.client, prefix: "/projects", log: silent)
            later.resume(root: name)
            #expect(
                later.root == name, "what is stored is believed until the server says otherwise")
            #expect(try await later.list(.root, recursive: true).entries.count == 2)
            #expect(later.root == bed.store.root)
        }
    }

    @Test("A folder that is gone is missing, and nothing makes it anew")
    func deleted() async throws {
        try await Bed.with { bed in
            try await bed.whole.store.delete("/Projects", revision: nil)
            await #expect(throws: RemoteError.rootChanged) {
                try await bed.store.list(after: bed.cursor)
            }
            await #expect(throws: RemoteError.rootMissing("/projects")) {
                try await bed.store.refreshRoot()
            }
            bed.time.passed.withLock { $0 += .seconds(60) }
            let bytes = Array("new".utf8)
            let session = try await bed.store.send([bytes])[0].get()
            let finished = FinishedUpload(session: session, size: 3, commit: .of("/x", bytes))
            for change: @Sendable () async throws -> Void in [
                { _ = try await bed.folder.put("/x", "new") },
                { _ = try await bed.store.makeFolder(at: "/x") },
                { _ = try await bed.store.makeFolders(at: ["/x"]) },
                { _ = try await bed.store.finishUploads([finished]) },
                { _ = try await bed.store.entry(at: "/Old") },
                { _ = try await bed.store.list("/Old", recursive: false) },
            ] {
                await #expect(throws: RemoteError.rootChanged) { try await change() }
            }
            #expect(try await bed.whole.paths().isEmpty)

            let later = DropboxStore(client: bed.client, prefix: "/projects", log: silent)
            later.resume(root: bed.store.root)
            await #expect(throws: RemoteError.rootChanged) {
                try await later.list(.root, recursive: false)
            }
            await #expect(throws: RemoteError.rootMissing("/projects")) {
                try await later.refreshRoot()
            }
        }
    }

    @Test("A folder that others make anew is another one", arguments: [true, false])
    func madeAnew(isEmpty: Bool) async throws {
        try await Bed.with { bed in
            let name = bed.store.root
            try await bed.whole.store.delete("/Projects", revision: nil)
            _ = try await bed.whole.store.makeFolder(at: "/Projects")
            if !isEmpty { try await bed.whole.put("/Projects/Theirs", "theirs") }
            let change = try await bed.store.waitForChange(after: bed.cursor, timeout: 30)
            #expect(change.hasChanges)
            await #expect(throws: RemoteError.rootChanged) {
                try await bed.store.list(after: bed.cursor)
            }
            await #expect(throws: RemoteError.rootChanged) {
                try await bed.store.list(.root, recursive: true)
            }
            try await bed.store.refreshRoot()
            #expect(bed.store.root != name)
            #expect(try await bed.folder.paths() == (isEmpty ? [] : ["/Theirs"]))
        }
    }

    @Test("A folder that went and came back is compared")
    func cameBack() async throws {
        try await Bed.with { bed in
            let name = bed.store.root
            _ = try await bed.whole.store.move("/Projects", to: "/elsewhere")
            try await bed.whole.store.delete("/elsewhere/Old", revision: nil)
            _ = try await bed.whole.store.move("/elsewhere", to: "/Projects")
            await #expect(throws: RemoteError.cursorReset) {
                try await bed.store.list(after: bed.cursor)
            }
            #expect(bed.store.root == name)
            #expect(try await bed.folder.paths().isEmpty)
        }
    }
}
