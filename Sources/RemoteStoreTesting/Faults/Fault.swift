// Faults of a store's calls, and the calls that they apply to. Plain values; `FaultInjectingStore`
// applies them.

import ContentHashing
package import RemoteStore

/// The operations of a store.
package enum RemoteOperation: String, Hashable, Sendable, CaseIterable {
    case account, space, list, listAfter, latestCursor, waitForChange, entry
    case download, upload, startUpload, append, finishUpload
    case makeFolder, delete, move, copy, setFacts
    case revisions, deletionCursor, deletedFile, restore

    /// Whether the operation changes the store, so that a lost response matters.
    package var isChange: Bool {
        switch self {
        case .account, .space, .list, .listAfter, .latestCursor, .waitForChange, .entry: false
        case .download, .revisions, .deletionCursor, .deletedFile: false
        case .upload, .startUpload, .append, .finishUpload, .makeFolder, .delete, .move, .copy: true
        case .restore, .setFacts: true
        }
    }
}

/// A call of a store.
package struct RemoteCall: Hashable, Sendable {
    /// The operation that was called.
    package var operation: RemoteOperation
    /// The path, revision, session or cursor of the call.
    package var subject: String
    /// The number of this call among those of this operation and subject, from 1.
    package var occurrence: Int
    /// The number of this call among those of this operation, from 1.
    package var number: Int
}

/// A fault of a call.
package enum Fault: Hashable, Sendable {
    /// The call fails without effect.
    case failBefore(RemoteError)
    /// The call takes effect, and its response is lost.
    case failAfter(RemoteError)
    /// A download fails after so many bytes.
    case cutBody(after: Int64, RemoteError)
    /// One byte, that many bytes after the start, is wrong in a download or upload.
    case corruptBody(at: Int64)
    /// The call is held until `releaseStalled` or its cancellation, and then executed.
    case stall
}

/// A fault and the calls that it applies to.
struct PlannedFault: Sendable {
    let fault: Fault
    /// Remaining number of times; nil for always.
    var remaining: Int?
    let isMeant: @Sendable (RemoteCall) -> Bool

    /// Decides whether the fault applies to a call, and counts it.
    mutating func happens(in call: RemoteCall) -> Bool {
        guard remaining != 0, isMeant(call) else { return false }
        remaining = remaining.map { $0 - 1 }
        return true
    }
}

/// Pseudorandom decisions that depend on a seed and on the call alone: concurrent calls do not
/// influence each other, so a seed repeats a run.
struct FaultLottery: Sendable {
    let seed: UInt64

    /// A number from 0 up to, but not including, 1.
    func draw(_ call: RemoteCall, salt: UInt64) -> Double {
        // FNV-1a over the call's text, then the finaliser of SplitMix64 to spread it over all bits.
        let text = "\(call.operation.rawValue)\n\(call.subject)\n\(call.occurrence)"
        var hash = FNV1a.hash(
            text.utf8, from: FNV1a.basis ^ seed ^ salt &* 0x9E37_79B9_7F4A_7C15)
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((hash ^ hash >> 31) >> 11) / Double(1 << 53)
    }
}
