// What can go wrong with one call of a store, and which calls it goes wrong in. Plain values; what a
// fault does is in `FaultInjectingStore`.

public import RemoteStore

/// The operations of a store.
public enum RemoteOperation: String, Hashable, Sendable, CaseIterable {
    case account, space, list, listAfter, latestCursor, waitForChange, entry
    case download, upload, startUpload, append, finishUpload
    case makeFolder, delete, move, copy
    case deletionCursor, restoreDeleted

    /// Whether it changes something, so that a lost reply matters.
    public var isChange: Bool {
        switch self {
        case .account, .space, .list, .listAfter, .latestCursor, .waitForChange, .entry: false
        case .download, .deletionCursor: false
        case .upload, .startUpload, .append, .finishUpload, .makeFolder, .delete, .move, .copy: true
        case .restoreDeleted: true
        }
    }
}

/// One call.
public struct RemoteCall: Hashable, Sendable {
    /// What was called.
    public var operation: RemoteOperation
    /// The path that it is about, or the revision, session or cursor.
    public var subject: String
    /// 1 for the first call of this operation about this subject.
    public var occurrence: Int
    /// 1 for the first call of this operation.
    public var number: Int
}

/// What goes wrong.
public enum Fault: Hashable, Sendable {
    /// The call fails, and nothing was done.
    case failBefore(RemoteError)
    /// The call is done, and its reply is lost.
    case failAfter(RemoteError)
    /// A download breaks off after so many bytes.
    case cutBody(after: Int64, RemoteError)
    /// One byte is wrong, that many bytes after the start, on the way down or up.
    case corruptBody(at: Int64)
    /// The call is held until `releaseStalled` or its cancellation, and then done.
    case stall
}

/// A fault and the calls that it happens in.
struct PlannedFault: Sendable {
    let fault: Fault
    /// How often it still happens; nil for always.
    var remaining: Int?
    let isMeant: @Sendable (RemoteCall) -> Bool

    /// Decides, and counts.
    mutating func happens(in call: RemoteCall) -> Bool {
        guard remaining != 0, isMeant(call) else { return false }
        remaining = remaining.map { $0 - 1 }
        return true
    }
}

/// Chance that depends on a seed and on the call alone: calls that run side by side do not change each
/// other's fate, so a seed repeats a run.
struct FaultLottery: Sendable {
    let seed: UInt64

    /// Between 0 and 1, 1 not included.
    func draw(_ call: RemoteCall, salt: UInt64) -> Double {
        // FNV-1a over the call's text, then the finaliser of SplitMix64 to spread it over all bits.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed ^ salt &* 0x9E37_79B9_7F4A_7C15
        for byte in "\(call.operation.rawValue)\n\(call.subject)\n\(call.occurrence)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((hash ^ hash >> 31) >> 11) / Double(1 << 53)
    }
}
