// How operations complete: at once, or after waiting for the network.

import Blocking
import Core
import MetadataStore
import RemoteStore
import Sync
import Tree

/// The prerequisite that aborted store work must wait for.
private enum Need: Sendable {
    case listing(InodeID)
    case content(InodeID)
    case export(ExportNeeded)
}

private enum AttemptOutcome<Value: Sendable>: Sendable {
    case value(Value)
    case failure(FileSystemError)
    case need(Need)
}

/// Tries store work, fetches what it lacks, and tries it again.
final class StoreAttempts: Sendable {
    private static let maximumNeeds = 16

    private let sync: any Syncing
    private let contents: FileContents
    private let documents: DocumentContents
    private let work: LocalWork

    init(
        sync: any Syncing, contents: FileContents, documents: DocumentContents, work: LocalWork
    ) {
        self.sync = sync
        self.contents = contents
        self.documents = documents
        self.work = work
    }

    /// Runs store work at once, and again after each prerequisite that had to be fetched.
    func answer<Value>(
        _ attempt: @escaping @Sendable (KnownFolders) throws -> Value
    ) -> Answer<Value> {
        let known = KnownFolders(isTreeComplete: sync.isTreeComplete)
        switch outcome(of: attempt, known) {
        case .value(let value): return .ready(value)
        case .failure(let error): return .failed(error)
        case .need(let first):
            return .pending { () async throws(FileSystemError) in
                try await self.meet(first, then: attempt, known)
            }
        }
    }

    private func meet<Value: Sendable>(
        _ first: Need, then attempt: @escaping @Sendable (KnownFolders) throws -> Value,
        _ known: KnownFolders
    ) async throws(FileSystemError) -> Value {
        var awaited = known.awaited
        var need = first
        // Each folder is waited for once. Staged content can be needed again, if an upload commits
        // it in between; the limit assumes that this does not happen every time.
        for _ in 0..<Self.maximumNeeds {
            switch need {
            case .listing(let folder):
                try await list(folder)
                awaited.insert(folder)
            case .content(let inode):
                try await contents.stageWhole(inode)
            case .export(let needed):
                try await documents.fetch(needed)
            }
            let known = KnownFolders(isTreeComplete: sync.isTreeComplete, awaited: awaited)
            switch await work.onDisk(alwaysDone: { self.outcome(of: attempt, known) }) {
            case .value(let value): return value
            case .failure(let error): throw error
            case .need(let next): need = next
            }
        }
        throw .busy
    }

    private func outcome<Value>(
        of attempt: (KnownFolders) throws -> Value, _ known: KnownFolders
    ) -> AttemptOutcome<Value> {
        do {
            return .value(try attempt(known))
        } catch let needed as ListingNeeded {
            return .need(.listing(needed.folder))
        } catch let needed as ContentNeeded {
            return .need(.content(needed.inode))
        } catch let needed as ExportNeeded {
            return .need(.export(needed))
        } catch {
            return .failure(work.failure(error))
        }
    }

    private func list(_ folder: InodeID) async throws(FileSystemError) {
        do throws(SyncError) {
            try await sync.ensureListed(folder)
        } catch {
            // A folder that was deleted on the server leaves the tree with the next delta.
            throw error == .remote(.notFound) ? .noEntry : FileSystemError(error)
        }
    }
}
