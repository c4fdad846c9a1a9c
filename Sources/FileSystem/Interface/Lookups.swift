// The results of lookups, and the process for which an operation runs.

/// How long the kernel may cache an entry and its attributes.
package struct Timeouts: Hashable, Sendable {
    /// Validity of the name's inode, in seconds.
    package var entry: Double
    /// Validity of the inode's attributes, in seconds.
    package var attributes: Double

    /// Creates timeouts from both values.
    package init(entry: Double, attributes: Double) {
        self.entry = entry
        self.attributes = attributes
    }
}

/// The result of a lookup. Every entry sent to the kernel adds one to the inode's lookup count.
package struct Entry: Hashable, Sendable {
    /// Attributes of the found inode.
    package var attributes: Attributes
    /// Validity of name and attributes.
    package var timeouts: Timeouts
    /// Generation of the inode's content, if the kernel keeps sizes itself (`writeback_cache`):
    /// with another generation, the kernel treats the inode as a new one.
    package var generation: UInt64 = 0

    /// Creates an entry with generation 0.
    package init(attributes: Attributes, timeouts: Timeouts) {
        self.attributes = attributes
        self.timeouts = timeouts
    }
}

/// The result of a lookup: an entry, or a negative entry that the kernel may cache.
package enum LookupResult: Hashable, Sendable {
    /// The name exists; its entry.
    case found(Entry)
    /// The name does not exist; the kernel may cache that for so many seconds (0: not at all).
    case absent(timeout: Double)
}

/// The credentials of the calling process.
package struct CallingProcess: Hashable, Sendable {
    /// User ID of the process.
    package var userID: UInt32
    /// Group ID of the process.
    package var groupID: UInt32
    /// Process ID; 0 for the kernel itself, and for processes in PID namespaces that the mount does
    /// not see.
    package var processID: Int32

    /// Creates a caller from its credentials.
    package init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}
