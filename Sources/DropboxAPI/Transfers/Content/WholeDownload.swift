// One file of any size to one local path: pieces of one revision, several at once, into a part file
// beside the target, which gets its name when all bytes are on the disk and their hash is right.
// The part file of a transfer that ended early stays, and the next one of the same revision goes on
// behind its last whole block. A part file that no next one would find does not stay.
//
// Not responsible for what outlives the process with its queue: DropboxTransfers.

import Blocking
import ContentHashing
public import Essentials
import LocalFiles
import Saturating

extension Files.Calls {
    /// Downloads a file of any size to a local path.
    ///
    /// All bytes are of one revision, and their hash is the server's; then, in one step, the file
    /// is there. An existing one is replaced only with `overwrite`. Cancelling the task ends the
    /// transfer, and what came so far is kept in a hidden `.part` file beside the target for the
    /// next attempt.
    ///
    ///     let file = try await client.files.download(
    ///         "/big.iso", to: "/data/big.iso", options: .progress { print($0.fraction ?? 0) })
    @discardableResult
    public func download(
        _ path: String, to file: String, overwrite: Bool = false,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata {
        let download = WholeDownload(
            calls: self, path: path, target: file, overwrite: overwrite, options: options)
        return try await download.run()
    }

    /// Downloads a file of any size to a local path.
    @discardableResult
    public func download(
        _ path: String, to file: URL, overwrite: Bool = false,
        options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> Files.FileMetadata {
        guard file.isFileURL else {
            throw .localFile("\(file.absoluteString): not the URL of a file")
        }
        return try await download(path, to: file.path, overwrite: overwrite, options: options)
    }
}

/// One download of a file's whole content.
struct WholeDownload: Sendable {
    let calls: Files.Calls
    let path: String
    let target: String
    let overwrite: Bool
    let options: FileTransferOptions

    /// The outcome of a request.
    private enum PieceResult: Sendable {
        /// All its bytes are in their place; the digests of their blocks.
        case complete([ContentHash])
        /// The whole blocks until then are in their place.
        case failure(FileTransferError, [ContentHash])
    }
    /// The first response, with the file that all further ones are about.
    private typealias Start = Download<Files.FileMetadata, Files.DownloadError>

    private var pieceSize: UInt64 { UInt64(clamping: UploadLimits.wholePiece(options.pieceSize)) }

    func run() async throws(FileTransferError) -> Files.FileMetadata {
        let (target, overwrite) = (target, overwrite)
        if !overwrite, try await onDisk({ () throws(DiskError) in !PartFile.isAbsent(target) }) {
            throw .targetExists(target)
        }
        let start = try await begin()
        let file = start.result
        let (part, isNamedByChance) = try await partFile(of: file)
        do throws(FileTransferError) {
            try await fill(part, file, start.body)
            let isPlaced = try await onDisk { () throws(DiskError) in
                try part.synchronize()
                return try part.place(at: target, replacing: overwrite)
            }
            guard isPlaced else { throw .targetExists(target) }
        } catch {
            let isUseless = if case .targetExists = error { true } else { isNamedByChance }
            if isUseless { await DiskQueue.transfers.run { PartFile.remove(part.path) } }
            throw error
        }
        return file
    }

    // MARK: The version

    /// Requests the first piece, and with it the revision, the size and the hash.
    private func begin() async throws(FileTransferError) -> Start {
        do throws(CallError<Files.DownloadError>) {
            return try await calls.download(
                path: path, range: .bytes(0..<pieceSize), options: options.single)
        } catch {
            switch error.kind {
            case .response(.rangeNotSatisfiable), .response(.rangeNotHonoured(status: 200, _)):
                break
            default: throw .init(error)
            }
        }
        // An empty file has no first byte, and some servers answer with all of it.
        do throws(CallError<Files.DownloadError>) {
            return try await calls.download(path: path, options: options.single)
        } catch {
            throw .init(error)
        }
    }

    /// The part file of this revision. Another transfer that has it open keeps it, and this one
    /// gets its own, of a random name.
    private func partFile(
        of file: Files.FileMetadata
    ) async throws(FileTransferError) -> (PartFile, isNamedByChance: Bool) {
        // The server's text becomes no part of a name: a digest of it does.
        let id = SHA256.hash(Array(file.rev.utf8)).prefix(8)
            .reduce(0 as UInt64) { $0 << 8 | UInt64(clamping: $1) }
        let target = target
        return try await onDisk { () throws(DiskError) -> (PartFile, isNamedByChance: Bool) in
            if let part = try PartFile.claimed(PartFile.name(beside: target, id: id)) {
                return (part, false)
            }
            let part = try PartFile(PartFile.name(beside: target, id: .random(in: .min ... .max)))
            return (part, true)
        }
    }

    // MARK: The bytes

    /// Fetches all bytes; once more from the start, if the hash is not that of the revision.
    private func fill(
        _ part: PartFile, _ file: Files.FileMetadata, _ start: ResumingReader.Body
    ) async throws(FileTransferError) {
        // Without a hash to compare, nothing shows that the bytes there are right.
        let limit = file.contentHash == nil ? 0 : file.size
        var known = try await onDisk { () throws(DiskError) in
            try part.wholeBlocks(limit: limit)
        }
        var first: ResumingReader.Body? = known.isEmpty ? start : nil
        for attempt in 1...2 {
            let digests = try await fetch(part, file, behind: known, first)
            let hash = ContentHash(blockDigests: digests)
            guard let expected = file.contentHash, expected != hash else { return }
            try await onDisk { () throws(DiskError) in try part.truncate() }
            guard attempt == 1 else {
                await DiskQueue.transfers.run { PartFile.remove(part.path) }
                throw .hashMismatch(expected: expected, received: hash)
            }
            (known, first) = ([], nil)
        }
    }

    /// Fetches the bytes behind the known blocks with several requests at once; returns the digests
    /// of all blocks. On a failure the part file ends where the first missing block starts.
    private func fetch(
        _ part: PartFile, _ file: Files.FileMetadata, behind known: [ContentHash],
        _ first: ResumingReader.Body?
    ) async throws(FileTransferError) -> [ContentHash] {
        let begin = UInt64(clamping: known.count) *| UInt64(clamping: ContentHasher.blockSize)
        var pieces = FetchedPieces(
            of: begin ..<| file.size, size: pieceSize, concurrency: options.concurrency)
        let progress = ByteCount(begin, of: file.size, report: options.call.progress)
        var failure: FileTransferError?
        await withTaskGroup(of: (Range<UInt64>, PieceResult).self) { group in
            var underWay = 0
            while true {
                while failure == nil, underWay < max(1, options.concurrency),
                    let piece = pieces.next()
                {
                    let body = piece.lowerBound == 0 ? first : nil
                    group.addTask {
                        (piece, await fetch(piece, of: file, into: part, body, progress))
                    }
                    underWay &+= 1
                }
                guard let (piece, result) = await group.next() else { break }
                underWay &-= 1
                switch result {
                case .complete(let digests): pieces.arrived(piece, digests)
                case .failure(let error, let digests):
                    let count = UInt64(clamping: digests.count *| ContentHasher.blockSize)
                    pieces.arrived(piece.lowerBound ..<| piece.lowerBound +| count, digests)
                    if failure == nil { failure = error }
                    group.cancelAll()
                }
            }
        }
        guard let failure else { return [known, pieces.digests].flatMap(\.self) }
        let end = pieces.end
        try await onDisk { () throws(DiskError) in try part.truncate(to: end) }
        throw failure
    }

    /// Fetches one piece into its place.
    private func fetch(
        _ piece: Range<UInt64>, of file: Files.FileMetadata, into part: PartFile,
        _ body: ResumingReader.Body?, _ progress: ByteCount
    ) async -> PieceResult {
        var reader = ResumingReader(
            piece, of: file.rev, calls: calls, options: options.single, body: body)
        var digests = BlockDigests()
        do throws(FileTransferError) {
            while true {
                let offset = reader.position
                guard let chunk = try await reader.next() else { break }
                try await onDisk { () throws(DiskError) in try part.write(chunk, at: offset) }
                digests.update(chunk)
                progress.add(chunk.count)
            }
            return .complete(digests.finalized())
        } catch {
            return .failure(error, digests.whole)
        }
    }

    private func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable () throws(DiskError) -> Value
    ) async throws(FileTransferError) -> Value {
        do throws(DiskError) {
            return try await DiskQueue.transfers.run(body)
        } catch {
            throw FileTransferError(error, target)
        }
    }
}
