// The context of the rules by which the server's entries are applied, and a transaction of a
// listing or a read, which is tried again without contradictory entries.

package import Core
package import MetadataStore
package import Staging

/// The context of the rules besides the tree.
package struct DeltaContext: Sendable {
    /// Decides whether a file is open, which makes a remote change a rename over it.
    package var openFiles: any OpenFileTracking
    /// Where content is staged that the server has lost and the user still wants.
    package var staging: StagingArea
    /// The clock's time, from which the wait for a second move counts.
    package var now: WallTime
    /// The date and time of day.
    package var date: WallTime
    /// This machine's name, for conflicted copies.
    package var host: String
    /// Whether a full listing is running, which marks the nodes that it sees.
    package var isListing: Bool
    /// Whether the tree is complete, so that the kernel may cache negative entries.
    package var isTreeComplete: Bool
    /// Whether a contradictory entry is left out, instead of failing its batch.
    package var leavesOutContradictions = false
    /// How modes, times and attributes are shared.
    package var posix = PosixRules.local
    /// Whether no node gets an alias: a node that steps aside is a conflicted copy then.
    package var refusesNames = false
    /// Whether unsent content has to have its hash where the server's may be the same.
    package var expectsHashes = false
    /// The nodes of whose places the server has been asked, so that a part of a listing can be
    /// applied; nil if it is not asked.
    package var located: Set<FileID>?
    /// The revisions that this mount has replaced, and which deltas may still tell.
    package var superseded = SupersededRevisions()
    /// Whether the mount is read-only: then no alias goes back to its own name, which would be a
    /// change on the server.
    package var isReadOnly = false

    package init(
        openFiles: any OpenFileTracking, staging: StagingArea, now: WallTime, date: WallTime,
        host: String, isListing: Bool, isTreeComplete: Bool
    ) {
        self.openFiles = openFiles
        self.staging = staging
        self.now = now
        self.date = date
        self.host = host
        self.isListing = isListing
        self.isTreeComplete = isTreeComplete
    }
}

/// Aborts a batch that needs the hash of unsent content, which users have written or renamed since
/// the hashes were noted. A transaction that throws it rolls back.
package struct UnhashedContent: Error {}

/// Aborts a part of a listing that takes the places of nodes with unsent changes, and does not tell
/// where they are: another client may have moved them, and a later part will tell. A transaction
/// that throws it rolls back.
package struct UnlocatedNodes: Error {
    /// The nodes to ask the server for.
    package let ids: Set<FileID>
}

extension MetadataStore {
    /// Applies the result of a listing or read in one transaction. If that is contradictory, it is
    /// tried again with a context that leaves contradictions out.
    package func bringIn<Outcome>(
        _ context: DeltaContext, _ body: (Transaction, DeltaContext) throws -> Outcome
    ) throws -> Outcome {
        do {
            return try write { try body($0, context) }
        } catch {
            guard Self.isContradiction(error) else { throw error }
            return try write { try body($0, context.leavingOut) }
        }
    }

    /// The same without holding a thread of the cooperative pool.
    package func bringIn<Outcome: Sendable>(
        _ context: DeltaContext,
        _ body: @escaping @Sendable (Transaction, DeltaContext) throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await write { try body($0, context) }
        } catch {
            guard Self.isContradiction(error) else { throw error }
            return try await write { try body($0, context.leavingOut) }
        }
    }
}

extension DeltaContext {
    fileprivate var leavingOut: DeltaContext {
        var context = self
        context.leavesOutContradictions = true
        return context
    }
}
