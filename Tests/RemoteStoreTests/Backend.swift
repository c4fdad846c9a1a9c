// The stores that the contract holds for, each with an account of its own, and what a test can make
// happen to that account.

import Core
import DropboxAPI
import DropboxEmulator
import Foundation
import Logging
import RemoteStore
import RemoteStoreTesting
import Testing

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Which store is under test.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
    case memory
    case faultInjecting
    /// The reference of a service that takes no ids in changes.
    case memoryWithoutIDs
    /// Dropbox's API, served by the emulator.
    case dropbox
    /// The same, for a mount of one folder of an account.
    case dropboxFolder
    /// Dropbox's API, after it has refused an id in a change.
    case dropboxWithoutIDs

    var testDescription: String { rawValue }

    /// Runs a test with an empty account.
    func withStore(_ body: (Subject) async throws -> Void) async throws {
        switch self {
        case .memory:
            let store = InMemoryStore(pageSize: Subject.pageSize)
            try await body(Subject(store: store, account: .memory(store)))
        case .faultInjecting:
            let store = InMemoryStore(pageSize: Subject.pageSize)
            try await body(
                Subject(store: FaultInjectingStore(store), account: .memory(store)))
        case .memoryWithoutIDs:
            let store = InMemoryStore(pageSize: Subject.pageSize, refusesIDs: true)
            try await body(Subject(store: store, account: .memory(store)))
        case .dropboxWithoutIDs:
            try await EmulatedAccount.withAccount { account in
                let store = DropboxStore(client: account.client, log: silent)
                try await account.refuseIDs(in: store)
                try await body(Subject(store: store, account: .emulator(account)))
            }
        case .dropbox:
            try await EmulatedAccount.withAccount { account in
                let store = DropboxStore(client: account.client, log: silent)
                try await body(Subject(store: store, account: .emulator(account)))
            }
        case .dropboxFolder:
            try await EmulatedAccount.withAccount { account in
                let folder = RemotePath(rawValue: "/Ärzte/Team Folder")
                let whole = DropboxStore(client: account.client, log: silent)
                _ = try await whole.makeFolder(at: folder)
                _ = try await whole.makeFolder(at: RemotePath(rawValue: "/ärzte/team folders"))
                let store = DropboxStore(client: account.client, prefix: folder, log: silent)
                try await body(Subject(store: store, account: .emulator(account)))
            }
        }
    }
}

/// A store and the account behind it.
struct Subject: Sendable {
    /// Entries per page: few, so that every listing of a test has several pages.
    static let pageSize = 3

    enum Account: Sendable {
        case memory(InMemoryStore)
        case emulator(EmulatedAccount)
    }

    let store: any RemoteStoring
    let account: Account

    func resetCursors() throws {
        switch account {
        case .memory(let store): store.resetCursors()
        case .emulator(let account): try account.server.resetCursors()
        }
    }

    func setQuota(_ bytes: Int64) throws {
        switch account {
        case .memory(let store): store.setQuota(bytes)
        case .emulator(let account): try account.server.setQuota(bytes)
        }
    }

    func setMoveLimit(_ entries: Int) throws {
        switch account {
        case .memory(let store): store.setMoveLimit(entries)
        case .emulator(let account): try account.server.setRelocationLimit(entries)
        }
    }

    /// Waits for a change whose time is over without one.
    func waitInVain(after cursor: Core.Cursor) async throws -> RemoteChange {
        switch account {
        case .memory(let memory):
            async let change = store.waitForChange(after: cursor, timeout: 30)
            while memory.waiterCount == 0 { await Task.yield() }
            memory.expireWaits()
            return try await change
        case .emulator(let account):
            try account.server.updateSettings(["longpoll_timeout_ms": 1])
            return try await store.waitForChange(after: cursor, timeout: 30)
        }
    }
}

/// An account on an emulator in this process, and a client of it.
struct EmulatedAccount: Sendable {
    let server: RunningEmulator
    let client: DropboxClient
    let traffic: TrafficCounter

    /// Has the server refuse the id in a store's next change, which then goes by path, as do all
    /// after it.
    func refuseIDs(in store: DropboxStore) async throws {
        try server.addFault([
            "kind": "route_error", "route": "files/move_v2", "count": 1,
            "error": [".tag": "from_lookup", "from_lookup": [".tag": "malformed_path"]],
        ])
        await #expect(throws: RemoteError.notFound) {
            try await store.move(
                RemoteReference(path: "/absent", id: FileID("id:absent")), to: "/elsewhere")
        }
        server.resetStatistics()
    }

    /// Runs a test with a store over an account that is gone after it.
    static func withStore(
        _ body: (DropboxStore, EmulatedAccount) async throws -> Void
    ) async throws {
        try await withAccount { account in
            try await body(DropboxStore(client: account.client, log: silent), account)
        }
    }

    /// Runs a test with an account that is gone after it.
    static func withAccount(
        change: (inout DropboxConfiguration) -> Void = { _ in },
        _ body: (EmulatedAccount) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("remote-store-tests-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await EmulatorServer(
            configuration: EmulatorConfiguration(
                stateFolder: folder, tokens: ["token"], logger: silent)
        ).start()
        try server.updateSettings(["page_size": .integer(Int64(Subject.pageSize))])
        let traffic = TrafficCounter()
        var configuration = DropboxConfiguration(
            hosts: try DropboxHosts(endpoint: server.baseURL), observers: [traffic])
        // Pauses between attempts are the client's business, and tested there.
        configuration.retryPolicy = RetryPolicy(
            firstFaultDelay: .zero, longestFaultDelay: .zero, firstContentionDelay: .zero,
            longestContentionDelay: .zero)
        change(&configuration)
        let client = try DropboxClient(
            configuration: configuration, tokens: FixedAccessToken(AccessToken("token")),
            logger: silent)
        do {
            try await body(
                EmulatedAccount(server: server, client: client, traffic: traffic))
        } catch {
            await client.shutDown()
            await server.stop()
            throw error
        }
        await client.shutDown()
        await server.stop()
    }
}
