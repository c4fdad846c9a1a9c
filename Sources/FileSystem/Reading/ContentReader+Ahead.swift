// Read-ahead from the network.

import Blocking
import BlockCache
import Core
import RemoteStore
import Saturating
import Synchronization

extension ContentReader {
    /// Fetches the next range of a stream, if it is due. Returns at once.
    func fetchAhead(_ content: FileVersion, _ stream: Int, _ session: ReadSession) {
        guard let range = session.takeAhead(stream, contentSize: content.size) else { return }
        Task { [weak session] in
            var position = range.lowerBound
            while position < range.upperBound {
                // The handle was closed.
                guard let session else { return }
                let block = content.range(ofBlock: content.block(at: position).index)
                let part = position..<min(block.upperBound, range.upperBound)
                guard await fetchAhead(content, part, stream, session) else {
                    return session.refused(stream, at: position)
                }
                position = part.upperBound
            }
        }
    }

    /// Fetches the bytes of a part of a block that are neither cached nor in flight. False if there
    /// is no room.
    private func fetchAhead(
        _ content: FileVersion, _ part: Range<Int64>, _ stream: Int, _ session: ReadSession
    ) async -> Bool {
        let key = content.block(at: part.lowerBound)
        let block = content.range(ofBlock: key.index)
        guard let missing = await missing(content, block.clamped(to: part)) else {
            fetcher.load(content, block.clamped(to: part), for: stream, of: session)
            return true
        }
        await fetcher.survey(content, key.index)
        var position = missing.lowerBound
        while position < missing.upperBound {
            let (other, hasRoom) = fetcher.table.withLock { table in
                (
                    table.fetch(key, at: position),
                    table.hasRoomAhead(missing.upperBound -| position)
                )
            }
            if let other {
                position = other.range.upperBound
                continue
            }
            guard hasRoom else {
                fetcher.table.withLock { $0.forgetIdleVerification(of: content) }
                return false
            }
            let range = DiskBlockCache.chunkStart(position)..<missing.upperBound
            guard let fetch = fetcher.make(content, key, range, from: position, .ahead) else {
                continue
            }
            position = fetch.range.upperBound
            session.claim(fetch, for: stream)
        }
        return true
    }

    /// The range from the first to the last chunk that is not on disk.
    func missing(_ content: FileVersion, _ range: Range<Int64>) async -> Range<Int64>? {
        await disk.run { [cache] in
            let isHere = { (range: Range<Int64>) in
                cache.contains(content.hash, size: content.size, range: range)
            }
            guard !isHere(range) else { return nil }
            let chunk = DiskBlockCache.chunkSize
            var (lower, upper) = (range.lowerBound, range.upperBound)
            while lower < upper {
                let next = min((lower.divided(by: chunk) +| 1) *| chunk, upper)
                guard isHere(lower..<next) else { break }
                lower = next
            }
            while lower < upper {
                let previous = max((upper -| 1).divided(by: chunk) *| chunk, lower)
                guard isHere(previous..<upper) else { break }
                upper = previous
            }
            return lower < upper ? lower..<upper : nil
        }
    }
}
