// Upload sessions: the content of a big file is sent in concurrent pieces. Received pieces are
// recorded, so that a later run continues from there.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Tree

/// Sends contents through upload sessions.
struct SessionSender: Sendable {
    let account: SyncedAccount

    /// Concurrent pieces of one file.
    static let concurrentPieces = 4
    /// The same if blocks of the base are held in memory.
    private static let concurrentFetchedPieces = 2
    /// Seconds after which a session is no longer used: six days, of the server's seven.
    private static let longestUse = 518_400.0

    /// Sends a content through a session and commits it.
    func send(_ file: StagedFile, _ upload: ContentUpload) async throws(SyncError) {
        try await forgettingLostSession(of: file) { () async throws(SyncError) in
            try await sendByWayOfSession(file, upload)
        }
    }

    /// Runs requests of a session; after a failure that ends the session, drops it.
    func forgettingLostSession(
        of file: StagedFile, _ body: () async throws(SyncError) -> Void
    ) async throws(SyncError) {
        do throws(SyncError) {
            try await body()
        } catch {
            if error.endsSession {
                await account.local.attempt {
                    try await self.account.store.write { try $0.forgetUpload(of: file.inode) }
                }
            }
            throw error
        }
    }

    private func sendByWayOfSession(
        _ file: StagedFile, _ upload: ContentUpload
    ) async throws(SyncError) {
        let size = upload.staged.size
        guard let layout = PieceLayout(size: size) else { throw .remote(.tooLarge) }
        let partial = try await session(for: file, layout)
        var digests = partial.pieces
        account.state.update { status in
            let arrived = layout.all.filter { digests[$0.lowerBound] != nil }
            status.uploads[file.inode]?.acknowledged = arrived.reduce(0) {
                $0 +| Int64(clamping: $1.count)
            }
        }
        let missing = layout.parallel.filter { digests[$0.lowerBound] == nil }
        digests.merge(try await sendPieces(missing, of: file, upload, partial)) { $1 }
        if digests[layout.last.lowerBound] == nil {
            let store = account.store
            try await account.local.run {
                try store.write {
                    try $0.noteClosing(at: size, session: partial.session, of: file.inode)
                }
            }
            digests[layout.last.lowerBound] = try await sendPiece(
                layout.last, of: file, upload, partial, closes: true)
        }
        let hash = ContentHash(blockDigests: layout.all.flatMap { digests[$0.lowerBound] ?? [] })
        try await commit(partial.remote, of: file, upload, hash)
    }

    /// Stores the content of a closed session, whose hash is known by now.
    private func commit(
        _ session: UploadSession, of file: StagedFile, _ upload: ContentUpload, _ hash: ContentHash
    ) async throws(SyncError) {
        let size = upload.staged.size
        let upload = try await HashNotes(account: account).note(hash, of: file, upload)
        try await account.gate.commit { () async throws(SyncError) in
            let sent = try await account.intents.note(
                UploadIntent(inode: file.inode, step: .upload(upload), hash: hash), of: file)
            try await account.intents.forgettingRefusal(of: sent) { () async throws(SyncError) in
                let entry = try await fromServer(
                    await account.remote.finishUpload(
                        session, size: size, commit: upload.commit(hash)))
                await account.recorder.record { recorder in
                    try recorder.endIntent(sent)
                    try recorder.stored(upload, for: file.inode, entry)
                }
            }
        }
    }

    /// The session of an earlier run, if its pieces are of this very content, or a new one. Without
    /// a layout, the content is still being written.
    func session(
        for file: StagedFile, _ layout: PieceLayout?
    ) async throws(SyncError) -> PartialUpload {
        let store = account.store
        let inode = file.inode
        let now = account.clock.date()
        let oldest = now.adding(seconds: 0.0 - Self.longestUse)
        let known = try await account.local.run { () -> PartialUpload? in
            guard let known = try store.read({ try $0.partialUpload(of: inode) }),
                known.file == file.number, known.begun > oldest
            else { return nil }
            return try file.canGoOn(with: known, layout) ? known : nil
        }
        if let known { return known }
        let session = try await fromServer(await account.remote.startUpload(concurrent: true))
        let fresh = PartialUpload(session: session.id, file: file.number, begun: now)
        let isBegun = try await account.local.run {
            try store.write { try $0.beginUpload(fresh, of: inode) }
        }
        guard isBegun else { throw .cancelled }
        return fresh
    }

    /// Sends pieces, several at once; returns the digests of their blocks by their first byte.
    private func sendPieces(
        _ pieces: [Range<Int64>], of file: StagedFile, _ upload: ContentUpload,
        _ partial: PartialUpload
    ) async throws(SyncError) -> [Int64: [ContentHash]] {
        let outcome = await withTaskGroup(of: (Int64, SyncOutcome<[ContentHash]>).self) { group in
            var waiting = pieces[...]
            func startNext() {
                guard let piece = waiting.popFirst() else { return }
                group.addTask {
                    do throws(SyncError) {
                        let digests = try await self.sendPiece(
                            piece, of: file, upload, partial, closes: false)
                        return (piece.lowerBound, .success(digests))
                    } catch {
                        return (piece.lowerBound, .failure(error))
                    }
                }
            }
            let isWhole = file.missingRanges.isEmpty
            for _ in 0..<(isWhole ? Self.concurrentPieces : Self.concurrentFetchedPieces) {
                startNext()
            }
            var sent: [Int64: [ContentHash]] = [:]
            var failure: SyncError?
            for await (start, result) in group {
                switch result {
                case .success(let digests):
                    sent[start] = digests
                    if failure == nil { startNext() }
                case .failure(let error):
                    // The first failure is the cause; those after it are its cancellations.
                    failure = failure ?? error
                    group.cancelAll()
                }
            }
            return failure.map { SyncOutcome.failure($0) } ?? .success(sent)
        }
        return try outcome.get()
    }

    private func sendPiece(
        _ range: Range<Int64>, of file: StagedFile, _ upload: ContentUpload,
        _ partial: PartialUpload, closes: Bool
    ) async throws(SyncError) -> [ContentHash] {
        // First, so that a change while the base's blocks are fetched is noted as one of the piece.
        // Stops for a file that was deleted, replaced or made local-only since.
        guard file.beginSending(range, session: partial.session),
            file.generation == upload.staged.generation,
            try await account.path(of: file) != nil
        else { throw .cancelled }
        let source = try await StagedSource(of: range, in: file, upload, account)
        return try await sendPiece(range, of: source, partial, closes: closes)
    }

    /// Sends a piece and records it; returns the digests of its blocks.
    @discardableResult
    func sendPiece(
        _ range: Range<Int64>, of source: StagedSource, _ partial: PartialUpload, closes: Bool
    ) async throws(SyncError) -> [ContentHash] {
        let file = source.file
        guard file.beginSending(range, session: partial.session) else { throw .cancelled }
        let digests = try await account.local.run { try source.blockDigests(of: range) }
        do throws(SyncError) {
            try await fromServer(
                await account.remote.append(
                    account.tracking(source, piece: range, of: file.inode), range: range,
                    to: partial.remote, closes: closes))
        } catch {
            // A pause ends the request; the session keeps the other pieces.
            throw account.state.current.isPaused ? .cancelled : error
        }
        let store = account.store
        try await account.local.run {
            try store.write { transaction in
                try transaction.notePiece(
                    at: range.lowerBound, digests: digests, session: partial.session,
                    of: file.inode)
            }
        }
        account.state.update { $0.uploads[file.inode]?.noteArrival(of: range) }
        return digests
    }
}

extension PartialUpload {
    fileprivate var remote: UploadSession { UploadSession(id: session, isConcurrent: true) }
}

extension SyncError {
    /// Whether the refused session is no longer usable.
    fileprivate var endsSession: Bool {
        self == .remote(.sessionLost) || self == .remote(.contentMismatch)
    }
}

/// Content in a staging file, with fetched blocks of its base.
struct StagedSource: UploadSource {
    let file: StagedFile
    let size: Int64
    /// By the block's first byte. Behind the end of these bytes, a block is zeros.
    private var fetched: [Int64: [UInt8]]

    init(file: StagedFile, size: Int64, fetched: [Int64: [UInt8]] = [:]) {
        self.file = file
        self.size = size
        self.fetched = fetched
    }

    /// The bytes of a range, with the blocks of the base that the staging file lacks.
    init(
        of range: Range<Int64>, in file: StagedFile, _ upload: ContentUpload,
        _ account: SyncedAccount
    ) async throws(SyncError) {
        self.init(file: file, size: upload.staged.size)
        for missing in file.missingRanges(in: range) {
            guard let base = upload.staged.base else { break }
            fetched[missing.lowerBound] = try await BaseContent(account: account).neededBytes(
                base, missing)
        }
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let end = min(offset +| Int64(clamping: buffer.count), size)
        var position = offset
        while position < end {
            let block = position / StagedFile.blockSize *| StagedFile.blockSize
            let upper = min(block +| StagedFile.blockSize, end)
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[
                    Int(clamping: position -| offset) ..<| Int(clamping: upper -| offset)])
            if let bytes = fetched[block] {
                part.initializeMemory(as: UInt8.self, repeating: 0)
                let rest = bytes.dropFirst(clamping: Int(clamping: position -| block))
                part.copyBytes(from: rest.prefix(part.count))
            } else {
                try file.readForUpload(at: position, into: part)
            }
            position = upper
        }
        return Int(clamping: max(0, end -| offset))
    }

    /// The digests of the blocks in a range that begins at a block's start.
    func blockDigests(of range: Range<Int64>) throws -> [ContentHash] {
        try stride(from: range.lowerBound, to: range.upperBound, by: ContentHasher.blockSize).map {
            start in
            let size = min(ContentHasher.blockSize, Int(clamping: range.upperBound -| start))
            return try ContentHasher.blockDigest(size: size) { offset, part in
                _ = try read(at: start +| Int64(clamping: offset), into: part)
            }
        }
    }
}

extension StagedFile {
    /// Whether a session's pieces are pieces of this content and layout.
    fileprivate func canGoOn(with known: PartialUpload, _ layout: PieceLayout?) throws -> Bool {
        guard let layout else { return known.size == nil && agrees(with: known.session) == true }
        let closing = known.pieces[layout.last.lowerBound]
        // Before the session is about to be closed, what the server has there is a part of a piece.
        guard known.size.map({ $0 == layout.last.upperBound }) ?? (closing == nil),
            layout.holds(known.pieces)
        else { return false }
        if let agrees = agrees(with: known.session) { return agrees }
        // The server may have got other bytes there, by a request whose response was lost.
        if known.size != nil, closing == nil { return false }
        var isEqual = false
        // Pieces that were not compared must not count as those of the session.
        defer { if !isEqual { endSending() } }
        // A crash may have lost bytes of the local file that were sent before.
        for piece in layout.all {
            guard let digests = known.pieces[piece.lowerBound] else { continue }
            guard beginSending(piece, session: known.session), try agrees(with: digests, of: piece)
            else { return false }
        }
        isEqual = true
        return true
    }

    /// Whether sent blocks equal those of the staging file. Blocks that are wholly the base's
    /// cannot have changed: another base ends the session (`StagedFile.persist`).
    private func agrees(
        with digests: [ContentHash], of piece: Range<Int64>
    ) throws -> Bool {
        let elsewhere = Set(
            missingRanges(in: piece).filter {
                $0.upperBound == min($0.lowerBound +| Self.blockSize, piece.upperBound)
            }.map(\.lowerBound))
        let source = StagedSource(file: self, size: piece.upperBound)
        let starts = stride(
            from: piece.lowerBound, to: piece.upperBound, by: ContentHasher.blockSize)
        for (start, digest) in zip(starts, digests) where !elsewhere.contains(start) {
            let block = start..<min(start +| Self.blockSize, piece.upperBound)
            guard try source.blockDigests(of: block) == [digest] else { return false }
        }
        return true
    }
}
