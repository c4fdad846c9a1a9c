// A queue over an emulated account, that can be opened again and again, and the local files of its
// transfers.

import DropboxAPI
import Foundation
import Synchronization

@testable import DropboxTransfers

struct TransferBench: Sendable {
    /// The time that queues take for the present.
    static let now: Int64 = 1_700_000_000

    let transport: ScriptedTransport
    let recordFolder: String
    private let client: DropboxClient
    private let files: String
    private let settings: TransferSettings

    init(
        _ account: TestAccount, pieceSize: Int = 8 << 20, concurrency: Int = 3,
        policy: RetryPolicy = .impatient,
        tokens: any AccessTokenProvider = FixedAccessToken(AccessToken("token")),
        _ script: @escaping @Sendable (TransportRequest, Int) -> ScriptedTransport.Action = {
            _, _ in
            .pass
        },
        sleep: @escaping @Sendable () async -> Void = {}
    ) throws {
        let name = UUID().uuidString
        recordFolder = account.folder + "/record-" + name
        files = account.folder + "/files-" + name + "/"
        try FileManager.default.createDirectory(
            atPath: files, withIntermediateDirectories: true)
        var client: DropboxClient
        (transport, client) = try account.scripted(policy: policy, tokens: tokens, script)
        client.clock = CallClock(
            sleep: { _ in
                await sleep()
                try Task.checkCancellation()
                await Task.yield()
            }, random: { 0 })
        self.client = client
        settings = TransferSettings(pieceSize: pieceSize, concurrency: concurrency)
    }

    func open(
        now: Int64 = TransferBench.now,
        _ checkpoint: @escaping @Sendable (String) async -> Void = { _ in }
    ) throws -> TransferQueue {
        var settings = settings
        settings.checkpoint = checkpoint
        settings.now = { now }
        return try TransferQueue.open(folder: recordFolder, client: client, settings: settings)
    }

    // MARK: Local files

    func path(_ name: String) -> String { files + name }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// The part files of unfinished downloads.
    var leftovers: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: files)
        return names?.filter { $0.hasSuffix(".part") } ?? []
    }
}

extension TransferQueue {
    /// Waits until a transfer is suspended, and returns why; nil if it ended instead.
    func suspension(of id: Transfer.ID) async -> String? {
        for await transfer in updates(of: id) {
            if case .suspended(let reason) = transfer.state { return reason }
        }
        return nil
    }

    /// Waits until a transfer has ended.
    func end(of id: Transfer.ID) async throws -> Transfer {
        var last: Transfer?
        for await transfer in updates(of: id) { last = transfer }
        guard let last else { throw TransferQueueError.unknownTransfer }
        return last
    }
}

extension Transfer {
    var isStored: Bool { if case .stored = state { true } else { false } }

    var failure: TransferFailure? {
        if case .failed(let failure) = state { failure } else { nil }
    }
}
