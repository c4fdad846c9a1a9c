// Bytes of the revision below staged content, for uploads of content that is here in part.

import MetadataStore
import RemoteStore

/// Reads the base of staged content.
struct BaseContent: Sendable {
    let account: SyncedAccount

    /// Bytes of a revision, from the cache or the server.
    func bytes(
        _ base: StagedContent.Base, _ range: Range<Int64>
    ) async throws(SyncError) -> [UInt8] {
        let cached = try await account.local.run {
            account.cache.cachedBytes(of: base.hash, size: base.size, range: range)
        }
        if let cached {
            return cached
        }
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
}
