// How operations answer: at once, or after waiting for what the network must bring; and how long the
// kernel may keep what it is told.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging
import Sync

/// Interrupts an attempt that needs the children of a folder which was never listed. A transaction in
/// which it is thrown changes nothing.
struct ListingNeeded: Error {
    let folder: InodeID
}

/// Interrupts an attempt that needs all bytes of a file to be on this machine.
struct ContentNeeded: Error {
    let inode: InodeID
}

/// What an attempt must wait for.
private enum Need: Sendable {
    case listing(InodeID)
    case content(InodeID)
}

private enum AttemptOutcome<Value: Sendable>: Sendable {
    case value(Value)
    case failure(FileSystemError)
    case need(Need)
}

/// Which folders' children are all known to one attempt.
struct KnownFolders {
    /// The whole tree was known when the attempt began.
    let isTreeComplete: Bool
    /// Folders that this request has waited for.
    var awaited: Set<InodeID> = []

    /// Checks that a name which is not among a folder's children does not exist.
    func requireListing(of folder: Node) throws(ListingNeeded) {
        if isTreeComplete || folder.remote == .absent || folder.flags.contains(.listed)
            || awaited.contains(folder.inode)
        {
            return
        }
        throw ListingNeeded(folder: folder.inode)
    }
}

extension DropboxFileSystem {
    /// Runs store work at once, or again each time after what it needs has been fetched.
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
        // Each folder is waited for once. Content may be committed, and then needed again, by an
        // upload that ends in between; that this happens time after time is not to be expected.
        for _ in 0..<Self.maximumNeeds {
            switch need {
            case .listing(let folder):
                try await list(folder)
                awaited.insert(folder)
            case .content(let inode):
                try await stageWhole(inode)
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
        } catch {
            return .failure(failure(error))
        }
    }

    private func list(_ folder: InodeID) async throws(FileSystemError) {
        do throws(RemoteError) {
            try await sync.ensureListed(folder)
        } catch {
            // A folder that the server has lost leaves the tree with the next delta.
            throw error == .notFound ? .noEntry : FileSystemError(error)
        }
    }

    /// What a process is told of an error. What nobody expects is logged.
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

/// A moment from which an answer to the kernel is made.
struct Moment {
    let epoch: UInt64
    let isFeedHealthy: Bool
    let isTreeComplete: Bool
}

extension DropboxFileSystem {
    /// How long the kernel keeps what is invalidated explicitly, in seconds.
    static let longTimeout = 3600.0
    /// How long it keeps what may change unheard, and attributes that handles change, in seconds.
    static let shortTimeout = 1.0

    /// To be taken before the store is read.
    func moment() -> Moment {
        Moment(
            epoch: relay.epoch, isFeedHealthy: sync.isFeedHealthy,
            isTreeComplete: sync.isTreeComplete)
    }

    /// The answer to a lookup of a node that was read after `moment`; counts it.
    func found(_ node: Node, since moment: Moment) -> Entry {
        // Known first, so that a change is either announced or seen by the entry.
        let generation = inodes.remember(
            node.inode, size: node.size,
            isOpen: options.gathersWrites && openFiles.isOpen(node.inode), at: clock.now())
        var entry = entry(node, since: moment)
        entry.generation = generation
        if options.gathersWrites, node.kind == .file, relay.epoch != moment.epoch {
            // The size may be that of an earlier content, and the kernel does not ask for it again.
            inodes.noteNewContent(node.inode)
        }
        return entry
    }

    /// The answer about a node that was read after `moment`.
    func entry(_ node: Node, since moment: Moment) -> Entry {
        let open = node.kind == .file ? openFiles[node.inode] : nil
        var attributes = Attributes(
            node, unsaved: open?.unsaved, options: options, folderTime: folderTime)
        // What a kernel has gathered is not in the file yet.
        if let staged = node.staged, !openFiles.isOpenForWriting(node.inode) {
            attributes.occupied = staging.occupiedBytes(of: staged)
        }
        noteTold(attributes)
        guard relay.epoch == moment.epoch else {
            return Entry(attributes: attributes, timeouts: Timeouts(entry: 0, attributes: 0))
        }
        let timeout = moment.isFeedHealthy ? Self.longTimeout : Self.shortTimeout
        let isWritten = open != nil && openFiles.isOpenForWriting(node.inode)
        return Entry(
            attributes: attributes,
            timeouts: Timeouts(
                entry: timeout, attributes: isWritten ? Self.shortTimeout : timeout))
    }

    private func noteTold(_ attributes: Attributes) {
        guard attributes.kind == .regular else { return }
        if openFiles.isOpenForWriting(attributes.inode) {
            inodes.noteWrittenSize(attributes.size, of: attributes.inode)
        } else {
            inodes.noteToldSize(attributes.size, of: attributes.inode, at: clock.now())
        }
    }

    /// How long the kernel may remember that a name does not exist.
    func absenceTimeout(since moment: Moment) -> Double {
        // A name that does not exist may do so in another case later.
        moment.isFeedHealthy && moment.isTreeComplete && relay.epoch == moment.epoch
            && !options.foldsCase ? Self.longTimeout : 0
    }
}
