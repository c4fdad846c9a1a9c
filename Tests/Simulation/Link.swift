// A mount's connection to the server: requests and replies take time, are lost, refused or late,
// and none passes once the mount's process is dead. Not responsible for what the server does with a
// request.

import Core
import RemoteStore
import RemoteStoreTesting

/// One mount's connection to the server in memory.
///
/// `unchecked`: used on the scheduler's thread only.
final class Link: RemoteStoring, @unchecked Sendable {
    let base: InMemoryStore
    private let scheduler: Scheduler
    private let isDead: Mark
    /// Nil for a server that carries out all requests at once.
    private let belated: Belated?
    /// How many of a hundred requests fail.
    var faults = 0
    /// Without a network every request fails.
    var isCut = false
    /// The requests for deltas fail, and all others are answered.
    var lacksDeltas = false
    /// The longest way of a request or a reply, in milliseconds.
    var distance = 20
    /// Called with each request and its outcome.
    private let note: (String) -> Void
    /// Called with each kind of fault.
    private let count: (String) -> Void
    /// Called when the server has changed something, before the reply.
    var onChange: () -> Void = {}
    /// Called with the entry of a copy by the server.
    var onCopy: (RemoteEntry) -> Void = { _ in }
    /// Called with each change for which the account has no right.
    var onRefusal: (Restricted) -> Void = { _ in }
    /// Called with each request that a rule is about.
    var onRequest: (Request) -> Void = { _ in }
    /// The listings that go on at a cursor.
    private var listings: [Cursor: Listing] = [:]

    private struct Listing {
        var folder: RemotePath
        var isWhole: Bool
        var nodes: Set<FileID> = []
    }
    /// Called with each path at which something is to be stored, and the path that it has so far.
    var onPlace: (RemotePath, RemotePath?) -> Void = { _, _ in }
    /// Number of requests so far.
    private(set) var requests = 0
    /// Number of requests that change something and have no reply yet.
    private(set) var changesOnTheirWay = 0
    /// Number of those that users have asked for, which wait for nothing else.
    var restorations = 0
    /// Number of requests so far that were to change something.
    private(set) var changes = 0
    /// The folders that requests were to make, of which no reply has told whether they did.
    private(set) var uncertainFolders: Set<RemotePath> = []
    /// The revisions that requests are about to delete.
    private(set) var deleting: Set<Revision> = []
    /// The nodes that requests were to move.
    private(set) var moved: Set<FileID> = []

    init(
        _ base: InMemoryStore, scheduler: Scheduler, isDead: Mark, belated: Belated?,
        note: @escaping (String) -> Void, count: @escaping (String) -> Void
    ) {
        self.base = base
        self.scheduler = scheduler
        self.isDead = isDead
        self.belated = belated
        self.note = note
        self.count = count
    }

    private func travel() async throws(RemoteError) {
        let time = scheduler.now + Int64(scheduler.draw(distance * 1000 + 1)) * 1000
        await scheduler.sleep(until: time)
        if isDead.isSet { await scheduler.hang() }
        if Task.isCancelled { throw .cancelled }
    }

    func perform<Value>(
        _ request: String, changes: Bool = false, as change: Restricted? = nil,
        late: (@Sendable () async -> Void)? = nil, _ body: () async throws(RemoteError) -> Value
    ) async throws(RemoteError) -> Value {
        requests += 1
        if changes {
            self.changes += 1
            changesOnTheirWay += 1
        }
        defer { if changes { changesOnTheirWay -= 1 } }
        note("→ \(request)")
        do throws(RemoteError) {
            let value = try await carry(changes: changes, late, body)
            note("← \(request) \(Self.summary(of: value))")
            return value
        } catch {
            note("← \(request) ✘ \(error)")
            count("\(error.kind) received")
            if let change, error.isForRights { onRefusal(change) }
            throw error
        }
    }

    private func carry<Value>(
        changes: Bool, _ late: (@Sendable () async -> Void)?,
        _ body: () async throws(RemoteError) -> Value
    ) async throws(RemoteError) -> Value {
        try await travel()
        let fails = isCut || scheduler.happens(faults)
        // Half of what fails was done: only its reply is lost.
        let isDone = fails && !isCut && scheduler.draw(2) == 0
        if fails && !isDone {
            if !isCut, let belated, let late, scheduler.draw(2) == 0 {
                count("late requests")
                belated.carryOut(late)
                throw failure(isOpen: true)
            }
            count(isCut ? "requests without a network" : "lost requests")
            throw failure()
        }
        let value = try await body()
        if changes { onChange() }
        try await travel()
        if isDone || isCut {
            count("lost replies")
            throw failure(isOpen: true)
        }
        return value
    }

    /// The failure of a request. Whether the server has done it or will, is open; but it never says
    /// that it has refused a request that it carries out.
    private func failure(isOpen: Bool = false) -> RemoteError {
        if isCut { return isOpen ? .offline("cut") : .unreachable("cut") }
        let open: [RemoteError] = [.offline("lost"), .server("500"), .timedOut]
        if isOpen { return open[scheduler.draw(3)] }
        let refusals: [RemoteError] = [
            .rateLimited(retryAfter: 1), .unauthorized("expired"), .busy,
        ]
        return scheduler.draw(4) != 0 ? open[scheduler.draw(3)] : refusals[scheduler.draw(3)]
    }

    private func requireDeltas() throws(RemoteError) {
        if lacksDeltas { throw .offline("no deltas") }
    }

    // MARK: RemoteStoring

    var root: String { base.root }

    func refreshRoot() async throws(RemoteError) { try await base.refreshRoot() }

    func account() async throws(RemoteError) -> RemoteAccount { try await base.account() }

    func space() async throws(RemoteError) -> RemoteSpace {
        try await perform("space") { () async throws(RemoteError) in try await base.space() }
    }

    func list(_ folder: RemotePath, recursive: Bool) async throws(RemoteError) -> RemotePage {
        try await perform("list \(folder.rawValue)") { () async throws(RemoteError) in
            let page = try await base.list(folder, recursive: recursive)
            note(page, of: Listing(folder: folder, isWhole: recursive))
            return page
        }
    }

    /// Tells what a listing has shown so far.
    private func note(_ page: RemotePage, of listing: Listing) {
        var listing = listing
        listing.nodes.formUnion(page.entries.compactMap(\.id))
        onRequest(.listing(listing.folder, listing.nodes, isWhole: listing.isWhole))
        if page.hasMore { listings[page.cursor] = listing }
    }

    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        try requireDeltas()
        return try await perform("continue") { () async throws(RemoteError) in
            let page = try await base.list(after: cursor)
            if let listing = listings[cursor] { note(page, of: listing) }
            return page
        }
    }

    func latestCursor() async throws(RemoteError) -> Cursor {
        try await perform("cursor") { () async throws(RemoteError) in
            try await base.latestCursor()
        }
    }

    func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        try requireDeltas()
        return try await perform("wait") { () async throws(RemoteError) in
            try await base.waitForChange(after: cursor, timeout: timeout)
        }
    }

    /// A node is asked for: what the reply tells is older than a change that is on its way.
    private func noteRead(of node: String) {
        if changesOnTheirWay > restorations { onRequest(.outdatedRead(node)) }
    }

    func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        noteRead(of: path.rawValue)
        return try await perform("entry \(path.rawValue)") { () async throws(RemoteError) in
            try await base.entry(at: path)
        }
    }

    func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        noteRead(of: id.rawValue)
        return try await perform("entry \(id.rawValue)") { () async throws(RemoteError) in
            try await base.entry(of: id)
        }
    }

    func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        try await perform("download \(revision.rawValue)") { () async throws(RemoteError) in
            try await base.download(revision, range: range)
        }
    }

    /// The change of a commit for which the account may lack the right; nil for content.
    private static func restricted(_ commit: RemoteCommit) -> Restricted? {
        commit.facts?.link == nil ? nil : .link
    }

    func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let request = "upload \(commit.path.rawValue) \(commit.expectation)"
        // The contents of a deleted folder are stored again where they were.
        if commit.expectation != .absent(strict: false) { onPlace(commit.path, nil) }
        var late: (@Sendable () async -> Void)?
        let content = try? source.bytes(0..<source.size)
        if let content { onRequest(.upload(commit, content)) }
        if belated != nil, let bytes = content {
            late = { [base, belated] in
                belated?.noteLate(bytes, withFacts: commit.facts != nil, at: commit.path)
                _ = try? await base.upload(MemorySource(bytes), commit: commit)
            }
        }
        return try await perform(request, changes: true, as: Self.restricted(commit), late: late) {
            () async throws(RemoteError) in
            let entry = try await base.upload(source, commit: commit)
            if let content { belated?.note(content, at: commit.path) }
            return entry
        }
    }

    func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        try await perform("begin session") { () async throws(RemoteError) in
            try await base.startUpload(concurrent: concurrent)
        }
    }

    func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        try await perform("append \(session.id)") { () async throws(RemoteError) in
            try await base.append(source, range: range, to: session, closes: closes)
        }
    }

    func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let request = "finish \(commit.path.rawValue) \(commit.expectation)"
        return try await perform(request, changes: true, as: Self.restricted(commit)) {
            () async throws(RemoteError) in
            try await base.finishUpload(session, size: size, commit: commit)
        }
    }

    func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        onPlace(path, nil)
        let isFirst = uncertainFolders.insert(path).inserted
        do throws(RemoteError) {
            let entry = try await perform(
                "mkdir \(path.rawValue)", changes: true,
                late: { [base] in _ = try? await base.makeFolder(at: path) }
            ) { () async throws(RemoteError) in
                try await base.makeFolder(at: path)
            }
            uncertainFolders.remove(path)
            return entry
        } catch {
            switch error {
            case .unreachable, .unsent, .rateLimited, .unauthorized, .busy, .forbidden:
                if isFirst { uncertainFolders.remove(path) }
            default: break
            }
            throw error
        }
    }

    func delete(_ node: RemoteReference, revision: Revision?) async throws(RemoteError) {
        let request = "delete \(node.summary) \(revision?.rawValue ?? "any")"
        if let revision { deleting.insert(revision) }
        defer { if let revision { deleting.remove(revision) } }
        try await perform(
            request, changes: true, as: .removal(node),
            late: { [base] in try? await base.delete(node, revision: revision) }
        ) { () async throws(RemoteError) in
            if revision == nil { onRequest(.deletion(node)) }
            try await base.delete(node, revision: revision)
        }
    }

    func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let request = "move \(node.summary) \(target.rawValue)"
        if let id = node.id { moved.insert(id) }
        onPlace(target, node.path)
        return try await perform(
            request, changes: true, as: .move(node, target),
            late: { [base] in _ = try? await base.move(node, to: target) }
        ) { () async throws(RemoteError) in
            try await base.move(node, to: target)
        }
    }

    func setFacts(_ facts: PosixFacts, of node: RemoteReference) async throws(RemoteError) {
        onRequest(.facts(node))
        try await perform(
            "facts \(node.summary) \(facts.text)", changes: true, as: .facts(node),
            late: { [base, belated] in
                belated?.hasFacts = true
                try? await base.setFacts(facts, of: node)
            }
        ) { () async throws(RemoteError) in
            try await base.setFacts(facts, of: node)
        }
    }

    func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let request = "copy \(source.summary) \(target.rawValue)"
        return try await perform(request, changes: true) { () async throws(RemoteError) in
            let entry = try await base.copy(source, to: target)
            onCopy(entry)
            return entry
        }
    }

    func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile] {
        try await perform("revisions \(id.rawValue)") { () async throws(RemoteError) in
            try await base.revisions(of: id)
        }
    }

    func deletionCursor() async throws(RemoteError) -> Cursor? {
        try await perform("deletion cursor") { () async throws(RemoteError) in
            try await base.deletionCursor()
        }
    }

    func deletedFile(at path: RemotePath) async throws(RemoteError) -> RemoteRevisions? {
        try await perform("revisions \(path.rawValue)") { () async throws(RemoteError) in
            try await base.deletedFile(at: path)
        }
    }

    func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        try await restore(path, to: revision, nil)
    }
}
