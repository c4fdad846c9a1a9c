// Streaming upload: big files that are written sequentially are sent while they are written. At the
// last byte, most of them is on the server, in a session that only lacks its last pieces. If the
// file is deleted, or its beginning is rewritten, the session is left to expire.

import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Synchronization

/// Nodes whose content has grown by a piece since the last pass.
final class GrownFiles: Sendable {
    /// Lock: a leaf; no other lock is taken under it.
    private let inodes = Mutex<Set<InodeID>>([])

    func add(_ inode: InodeID) {
        inodes.withLock { _ = $0.insert(inode) }
    }

    func take() -> Set<InodeID> {
        inodes.withLock { inodes in
            defer { inodes = [] }
            return inodes
        }
    }
}

/// The streaming uploads under way, by their inodes.
actor StreamingUploads {
    /// Number of streaming uploads at once.
    private static let limit = 2

    private let account: SyncedAccount
    private let sessions: SessionSender
    private let pause: UploadPause
    private let grown = GrownFiles()
    /// The files that are sent, and the tasks that wait for the end of each.
    private var waiters: [InodeID: [CheckedContinuation<Void, Never>]] = [:]

    init(account: SyncedAccount, sessions: SessionSender, pause: UploadPause) {
        self.account = account
        self.sessions = sessions
        self.pause = pause
    }

    /// Notes that a file's content has grown by a piece.
    nonisolated func noteGrowth(of inode: InodeID) {
        grown.add(inode)
    }

    /// Chooses grown files to be sent now, of those that are not in flight. `send` must be called
    /// with each.
    func begin(besides inFlight: Set<InodeID>) -> [InodeID] {
        var chosen: [InodeID] = []
        for inode in grown.take() where waiters.count < Self.limit && maySend {
            guard waiters[inode] == nil, !inFlight.contains(inode) else { continue }
            waiters[inode] = []
            chosen.append(inode)
        }
        return chosen
    }

    private var maySend: Bool {
        let status = account.state.current
        return status.connection == .online && !status.isQuotaExceeded && !status.isPaused
            && !pause.isActive(at: account.clock.now())
    }

    /// Waits for the end of a file's streaming upload.
    func wait(for inode: InodeID) async {
        guard waiters[inode] != nil else { return }
        await withCheckedContinuation { waiters[inode]?.append($0) }
    }

    /// Sends a chosen file.
    func send(_ inode: InodeID) async {
        do throws(SyncError) {
            try await sendPieces(of: inode)
        } catch {
            // The file's own step will meet the same problem and handle it.
            account.log.debug(
                "pieces were not sent ahead", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
        for waiter in waiters.removeValue(forKey: inode) ?? [] {
            waiter.resume()
        }
    }

    private func sendPieces(of inode: InodeID) async throws(SyncError) {
        let staging = account.staging
        guard let file = try await account.local.run({ try staging.existing(inode) }),
            file.nextPieceAhead != nil, let path = try await account.path(of: file)
        else { return }
        try await sessions.forgettingLostSession(of: file) { () async throws(SyncError) in
            let partial = try await sessions.session(for: file, nil)
            account.state.update { status in
                let sent = partial.pieces.values.reduce(0) { $0 +| Int64(clamping: $1.count) }
                status.uploads[inode] = SyncStatus.Upload(
                    path: path, size: file.size, acknowledged: sent *| StagedFile.blockSize,
                    isGrowing: true)
            }
            defer { account.state.update { $0.uploads[inode] = nil } }
            try await sendPieces(of: file, partial)
        }
    }

    private func sendPieces(
        of file: StagedFile, _ partial: PartialUpload
    ) async throws(SyncError) {
        let outcome = await withTaskGroup(of: SyncOutcome<Void>.self) { group in
            var running = 0
            var failure: SyncError?
            while true {
                while running < SessionSender.concurrentPieces, failure == nil, isWanted(file),
                    let piece = file.nextPieceAhead,
                    file.beginSending(piece, session: partial.session)
                {
                    running +|= 1
                    group.addTask {
                        do throws(SyncError) {
                            try await self.send(piece, of: file, partial)
                            return .success(())
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                guard let result = await group.next() else { break }
                running = running -| 1
                if case .failure(let error) = result { failure = failure ?? error }
            }
            return failure.map { SyncOutcome.failure($0) } ?? .success(())
        }
        try outcome.get()
    }

    /// Whether to continue: the file's own step must not wait for more.
    private func isWanted(_ file: StagedFile) -> Bool {
        maySend && waiters[file.inode]?.isEmpty ?? false && !Task.isCancelled
    }

    private func send(
        _ piece: Range<Int64>, of file: StagedFile, _ partial: PartialUpload
    ) async throws(SyncError) {
        guard try await account.path(of: file) != nil else { throw .cancelled }
        let source = StagedSource(file: file, size: piece.upperBound)
        try await sessions.sendPiece(piece, of: source, partial, closes: false)
    }
}

extension SyncedAccount {
    /// The remote path of a file; nil if it is no longer to be sent.
    func path(of file: StagedFile) async throws(SyncError) -> String? {
        try await local.run { [store] in
            try store.read { snapshot in
                guard let node = try snapshot.node(file.inode), let place = node.place,
                    !node.flags.contains(.localOnly), node.staged?.file == file.number
                else { return nil }
                let parent = try snapshot.remotePath(of: place.parent) ?? ""
                return RemotePath(rawValue: parent).appending(place.name).description
            }
        }
    }
}
