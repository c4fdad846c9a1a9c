// Content whose progress is shown while it is sent: within pieces, too, because a piece takes
// minutes on a slow link. The bytes are those that the network has taken; whether the server has
// them, its response tells.

import Core
import RemoteStore
import Saturating
import Staging
import Tree

/// Content that reports how much of it the network has taken, and ends its request when a user
/// pauses uploads.
struct TrackedSource: UploadSource {
    /// The reason of a read that a pause has ended.
    struct Paused: Error {}

    let base: any UploadSource
    let isPaused: @Sendable () -> Bool
    /// Gets the offset before which all bytes are taken.
    let report: @Sendable (Int64) -> Void

    var size: Int64 { base.size }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if isPaused() { throw Paused() }
        return try base.read(at: offset, into: buffer)
    }

    func noteTaken(upTo offset: Int64) { report(offset) }
}

extension SyncedAccount {
    /// The content of a file, whose state shows how much of a piece is sent.
    func tracking(
        _ source: any UploadSource, piece: Range<Int64>, of inode: InodeID
    ) -> TrackedSource {
        let (state, openFiles) = (state, openFiles)
        let staged = (source as? StagedSource)?.file
        return TrackedSource(base: source, isPaused: { state.current.isPaused }) { offset in
            // Read before the state's lock, which is a leaf.
            let size = staged?.size
            let isOpen = openFiles.isOpenForWriting(inode)
            state.update { status in
                guard var upload = status.uploads[inode] else { return }
                upload.inFlight[piece.lowerBound] = max(0, offset -| piece.lowerBound)
                if upload.isGrowing, let size { upload.size = max(upload.size, size) }
                upload.isGrowing = upload.isGrowing && isOpen
                status.uploads[inode] = upload
            }
        }
    }
}
