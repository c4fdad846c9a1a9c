// Lists the folder that somebody looks at, ahead of the listing of everything.

import Core
import MetadataStore
import RemoteStore

/// Fetches single folders on demand; those who ask for the same one share the answer.
actor FolderLister {
    private let environment: UploadEnvironment
    private var running: [InodeID: Task<Result<Void, RemoteError>, Never>] = [:]

    init(environment: UploadEnvironment) {
        self.environment = environment
    }

    /// Waits until a folder's children are all in the store.
    func ensureListed(_ folder: InodeID) async throws(RemoteError) {
        let task: Task<Result<Void, RemoteError>, Never>
        if let known = running[folder] {
            task = known
        } else {
            task = Task {
                do throws(RemoteError) {
                    try await self.list(folder)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            running[folder] = task
        }
        let result = await waitUnlessCancelled(task)
        running[folder] = nil
        try result.get()
    }

    /// A waiter that is interrupted leaves at once; the listing goes on for the others.
    private func waitUnlessCancelled(
        _ task: Task<Result<Void, RemoteError>, Never>
    ) async -> Result<Void, RemoteError> {
        let (stream, continuation) = AsyncStream<Result<Void, RemoteError>>.makeStream()
        let forwarder = Task { continuation.yield(await task.value) }
        defer { forwarder.cancel() }
        for await result in stream {
            return result
        }
        return .failure(.cancelled)
    }

    private func list(_ folder: InodeID) async throws(RemoteError) {
        let environment = environment
        let known = await storeWork { try $0.read { ($0.isListed(folder), $0.path(of: folder)) } }
        guard let (isListed, path) = known else { throw .server("the local database failed") }
        if isListed || environment.state.current.isTreeComplete { return }
        guard let path else { return }
        try await environment.gate.look { () async throws(RemoteError) in
            let entries = try await pages(of: RemotePath(rawValue: path))
            try await apply(entries, in: folder)
        }
    }

    private func apply(
        _ entries: [RemoteEntry], in folder: InodeID
    ) async throws(RemoteError) {
        let environment = environment
        let changes = await storeWork { store in
            try store.write { transaction in
                var applier = try DeltaApplier(
                    transaction: transaction, context: environment.deltaContext())
                try applier.apply(entries)
                try transaction.setFlags(.listed, true, of: folder)
                return applier.changes
            }
        }
        guard let changes else { throw .server("the local database failed") }
        environment.observer.treeDidChange(changes)
    }

    private func pages(of path: RemotePath) async throws(RemoteError) -> [RemoteEntry] {
        var page = try await environment.remote.list(path, recursive: false)
        var entries = page.entries
        while page.hasMore {
            page = try await environment.remote.list(after: page.cursor)
            entries += page.entries
        }
        return entries
    }

    private func storeWork<Value: Sendable>(
        _ work: @escaping @Sendable (MetadataStore) throws -> Value
    ) async -> Value? {
        let store = environment.store
        return await environment.disk.run { try? work(store) }
    }
}

extension Snapshot {
    fileprivate func isListed(_ folder: InodeID) -> Bool {
        (try? node(folder)?.flags.contains(.listed)) ?? false
    }

    fileprivate func path(of folder: InodeID) -> String? {
        try? remotePath(of: folder)
    }
}
