// One download, resumed from any state a crash can leave: a part file, whose length is the
// progress, and possibly the target file. The revision is chosen once, so parts of two revisions
// never mix; the content hash of that revision is verified before the rename to the target. The
// write order:
//
//   1. revision, size, hash and the part file's name, before the first byte;
//   2. that the rename may happen, after the bytes are durable;
//   3. the result.

import ContentHashing
import DropboxAPI
import Foundation
import LocalFiles
import Saturating

/// Runs a single download.
struct DownloadWork {
    private let environment: WorkEnvironment
    private let request: DownloadRequest
    private var record: TransferRecord
    private var backoff = OperationBackoff()
    /// Whether the download has restarted from zero because of a hash mismatch.
    private var hasBegunAnew = false
    private var length: UInt64 = 0
    private var hasher = ContentHasher()
    private var metadata: Files.FileMetadata?

    private var client: DropboxClient { environment.client }

    init(_ record: TransferRecord, _ request: DownloadRequest, _ environment: WorkEnvironment) {
        self.environment = environment
        self.request = request
        self.record = record
    }

    /// Runs the remaining steps; returns the downloaded revision's metadata.
    mutating func run() async throws(WorkEnd) -> Files.FileMetadata {
        if record.revision == nil { try await choose() }
        guard let part = record.part, let size = record.size, let hash = record.hash,
            let revision = record.revision
        else { throw .failed(.init(.damaged, "the record of the download is not complete")) }
        if try await isPlaced(part, hash) { return try await described(revision) }
        let file = try await environment.onDisk(part) { () throws(DiskError) in
            try PartFile(part)
        }
        (length, hasher) = try await environment.onDisk(part) { () throws(DiskError) in
            try file.contents(limit: size)
        }
        environment.progress(length, size)
        try await fill(file, revision, size, hash)
        let stored = try await described(revision)
        try await place(file, part)
        return stored
    }

    // MARK: The version

    /// Records the current revision of the file, which the download keeps to.
    private mutating func choose() async throws(WorkEnd) {
        let file = try await file(at: request.path)
        guard file.isDownloadable, let hash = file.contentHash else {
            throw .failed(.init(.refused, "\(request.path) cannot be downloaded as it is"))
        }
        (record.revision, record.size, record.hash) = (file.rev, file.size, hash)
        record.part = PartFile.name(beside: request.file, id: .random(in: .min ... .max))
        try await save()
        try await environment.checkpoint("version noted")
    }

    private mutating func file(
        at path: Files.ReadPath
    ) async throws(WorkEnd) -> Files.FileMetadata {
        while true {
            let there: Files.Metadata
            do throws(CallError<Files.GetMetadataError>) {
                there = try await client.files.getMetadata(path: path)
            } catch {
                if case .path? = error.routeError { throw .failed(error.failure(.notFound)) }
                try await environment.wait(after: error, &backoff)
                continue
            }
            guard case .file(let file) = there else {
                throw .failed(.init(.refused, "\(path) is not a file"))
            }
            metadata = file
            return file
        }
    }

    /// The revision's metadata, for the result.
    private mutating func described(
        _ revision: Files.Rev
    ) async throws(WorkEnd) -> Files.FileMetadata {
        if let metadata, metadata.rev == revision { return metadata }
        return try await file(at: "rev:" + revision)
    }

    private func save() async throws(WorkEnd) {
        let (store, record) = (environment.store, record)
        try await environment.storing { try await store.update(record) }
    }

    // MARK: The bytes

    /// Fetches until the part file is complete and its hash is that of the revision.
    private mutating func fill(
        _ file: PartFile, _ revision: Files.Rev, _ size: UInt64, _ hash: ContentHash
    ) async throws(WorkEnd) {
        while true {
            while length < size { try await fetch(file, revision, size) }
            if length == size, hasher.finalized() == hash { return }
            guard !hasBegunAnew else {
                throw .failed(
                    .init(.damaged, "\(request.path): other bytes came than the hash says"))
            }
            hasBegunAnew = true
            try await environment.onDisk(request.file) { () throws(DiskError) in
                try file.truncate()
            }
            (length, hasher) = (0, ContentHasher())
        }
    }

    /// Resumes at the part file's end; bytes received before a failure are kept.
    private mutating func fetch(
        _ file: PartFile, _ revision: Files.Rev, _ size: UInt64
    ) async throws(WorkEnd) {
        var chunks: DownloadBody<Files.DownloadError>.AsyncIterator
        do throws(CallError<Files.DownloadError>) {
            let download = try await client.files.download(
                path: "rev:" + revision, range: length > 0 ? .from(length) : nil,
                options: CallOptions(comparesHashes: false))
            guard download.result.rev == revision else {
                throw CallError(
                    kind: .serialization("another revision came"),
                    context: CallContext(route: "files/download"))
            }
            metadata = download.result
            chunks = download.body.makeAsyncIterator()
        } catch {
            return try await react(to: error)
        }
        while length < size {
            let chunk: [UInt8]?
            do throws(CallError<Files.DownloadError>) {
                chunk = try await chunks.next()
            } catch {
                return try await react(to: error)
            }
            guard let chunk, UInt64(clamping: chunk.count) <= size -| length else { return }
            try await add(chunk, to: file, size)
        }
    }

    private mutating func react(
        to error: CallError<Files.DownloadError>
    ) async throws(WorkEnd) {
        if case .path? = error.routeError { throw .failed(error.failure(.notFound)) }
        try await environment.wait(after: error, &backoff)
    }

    private mutating func add(
        _ chunk: [UInt8], to file: PartFile, _ size: UInt64
    ) async throws(WorkEnd) {
        let offset = length
        try await environment.onDisk(request.file) { () throws(DiskError) in
            try file.write(chunk, at: offset)
        }
        hasher.update(chunk)
        length +|= UInt64(clamping: chunk.count)
        backoff = OperationBackoff()
        environment.progress(length, size)
        try await environment.checkpoint("chunk written")
    }

    // MARK: The name

    /// Whether an earlier run has renamed the part file but not recorded it.
    private func isPlaced(_ part: String, _ hash: ContentHash) async throws(WorkEnd) -> Bool {
        guard record.phase == .placing else { return false }
        let target = request.file
        return try await environment.onDisk(target) { () throws(DiskError) in
            guard PartFile.isAbsent(part), PartFile.hash(of: target) == hash else { return false }
            try synchronizeFolder(of: target)
            return true
        }
    }

    private mutating func place(_ file: PartFile, _ part: String) async throws(WorkEnd) {
        let request = request
        try await environment.onDisk(part) { () throws(DiskError) in try file.synchronize() }
        record.phase = .placing
        try await save()
        try await environment.checkpoint("placing noted")
        let isPlaced = try await environment.onDisk(request.file) { () throws(DiskError) in
            try file.place(at: request.file, replacing: request.replacesExisting)
        }
        guard isPlaced else {
            throw .failed(.init(.targetExists, "\(request.file) exists already"))
        }
        try await environment.checkpoint("placed")
    }
}
