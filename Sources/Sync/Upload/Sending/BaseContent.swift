// Bytes of the revision below staged content, for uploads of content that is here in part.

import ContentHashing
import MetadataStore
import RemoteStore
import Saturating

/// Reads the base of staged content.
struct BaseContent: Sendable {
    let account: SyncedAccount

    /// Bytes of a revision, from the cache or the server. One of a single block is fetched as a
    /// whole, and checked. A part of a larger one cannot be: its hash is that of all blocks.
    func bytes(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(SyncError) -> [UInt8] {
        // No request has an empty range, and no cache has empty content.
        if range.isEmpty { return [] }
        let cached = try await account.local.run {
            account.cache.cachedBytes(of: base.hash, size: base.size, range: range)
        }
        if let cached {
            return cached
        }
        guard base.size <= ContentHasher.blockSize else {
            return try await download(base, range)
        }
        let whole = try await download(base, 0..<base.size)
        guard ContentHasher.hash(whole) == base.hash else {
            throw .remote(.malformed("a download does not have the content's hash"))
        }
        return Array(
            whole.dropFirst(clamping: Int(clamping: range.lowerBound)).prefix(range.count))
    }

    /// The same for content that cannot be sent without them. `notFound` would be taken for the
    /// absence of the file.
    func neededBytes(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(SyncError) -> [UInt8] {
        do throws(SyncError) {
            return try await bytes(base, range)
        } catch {
            throw error == .remote(.notFound) ? .baseLost : error
        }
    }

    private func download(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(SyncError) -> [UInt8] {
        let stream = try await fromServer(
            await account.remote.download(base.revision, range: range))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        while let piece = try await fromServer(await stream.next()) {
            bytes.append(contentsOf: piece)
        }
        guard bytes.count == range.count else {
            throw .remote(.malformed("a download of \(range.count) bytes gave \(bytes.count)"))
        }
        return bytes
    }
}
