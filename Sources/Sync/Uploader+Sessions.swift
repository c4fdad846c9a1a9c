// How the content of a big file travels: in pieces, some at once, into a session that becomes the file.
// What has arrived is noted, so that a later run goes on from there.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

/// The pieces of a content: all but the last are multiples of 4 MiB, as concurrent sessions want them.
struct PieceLayout: Hashable, Sendable {
    /// Bytes of a piece: rclone's measurements give 16 MiB nearly three quarters of the throughput of the
    /// largest piece, at an eighth of the memory.
    static let pieceSize = 4 * blockSize
    private static let blockSize = Int64(ContentHasher.blockSize)

    /// What may travel at once.
    var parallel: [Range<Int64>] = []
    /// What closes the session, when all else has arrived: a block at most, because it travels alone.
    var last: Range<Int64>

    /// Lays out a content of so many bytes, one at least.
    init(size: Int64) {
        let end = (size - 1) / Self.blockSize * Self.blockSize
        parallel = stride(from: 0, to: end, by: Int(Self.pieceSize)).map {
            $0..<min($0 + Self.pieceSize, end)
        }
        last = end..<size
    }

    var all: [Range<Int64>] { parallel + [last] }
}

extension Uploader {
    /// Pieces of one file on their way at once.
    private static let concurrentPieces = 4
    /// The same where bytes of the base are held in memory.
    private static let concurrentFetchedPieces = 2
    /// Seconds after which a session is not trusted any more: the server keeps them for seven days.
    private static let longestUse = 6.0 * 86_400

    /// Sends a content through a session and commits it.
    func sendBig(_ file: StagedFile, _ upload: ContentUpload) async throws(RemoteError) {
        do throws(RemoteError) {
            try await sendByWayOfSession(file, upload)
        } catch {
            if error.endsSession {
                let inode = file.inode
                await attempt {
                    try await self.environment.store.write { try $0.forgetUpload(of: inode) }
                }
            }
            throw error
        }
    }

    private func sendByWayOfSession(
        _ file: StagedFile, _ upload: ContentUpload
    ) async throws(RemoteError) {
        let size = upload.staged.size
        let layout = PieceLayout(size: size)
        let partial = try await session(for: file, upload, layout)
        var digests = partial.pieces
        environment.state.update { status in
            let arrived = layout.all.filter { digests[$0.lowerBound] != nil }
            status.uploads[file.inode]?.sent = arrived.reduce(0) { $0 + Int64($1.count) }
        }
        let missing = layout.parallel.filter { digests[$0.lowerBound] == nil }
        digests.merge(try await sendPieces(missing, of: file, upload, partial)) { $1 }
        if digests[layout.last.lowerBound] == nil {
            digests[layout.last.lowerBound] = try await sendPiece(
                layout.last, of: file, upload, partial, closes: true)
        }
        let hash = ContentHash(blockDigests: layout.all.flatMap { digests[$0.lowerBound] ?? [] })
        try await noteHash(hash, of: file, upload)
        try await environment.gate.commit { () async throws(RemoteError) in
            let sent = try await note(
                Attempt(inode: file.inode, step: .upload(upload), hash: hash))
            let entry = try await environment.remote.finishUpload(
                partial.remote, size: size, commit: commit(upload, hash))
            await record { recorder in
                try recorder.arrived(sent)
                try recorder.stored(upload, for: file.inode, entry)
            }
        }
    }

    /// The session of an earlier run, if it holds pieces of this very content, or a new one.
    private func session(
        for file: StagedFile, _ upload: ContentUpload, _ layout: PieceLayout
    ) async throws(RemoteError) -> PartialUpload {
        let store = environment.store
        let staged = upload.staged
        let inode = file.inode
        let now = environment.clock.now()
        let oldest = now.adding(seconds: -Self.longestUse)
        let known = try await local { () -> PartialUpload? in
            guard let known = try store.read({ try $0.partialUpload(of: inode) }),
                known.file == staged.file, known.generation == staged.generation,
                known.size == staged.size, known.begun > oldest
            else { return nil }
            // A crash may have taken bytes from the local file that were sent before.
            for piece in layout.all {
                guard let digests = known.pieces[piece.lowerBound] else { continue }
                guard try file.agrees(with: digests, of: piece) else { return nil }
            }
            return known
        }
        if let known { return known }
        let session = try await environment.remote.startUpload(concurrent: true)
        let fresh = PartialUpload(
            session: session.id, file: staged.file, generation: staged.generation,
            size: staged.size, begun: now)
        try await local { try store.write { try $0.beginUpload(fresh, of: inode) } }
        return fresh
    }

    /// Sends pieces, a few at once; returns the digests of their blocks by their first byte.
    private func sendPieces(
        _ pieces: [Range<Int64>], of file: StagedFile, _ upload: ContentUpload,
        _ partial: PartialUpload
    ) async throws(RemoteError) -> [Int64: [ContentHash]] {
        let outcome = await withTaskGroup(of: (Int64, RemoteOutcome<[ContentHash]>).self) { group in
            var waiting = pieces[...]
            func startNext() {
                guard let piece = waiting.popFirst() else { return }
                group.addTask {
                    do throws(RemoteError) {
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
            var failure: RemoteError?
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
            return failure.map { RemoteOutcome.failure($0) } ?? .success(sent)
        }
        return try outcome.get()
    }

    private func sendPiece(
        _ range: Range<Int64>, of file: StagedFile, _ upload: ContentUpload,
        _ partial: PartialUpload, closes: Bool
    ) async throws(RemoteError) -> [ContentHash] {
        guard file.generation == upload.staged.generation else { throw .cancelled }
        let source = try await source(of: range, in: file, upload)
        let digests = try await local { try source.blockDigests(of: range) }
        try await environment.remote.append(
            source, range: range, to: partial.remote, closes: closes)
        let store = environment.store
        try await local {
            try store.write { transaction in
                try transaction.notePiece(
                    at: range.lowerBound, digests: digests, session: partial.session,
                    of: file.inode)
            }
        }
        environment.state.update {
            $0.uploads[file.inode]?.sent += Int64(range.count)
        }
        return digests
    }
}

extension Uploader {
    /// A piece's bytes, with those of the base that the staging file does not have.
    private func source(
        of piece: Range<Int64>, in file: StagedFile, _ upload: ContentUpload
    ) async throws(RemoteError) -> StagedSource {
        var fetched: [Int64: [UInt8]] = [:]
        for range in file.missingRanges(in: piece) {
            guard let base = upload.staged.base else { break }
            fetched[range.lowerBound] = try await baseBytes(base, range)
        }
        return StagedSource(file: file, size: upload.staged.size, fetched: fetched)
    }
}

extension PartialUpload {
    fileprivate var remote: UploadSession { UploadSession(id: session, isConcurrent: true) }
}

extension RemoteError {
    /// Whether a session that was refused with it is of no use any more.
    fileprivate var endsSession: Bool {
        self == .sessionLost || self == .contentMismatch
    }
}

/// Content in a staging file, and blocks of its base that are not in there.
struct StagedSource: UploadSource {
    let file: StagedFile
    let size: Int64
    /// By the block's first byte. Behind the end of these bytes, a block is zeros.
    var fetched: [Int64: [UInt8]] = [:]

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let end = min(offset.addingClamped(Int64(buffer.count)), size)
        var position = offset
        while position < end {
            let block = position / StagedFile.blockSize * StagedFile.blockSize
            let upper = min(block + StagedFile.blockSize, end)
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[Int(position - offset)..<Int(upper - offset)])
            if let bytes = fetched[block] {
                part.initializeMemory(as: UInt8.self, repeating: 0)
                part.copyBytes(from: bytes.dropFirst(Int(position - block)).prefix(part.count))
            } else {
                _ = try file.readForUpload(at: position, into: part)
            }
            position = upper
        }
        return Int(max(0, end - offset))
    }

    /// The digests of the blocks in a range that begins at a block's start.
    func blockDigests(of range: Range<Int64>) throws -> [ContentHash] {
        var digests: [ContentHash] = []
        var buffer = [UInt8](repeating: 0, count: min(range.count, ContentHasher.blockSize))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: buffer.count) {
            let count = min(buffer.count, Int(range.upperBound - start))
            let digest = try buffer.withUnsafeMutableBytes { bytes in
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count))
                _ = try read(at: start, into: part)
                return ContentHasher.blockDigest(UnsafeRawBufferPointer(part))
            }
            digests.append(digest)
        }
        return digests
    }
}

extension StagedFile {
    /// Whether blocks that were sent are what the staging file has. What it takes from the base cannot
    /// have changed.
    fileprivate func agrees(
        with digests: [ContentHash], of piece: Range<Int64>
    ) throws -> Bool {
        let elsewhere = Set(missingRanges(in: piece).map(\.lowerBound))
        let source = StagedSource(file: self, size: piece.upperBound)
        let starts = stride(
            from: piece.lowerBound, to: piece.upperBound, by: ContentHasher.blockSize)
        for (start, digest) in zip(starts, digests) where !elsewhere.contains(start) {
            let block = start..<min(start + Self.blockSize, piece.upperBound)
            guard try source.blockDigests(of: block) == [digest] else { return false }
        }
        return true
    }
}
