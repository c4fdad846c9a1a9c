// The data and holes of staged content. Not responsible for hiding them while the kernel gathers
// writes, which are not in the file yet.

import Core
import MetadataStore
import Saturating
import Synchronization

extension StagedFile {
    /// The result of a search from an offset on.
    package enum Extent: Hashable, Sendable {
        /// The next data, or the next hole, begins here.
        case begins(Int64)
        /// No data follows the offset.
        case none
        /// Unknown: the content has a base, or the filesystem below does not support SEEK_DATA.
        case unknown
    }

    /// The beginning of data, at an offset or behind it.
    package func data(from offset: Int64) -> Extent {
        state.withLock { state in
            guard state.content.base == nil, state.retired == nil else { return .unknown }
            switch bytes.data(from: offset) {
            case .at(let found): return found < state.content.size ? .begins(found) : .none
            case .beyondEnd: return .none
            case .unknown: return .unknown
            }
        }
    }

    /// The beginning of a hole, at an offset or behind it. The end counts as one.
    package func hole(from offset: Int64) -> Extent {
        state.withLock { state in
            guard state.content.base == nil, state.retired == nil else { return .unknown }
            switch bytes.hole(from: offset) {
            case .at(let found): return .begins(min(found, state.content.size))
            // Behind the end of the file itself, the content is zeros.
            case .beyondEnd: return .begins(offset)
            case .unknown: return .unknown
            }
        }
    }

    /// Whether the content occupies less than its size.
    package var hasHoles: Bool {
        state.withLock { state in
            guard state.content.base == nil, state.retired == nil,
                let occupied = bytes.occupied
            else { return false }
            return occupied < state.content.size
        }
    }
}
