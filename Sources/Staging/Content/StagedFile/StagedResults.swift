// The results of reading and changing staged content.

package import Core
import Glibc
import LocalFiles

/// The result of reading staged content.
package enum StagedRead: Sendable {
    /// All requested bytes, or fewer at the end of the file.
    case bytes([UInt8])
    /// Segments in order; those of the base must be fetched.
    case mixed([Segment])
    /// The content has been committed as this revision.
    case retired(FileVersion)

    /// A part of a mixed read.
    package enum Segment: Sendable {
        /// Bytes of the staging file.
        case bytes([UInt8])
        /// A number of zeros.
        case zeros(Int)
        /// A range of the base revision.
        case base(Range<Int64>)
    }
}

/// The result of changing staged content.
package enum StagedWrite: Hashable, Sendable {
    /// The change is done.
    case written
    /// The disk has taken the first bytes of a write, which are content now, and refused the
    /// others.
    case partly(PartialWrite)
    /// These ranges of the base must be fetched and filled in first; then try again.
    case needsBase([Range<Int64>])
    /// The content has been committed as this revision: stage anew over it.
    case retired(FileVersion)
    /// Another staging file has replaced this one: change that.
    case replaced
    /// A row says that the bytes there are on the disk, or are those of a pending copy: save it
    /// anew after `invalidateFlushedRow`, flush that by `synchronizeRow`, and try again.
    case vouched
}

/// The part of a write that the disk has taken.
package struct PartialWrite: Hashable, Sendable {
    /// Number of bytes, more than 0, from the beginning of the write on.
    package let count: Int
    /// Why the disk has refused the others.
    package let refusal: StagingError
}

/// Why the staging file could not be read or written.
package struct StagingError: Error, Hashable, Sendable {
    /// The defect of the file itself.
    package enum Reason: Hashable, Sendable {
        /// It lacks bytes of the content.
        case short
        /// A flush of it has failed, and so the disk may have other bytes than were written.
        case notFlushed
    }

    /// The errno of the system call.
    package let code: Int32
    /// The file's own damage; nil if a system call has failed.
    package let reason: Reason?

    /// Whether the disk, or the user's quota on it, has no room.
    package var isOfFullDisk: Bool { code == ENOSPC || code == EDQUOT }

    /// Wraps the system's errno.
    package init(code: Int32, reason: Reason? = nil) {
        self.code = code
        self.reason = reason
    }
}

extension StagingError: CustomStringConvertible {
    /// The reason in a few words.
    package var description: String {
        switch reason {
        case .short: "a staging file has lost bytes"
        case .notFlushed: "the disk did not take a staging file"
        case nil: String(cString: strerror(code))
        }
    }
}

extension StagingError {
    /// Opens a file by the rules of `RegularFile`.
    static func opening(_ path: String, _ flags: Int32) throws(StagingError) -> Int32 {
        do throws(RegularFile.Failure) {
            return try RegularFile.open(path, flags)
        } catch {
            throw StagingError(code: error.errno)
        }
    }
}
