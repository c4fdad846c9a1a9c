// The Dropbox store with a network and a server that fail: lost responses are recognised, and
// errors have the names that filesystems know.

import ContentHashing
import Core
import DropboxAPI
import DropboxAPITesting
import DropboxEmulator
import RemoteStore
import RemoteStoreTesting
import Synchronization
import Testing

@testable import RemoteStore

@Suite("Dropbox with faults")
struct DropboxFaultTests {
    private let bytes = Array("text".utf8)

    private func withStore(
        _ body: (Subject, RunningEmulator) async throws -> Void
    ) async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            try await body(Subject(store: store, account: .emulator(account)), account.server)
        }
    }

    private static func fault(
        _ kind: String, _ route: String, count: Int64? = 1
    ) -> JSONValue {
        [
            "kind": .string(kind), "route": .string(route),
            "count": count.map { .integer($0) } ?? .null,
        ]
    }

    // MARK: Lost replies

    /// The change is made and its reply is lost, by a reset and by an error.
    static let losses = ["reset_after", "error_after"]

    @Test("A commit whose reply is lost succeeds", arguments: losses)
    func lostUpload(_ loss: String) async throws {
        try await withStore { subject, server in
            try server.addFault(Self.fault(loss, "files/upload"))
            let file = try await subject.put("/f", "one", expecting: .absent(strict: true))
            try server.addFault(Self.fault(loss, "files/upload"))
            let second = try await subject.put("/f", "two", expecting: .revision(file.revision))
            #expect(second.id == file.id)
            #expect(try await subject.text(at: "/f") == "two")
            #expect(try await subject.paths() == ["/f"])
        }
    }

    @Test("A strict commit does not take another's equal file for its own")
    func strictCommit() async throws {
        try await withStore { subject, server in
            // The first request never arrives; another client is faster with the same content.
            try await subject.put("/f", "text")
            try server.addFault(Self.fault("reset_before", "files/upload"))
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.store.upload(
                    MemorySource("text"), commit: .of("/f", bytes, modified: 1_500_000_000))
            }
        }
    }

    @Test("A session whose replies are lost becomes a file", arguments: losses, [true, false])
    func lostSession(_ loss: String, concurrent: Bool) async throws {
        try await withStore { subject, server in
            for route in ["start", "append_v2", "finish"] {
                try server.addFault(Self.fault(loss, "files/upload_session/" + route))
            }
            let session = try await subject.store.startUpload(concurrent: concurrent)
            try await subject.store.append(
                MemorySource(bytes), range: 0..<4, to: session, closes: true)
            let file = try await subject.store.finishUpload(
                session, size: 4, commit: .of("/f", bytes)
            ).file
            #expect(try await subject.read(file) == bytes)
        }
    }

    @Test("A new folder whose reply is lost is there", arguments: losses)
    func lostFolder(_ loss: String) async throws {
        try await withStore { subject, server in
            try server.addFault(Self.fault(loss, "files/create_folder_v2"))
            let made = try await subject.store.makeFolder(at: "/d")
            #expect(try await subject.store.entry(at: "/d") == made)
        }
    }

    @Test(
        "A refusal that follows a lost reply does not say that nothing was done",
        arguments: ["rate_limited", "missing_scope"])
    func refusedRepetition(_ kind: String) async throws {
        try await withStore { subject, server in
            try server.addFault(Self.fault("reset_after", "files/create_folder_v2"))
            try server.addFault([
                "kind": .string(kind), "route": "files/create_folder_v2", "skip": 1, "count": 1,
                "retry_after": 3600,
            ])
            let error = await #expect(throws: RemoteError.self) {
                try await subject.store.makeFolder(at: "/d")
            }
            #expect(error?.saysNotDone == false)
            #expect(error?.isTransient == true)
        }
    }

    @Test("A change that is refused at once says that nothing was done")
    func refusedAtOnce() async throws {
        try await withStore { subject, server in
            _ = try await subject.store.makeFolder(at: "/known")
            try server.addFault(["kind": "rate_limited", "retry_after": 3600])
            let error = await #expect(throws: RemoteError.self) {
                try await subject.store.makeFolder(at: "/d")
            }
            #expect(error?.saysNotDone == true)
        }
    }

    @Test(
        "Only a change that cannot have been received was not sent", arguments: [false, true])
    func unreachable(mayHaveBeenReceived: Bool) {
        let failure = TransportError(
            kind: .connect, message: "refused", mayHaveBeenReceived: mayHaveBeenReceived)
        let error = CallError<NoError>(
            kind: .transport(failure), context: CallContext(route: "files/delete_v2", attempts: 1))
        #expect(RemoteError(ofChange: error).saysNotDone == !mayHaveBeenReceived)
        #expect(!RemoteError(error).saysNotDone)
    }

    @Test("A guarded delete whose reply is lost succeeds", arguments: losses)
    func lostDelete(_ loss: String) async throws {
        try await withStore { subject, server in
            let file = try await subject.put("/f", "text")
            try server.addFault(Self.fault(loss, "files/delete_v2"))
            try await subject.store.delete("/f", revision: file.revision)
            #expect(try await subject.paths().isEmpty)
        }
    }

    @Test("A delete without a revision is sent once", arguments: losses)
    func lostFolderDelete(_ loss: String) async throws {
        try await withStore { subject, server in
            _ = try await subject.store.makeFolder(at: "/d")
            server.resetStatistics()
            try server.addFault(Self.fault(loss, "files/delete_v2"))
            let error = await #expect(throws: RemoteError.self) {
                try await subject.store.delete("/d", revision: nil)
            }
            #expect(error?.isTransient == true)
            #expect(server.statistics["routes"]?["files/delete_v2"]?["requests"]?.integer == 1)
            await #expect(throws: RemoteError.notFound) {
                try await subject.store.delete("/d", revision: nil)
            }
        }
    }

    @Test(
        "A delete of a folder is sent once, so what others store in it after a fault stays",
        arguments: losses + ["rate_limited", "too_many_write_operations", "reset_before"])
    func folderDeletesAreNotRepeated(_ fault: String) async throws {
        try await withStore { subject, server in
            let folder = try await subject.store.makeFolder(at: "/d")
            server.resetStatistics()
            try server.addFault(Self.fault(fault, "files/delete_v2"))
            let error = await #expect(throws: RemoteError.self) {
                try await subject.store.delete(.init(path: "/d", id: folder.id), revision: nil)
            }
            #expect(error?.isTransient == true)
            #expect(server.statistics["routes"]?["files/delete_v2"]?["requests"]?.integer == 1)
        }
    }

    @Test("A move whose reply is lost succeeds for those who know the id", arguments: losses)
    func lostMove(_ loss: String) async throws {
        try await withStore { subject, server in
            let folder = try await subject.store.makeFolder(at: "/d")
            try server.addFault(Self.fault(loss, "files/move_v2"))
            let moved = try await subject.store.move(
                .init(path: "/d", id: folder.folder?.id), to: "/E")
            #expect(moved.name.string == "E")
            #expect(try await subject.paths() == ["/E/"])
        }
    }

    @Test("A copy whose reply is lost succeeds", arguments: losses)
    func lostCopy(_ loss: String) async throws {
        try await withStore { subject, server in
            let file = try await subject.put("/f", "text")
            try server.addFault(Self.fault(loss, "files/copy_v2"))
            let copy = try await subject.store.copy("/f", to: "/g").file
            #expect(copy.id != file.id)
            #expect(try await subject.paths() == ["/f", "/g"])
        }
    }

    // MARK: Names of errors

    static let names: [(JSONValue, RemoteError)] = [
        (["kind": "expired_token"], .unauthorized("")),
        (["kind": "invalid_token"], .unauthorized("")),
        (["kind": "missing_scope"], .forbidden("")),
        (["kind": "invalid_root"], .rootChanged),
        (["kind": "server_error"], .server("")),
        (["kind": "server_error", "status": 503], .server("")),
        (["kind": "reset_before"], .offline("")),
        (["kind": "reset_after"], .offline("")),
        (["kind": "non_json"], .malformed("")),
        (["kind": "broken_json"], .malformed("")),
        (["kind": "respond", "status": 400], .server("")),
        (["kind": "respond", "status": 404], .server("")),
        (["kind": "respond", "status": 418], .server("")),
        (["kind": "rate_limited", "retry_after": 3600], .rateLimited(retryAfter: 3600)),
        (["kind": "rate_limited_text", "retry_after": 1800], .rateLimited(retryAfter: 1800)),
    ]

    @Test("Faults of the server and the network have their names", arguments: 0..<names.count)
    func errorNames(_ index: Int) async throws {
        let (fault, expected) = Self.names[index]
        try await withStore { subject, server in
            try server.addFault(fault)
            let error = await #expect(throws: RemoteError.self) {
                try await subject.store.list(.root, recursive: true)
            }
            #expect(error?.name == expected.name)
        }
    }

    @Test("A cursor that the server has forgotten is reset")
    func cursorReset() async throws {
        try await withStore { subject, server in
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            try server.addFault(Self.fault("cursor_reset", "files/list_folder/continue"))
            await #expect(throws: RemoteError.cursorReset) {
                try await subject.store.list(after: cursor)
            }
            try server.addFault(Self.fault("cursor_reset", "files/list_folder/longpoll"))
            await #expect(throws: RemoteError.cursorReset) {
                try await subject.store.waitForChange(after: cursor, timeout: 30)
            }
        }
    }

    @Test("Empty pages and a passing failure do not disturb a listing")
    func emptyPages() async throws {
        try await withStore { subject, server in
            for name in 1...7 { try await subject.put(RemotePath(rawValue: "/f\(name)"), "x") }
            try server.updateSettings(["empty_pages": true])
            try server.addFault(Self.fault("server_error", "files/list_folder/continue", count: 3))
            let entries = try await subject.listing(.root, recursive: true).entries
            #expect(entries.count == 7)
        }
    }

    @Test("A download that breaks off or is another range is never given out as whole")
    func downloadFaults() async throws {
        try await withStore { subject, server in
            let file = try await subject.put("/f", bytes: pattern(200_000))
            let faults: [JSONValue] = [
                ["kind": "cut_body", "at": 100_000], ["kind": "cut_body", "at": 0],
                ["kind": "ignore_range"], ["kind": "wrong_content_range"],
            ]
            for fault in faults {
                try server.addFault(fault)
                await #expect(throws: RemoteError.self) {
                    try await subject.store.download(file.revision, range: 10..<150_000).collect()
                }
                server.removeFaults()
            }
        }
    }

    @Test("Hostile names in a listing are counted and left out")
    func hostileNames() async throws {
        try await withStore { subject, server in
            try await subject.put("/f", "x")
            try server.addFault(Self.fault("hostile_names", "files/list_folder"))
            let page = try await subject.store.list(.root, recursive: true)
            #expect(page.entries.map(\.foldedPath) == ["/f"])
            #expect(page.refusedCount == 6)
        }
    }

    // MARK: Moves right after an upload

    /// A clock that remembers how long it was slept on.
    private final class SleepLog: Sendable {
        let pauses = Mutex<[Duration]>([])
        let time = Mutex(ContinuousClock.now)

        var clock: StoreClock {
            StoreClock(
                now: { self.time.withLock { $0 } },
                sleep: { pause in self.pauses.withLock { $0.append(pause) } })
        }
    }

    private static let notFound: JSONValue = [
        ".tag": "from_lookup", "from_lookup": [".tag": "not_found"],
    ]

    @Test("A file that was uploaded a moment ago is looked for again")
    func recentlyUploaded() async throws {
        try await EmulatedAccount.withAccount { account in
            let log = SleepLog()
            let store = DropboxStore(client: account.client, log: silent, clock: log.clock)
            _ = try await store.upload(MemorySource(bytes), commit: .of("/New", bytes))
            try account.server.addFault(
                [
                    "kind": "route_error", "route": "files/move_v2", "count": 2,
                    "error": Self.notFound,
                ])
            _ = try await store.move("/new", to: "/moved")
            #expect(log.pauses.withLock { $0 } == Array(RecentUploads.pauses.prefix(2)))
        }
    }

    @Test("A file that is gone is not looked for longer than five seconds, an old one not at all")
    func boundedSearch() async throws {
        try await EmulatedAccount.withAccount { account in
            let log = SleepLog()
            let store = DropboxStore(client: account.client, log: silent, clock: log.clock)
            let entry = try await store.upload(MemorySource(bytes), commit: .of("/new", bytes))
            try await store.delete("/new", revision: try entry.file.revision)
            await #expect(throws: RemoteError.notFound) { try await store.move("/new", to: "/m") }
            #expect(log.pauses.withLock { $0 } == RecentUploads.pauses)
            #expect(RecentUploads.pauses.reduce(.zero, +) == .seconds(5))
            log.time.withLock { $0 += RecentUploads.span }
            await #expect(throws: RemoteError.notFound) { try await store.copy("/new", to: "/m") }
            #expect(log.pauses.withLock { $0 }.count == RecentUploads.pauses.count)
        }
    }

    // MARK: Roots, headers and counters

    @Test("Every call is made from the chosen root, quietly, and never renames by itself")
    func arguments() async throws {
        let transport = ScriptedTransport(json: fileJSON())
        let store = transport.store(root: .namespace("77"), prefix: "/Base")
        _ = try? await store.upload(
            MemorySource(bytes),
            commit: .of("/f", bytes, expecting: .revision(Revision("aaaaaaaaa"))))
        let request = try #require(transport.requests.first)
        #expect(
            request.headers["Dropbox-API-Path-Root"]
                == "{\".tag\":\"namespace_id\",\"namespace_id\":\"77\"}")
        let argument = try #require(request.headers["Dropbox-API-Arg"])
        for part in [
            "\"mute\":true", "\"strict_conflict\":true",
            "\"path\":\"/base/f\"", "\"update\":\"aaaaaaaaa\"",
            "\"content_hash\":\"\(ContentHasher.hash(bytes).hex)\"",
            "\"client_modified\":\"2020-09-13T12:26:40Z\"",
        ] {
            #expect(argument.contains(part), "\(part) in \(argument)")
        }
        // An absent field is false.
        #expect(!argument.contains("autorename"))
    }

    @Test("The client's observer counts requests by route, and bytes both ways")
    func counters() async throws {
        try await EmulatedAccount.withAccount { account in
            let subject = Subject(
                store: DropboxStore(client: account.client, log: silent),
                account: .emulator(account))
            let file = try await subject.put("/f", bytes: pattern(100_000))
            _ = try await subject.read(file)
            let totals = account.traffic.totals
            #expect(totals.requests["files/upload"] == 1)
            #expect(totals.requests["files/download"] == 1)
            #expect(totals.bytesUp >= 100_000)
            #expect(totals.bytesDown >= 100_000)
        }
    }
}

extension RemoteError {
    /// The case without its text.
    fileprivate var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
