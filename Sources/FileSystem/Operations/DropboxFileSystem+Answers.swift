// How operations complete: at once, or after waiting for the network; and how long the kernel may
// cache an answer.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging
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

extension DropboxFileSystem {
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
                try await stageWhole(inode)
            case .export(let needed):
                try await export(needed)
            }
            let known = KnownFolders(isTreeComplete: sync.isTreeComplete, awaited: awaited)
            switch await disk.run({ self.outcome(of: attempt, known) }) {
            case .value(let value): return value
            case .failure(let error): throw error
            case .need(let next): need = next
            }
        }
        throw .busy
    }

    private static var maximumNeeds: Int { 16 }

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
            return .failure(failure(error))
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

    /// Translates an error for the caller and logs unexpected ones.
    func failure(_ error: any Error) -> FileSystemError {
        let failure = FileSystemError(cause: error)
        switch failure {
        case .inputOutput(let text):
            log.error("an operation failed", metadata: ["reason": "\(text)"])
        case .noSpace:
            log.warning("the local disk is full")
        default: break
        }
        return failure
    }
}

/// When an answer to the kernel was read: decides whether the kernel may cache it.
struct Moment {
    let epoch: UInt64
    let isFeedHealthy: Bool
    let isTreeComplete: Bool
}

extension DropboxFileSystem {
    /// Timeout in seconds of entries that are invalidated explicitly.
    static let longTimeout = 3600.0
    /// Timeout in seconds of entries that may change without a delta, and of attributes that the
    /// kernel changes by itself.
    static let shortTimeout = 1.0

    /// Captures the current moment; call it before reading the store.
    func moment() -> Moment {
        Moment(
            epoch: relay.epoch, isFeedHealthy: sync.isFeedHealthy,
            isTreeComplete: sync.isTreeComplete)
    }

    /// The entry of a node that was read after `moment`; counts a lookup.
    func found(_ node: Node, since moment: Moment) -> Entry {
        // Remembered before the entry is made, so that a concurrent change is either invalidated or
        // in the entry.
        let generation = remember(node)
        var entry = entry(node, since: moment)
        entry.generation = generation
        guard options.gathersWrites, node.kind == .file else { return entry }
        keepSize(of: node, in: &entry)
        if relay.epoch != moment.epoch {
            // The size may be that of an earlier content, and this kernel does not ask for it
            // again.
            inodes.noteNewContent(node.inode)
        }
        return entry
    }

    /// Makes the reply to a lookup tell the size of the generation that it has: the kernel takes it where it does not have the
    /// inode yet.
    private func keepSize(of node: Node, in entry: inout Entry) {
        guard node.staged == nil, let told = inodes.toldVersion(of: node.inode) else { return }
        entry.attributes.size = told.size
    }

    /// Counts a lookup, and returns the generation for the reply.
    private func remember(_ node: Node) -> UInt64 {
        let (inode, now) = (node.inode, clock.now())
        let size = exportSize(of: node, openFiles[inode]) ?? node.size
        guard options.gathersWrites else {
            return inodes.remember(inode, size: size, keepsGeneration: false, at: now)
        }
        // A caller that was sent back, and has looked up the name since, opens that inode.
        let isAwaited =
            inodes.isOutdated(inode)
            && sentBack.awaits(inodes.toldGeneration(of: inode), of: inode, at: now)
        let isRevision = node.staged == nil && !node.isCloudDocument
        let version = isRevision ? FileVersion(of: node) : nil
        return openFiles.decide(on: inode) { isOpen in
            inodes.remember(
                inode, size: size, of: version, keepsGeneration: isOpen || isAwaited, at: now)
        }
    }

    /// The entry of a node that was read after `moment`.
    func entry(_ node: Node, since moment: Moment) -> Entry {
        let open = node.kind == .file ? openFiles[node.inode] : nil
        var attributes = Attributes(
            node, unsaved: open?.unsaved, options: options, folderTime: folderTime)
        if let size = exportSize(of: node, open) { attributes.size = size }
        let isWritten = open != nil && openFiles.isOpenForWriting(node.inode)
        // With a writer, writes that the kernel gathers and mapped pages are not in the staging file yet.
        if let staged = node.staged, !isWritten {
            attributes.occupied = staging.occupiedBytes(of: staged)
        }
        noteTold(attributes)
        guard relay.epoch == moment.epoch else {
            return Entry(attributes: attributes, timeouts: Timeouts(entry: 0, attributes: 0))
        }
        let timeout = moment.isFeedHealthy ? Self.longTimeout : Self.shortTimeout
        // The kernel forgets the attributes of a file that is being written at each change that it passes on.
        let isMomentary = isWritten && options.gathersWrites
        return Entry(
            attributes: attributes,
            timeouts: Timeouts(
                entry: timeout, attributes: isMomentary ? Self.shortTimeout : timeout))
    }

    private func noteTold(_ attributes: Attributes) {
        guard attributes.kind == .regular else { return }
        if openFiles.isOpenForWriting(attributes.inode) {
            inodes.noteWrittenSize(attributes.size, of: attributes.inode)
        } else {
            inodes.noteToldSize(attributes.size, of: attributes.inode, at: clock.now())
        }
    }

    /// Timeout of a negative entry, in seconds.
    func absenceTimeout(since moment: Moment) -> Double {
        // When case is folded, a create in another case makes this name exist without an
        // invalidation.
        moment.isFeedHealthy && moment.isTreeComplete && relay.epoch == moment.epoch
            && !options.foldsCase ? Self.longTimeout : 0
    }
}
