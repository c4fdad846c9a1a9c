// Reading staged content. A staging file that lacks bytes of the content is an error: nothing takes
// them for zeros. Not responsible for fetching the base's blocks.

import Core
import MetadataStore
import Saturating
import Synchronization

extension StagedFile {
    /// Reads up to `count` bytes from `offset`; returns fewer only at the end of the file.
    package func read(at offset: Int64, count: Int) throws(StagingError) -> StagedRead {
        let snapshot = state.withLock { $0 }
        if let revision = snapshot.retired {
            return .retired(revision)
        }
        let end = min(snapshot.content.size, offset +| Int64(clamping: count))
        guard offset >= 0, offset < end else { return .bytes([]) }
        guard let base = snapshot.content.base else {
            return .bytes(try localBytes(offset..<end))
        }
        var segments: [StagedRead.Segment] = []
        var position = offset
        while position < end {
            let block = position / Self.blockSize
            let blockEnd = min((block +| 1) *| Self.blockSize, end)
            if snapshot.blocks[Int(clamping: block)] {
                segments.append(.bytes(try localBytes(position..<blockEnd)))
                position = blockEnd
            } else if position < base.limit {
                let upper = min(blockEnd, base.limit)
                segments.append(.base(position..<upper))
                position = upper
            } else {
                segments.append(.zeros(Int(clamping: blockEnd -| position)))
                position = blockEnd
            }
        }
        if segments.count == 1, case .bytes(let bytes) = segments[0] {
            return .bytes(bytes)
        }
        return .mixed(segments)
    }

    private func localBytes(_ range: Range<Int64>) throws(StagingError) -> [UInt8] {
        var bytes = [UInt8](
            repeating: 0, clamping: Int(clamping: range.upperBound -| range.lowerBound))
        let failure = bytes.withUnsafeMutableBytes { buffer -> StagingError? in
            do throws(StagingError) {
                try readBytes(at: range.lowerBound, into: buffer)
                return nil
            } catch {
                return error
            }
        }
        if let failure {
            throw failure
        }
        return bytes
    }

    /// Fills the buffer from the staging file; with zeros behind the content's end, and where the
    /// content has neither the file's bytes nor the base's.
    func readBytes(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(StagingError) {
        var done = 0
        while done < buffer.count {
            let position = offset +| Int64(clamping: done)
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(done))
            let count = try bytes.readOnce(into: rest, at: position)
            if count == 0 {
                if try isLonger(than: position) { continue }
                rest.initializeMemory(as: UInt8.self, repeating: 0)
                return
            }
            done +|= count
        }
    }

    /// Whether the staging file has grown beyond its former end, found by a read without the lock.
    /// Throws EIO if it lacks a byte of the content there: holes are within a file's size.
    private func isLonger(than position: Int64) throws(StagingError) -> Bool {
        try state.withLock { (state) throws(StagingError) in
            if try bytes.size > position { return true }
            guard position < state.content.size else { return false }
            guard !state.isStaged(position) else { throw .short }
            return false
        }
    }
}
