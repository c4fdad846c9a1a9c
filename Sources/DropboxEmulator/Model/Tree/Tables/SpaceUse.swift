// The used space of an account and its limit. Not responsible for the files that use it.

/// Counts bytes against a quota.
struct SpaceUse: Equatable, Sendable {
    /// Total size of the living files.
    private(set) var used: Int64 = 0
    /// The limit; writes that would exceed it are refused.
    var quota: Int64

    init(quota: Int64) {
        self.quota = quota
    }

    /// How many bytes are left; 0 if more are used than a new quota allows.
    var left: Int64 { max(0, quota - used) }

    /// Whether there is room for some more bytes, once others are freed.
    func hasRoom(for added: Int64, freeing freed: Int64 = 0) -> Bool {
        used - freed + added <= quota
    }

    mutating func add(_ bytes: Int64) { used += bytes }

    mutating func remove(_ bytes: Int64) { used -= bytes }
}
