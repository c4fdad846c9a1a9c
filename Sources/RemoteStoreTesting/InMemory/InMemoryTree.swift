// A cloud's tree as plain values: the reference model of Dropbox's behaviour, small enough to be
// read. Not responsible for the index of its items (`InMemoryItems`), old revisions
// (`InMemoryStore+History.swift`), pages and cursors (`InMemoryListing`), sessions
// (`InMemorySession`) or waiting.

import ContentHashing
import Core
import RemoteStore

/// Files, folders, revisions and the change log of one account.
struct InMemoryTree {
    typealias Folder = InMemoryItems.Folder
    typealias Item = InMemoryItems.Item

    /// Upper limit of all files' bytes.
    var quota: Int64
    /// The rule for names that collide.
    let folding: NameFolding
    /// Every change in order, as deltas deliver it.
    private(set) var log: [RemoteEntry] = []
    /// Entries deleted or moved together with a folder, by the index of the folder's change in
    /// `log`.
    private(set) var goneTogether: [Int: [RemoteEntry]] = [:]
    /// The POSIX facts of files and folders; nil for an account that keeps none.
    private(set) var facts: [FileID: PosixFacts]?
    /// Whether deltas tell of an entry whose facts alone have changed: the specification does not
    /// say.
    var tellsFacts = true
    /// Content of every revision; deleted and overwritten ones stay readable.
    private(set) var contents: [Revision: [UInt8]] = [:]
    /// The folders that only `OtherClient` may change, with their contents.
    var readOnly: Set<FileID> = []
    private var items = InMemoryItems()
    private var counter = 0

    /// Ids and revisions continue those of the other tree, so that they differ.
    init(
        quota: Int64, folding: NameFolding, keepsFacts: Bool = false,
        after other: InMemoryTree? = nil
    ) {
        facts = keepsFacts ? [:] : nil
        tellsFacts = other?.tellsFacts ?? true
        self.quota = quota
        self.folding = folding
        counter = other?.counter ?? 0
    }

    var used: Int64 { items.size }

    // MARK: Looking

    func item(at path: RemotePath) -> Item? {
        var folder = Folder.root
        var found: Item?
        for component in path.components {
            guard let item = items.child(folding.key(of: component), of: folder) else { return nil }
            found = item
            folder = .item(item.id)
        }
        return found
    }

    func item(id: FileID) -> Item? { items[id] }

    /// Throws `notFound` or `notAFolder`.
    func folder(at path: RemotePath) throws(RemoteError) -> Folder {
        if path == .root { return .root }
        guard let item = item(at: path) else { throw .notFound }
        guard item.file == nil else { throw .notAFolder }
        return .item(item.id)
    }

    /// What an entry says of the facts of a file or folder.
    private func report(of id: FileID) -> PosixReport {
        guard let facts else { return .untold }
        return facts[id].map { .told($0) } ?? .missing
    }

    /// An entry of the log as deltas tell it: facts whose changes are not in the log are those of
    /// the moment of the request, or an older state would be the last that is told.
    func withPresentFacts(_ entry: RemoteEntry) -> RemoteEntry {
        guard !tellsFacts else { return entry }
        var entry = entry
        switch entry.kind {
        case .file(var file):
            file.posix = report(of: file.id)
            entry.kind = .file(file)
        case .folder(var folder):
            folder.posix = report(of: folder.id)
            entry.kind = .folder(folder)
        case .deleted: break
        }
        return entry
    }

    func entry(of item: Item) -> RemoteEntry {
        let posix = report(of: item.id)
        var file = item.file
        file?.posix = posix
        return RemoteEntry(
            foldedPath: RemotePath(rawValue: items.foldedPath(of: item)), name: item.name,
            kind: file.map { .file($0) } ?? .folder(RemoteFolder(id: item.id, posix: posix)))
    }

    /// Everything in a folder, parents before children, siblings by their folded names.
    func entries(in folder: Folder, recursive: Bool) -> [RemoteEntry] {
        inside(folder).flatMap { item -> [RemoteEntry] in
            [entry(of: item)] + (recursive ? entries(in: .item(item.id), recursive: true) : [])
        }
    }

    func inside(_ folder: Folder) -> [Item] {
        items.inside(folder)
    }

    /// The path of keys for a path of names.
    func foldedPath(of path: RemotePath) -> RemotePath {
        RemotePath(rawValue: path.components.map { "/" + folding.key(of: $0) }.joined())
    }

    // MARK: Changing

    mutating func makeFolder(at path: RemotePath) throws(RemoteError) -> RemoteEntry {
        try checkTarget(path)
        try checkFree(path)
        return try add(nextID(), at: path, file: nil)
    }

    /// Identical content is never written again, not even its time: the entry stays unchanged.
    mutating func store(
        _ bytes: [UInt8], commit: RemoteCommit, now: WallTime
    ) throws(RemoteError) -> RemoteEntry {
        let hash = ContentHasher.hash(bytes)
        if let expected = commit.hash, expected != hash { throw .contentMismatch }
        if commit.facts?.link != nil, facts == nil {
            throw .forbidden("the account keeps no facts")
        }
        try checkTarget(commit.path)
        let known = item(at: commit.path)
        if let known, known.file == nil { throw .conflict(.folder) }
        let isIdentical = known?.file?.hash == hash
        switch commit.expectation {
        case .absent(let strict):
            if known != nil, strict || !isIdentical { throw .conflict(.file) }
        case .revision(let revision):
            let isExpected = known?.file?.revision == revision
            // The same commit may have been sent before.
            let isDone = isIdentical && commit.hash != nil
            guard isExpected || isDone else { throw .conflict(.file) }
        }
        if isIdentical, let known {
            if let facts = commit.facts { setFacts(facts, of: known) }
            return entry(of: known)
        }
        let size = Int64(bytes.count)
        guard used - (known?.file?.size ?? 0) + size <= quota else { throw .insufficientSpace }
        let file = RemoteFile(
            id: known?.id ?? nextID(), revision: keep(bytes), hash: hash, size: size,
            clientModified: commit.clientModified.storable, serverModified: now.storable)
        if facts != nil, let kept = commit.facts { facts?[file.id] = kept }
        guard var known else { return try add(file.id, at: commit.path, file: file) }
        known.file = file
        return record(known)
    }

    /// Replaces the facts of a file or folder. Its revision stays.
    mutating func setFacts(_ kept: PosixFacts, at path: RemotePath) throws(RemoteError) {
        guard let item = item(at: path) else { throw .notFound }
        guard facts != nil else { throw .forbidden("the account keeps no facts") }
        setFacts(kept, of: item)
    }

    private mutating func setFacts(_ kept: PosixFacts, of item: Item) {
        guard facts != nil, facts?[item.id] != kept else { return }
        facts?[item.id] = kept
        if tellsFacts { log.append(entry(of: item)) }
    }

    /// Removes all facts, as the removal of their template does. No delta tells of it.
    mutating func removeFacts() {
        if facts != nil { facts = [:] }
    }

    /// Stores what this client cannot: a symbolic link, or without a target a document that cannot
    /// be downloaded.
    mutating func store(
        linkTo target: LinkTarget?, at path: RemotePath, now: WallTime
    ) throws(RemoteError) -> RemoteEntry {
        try checkTarget(path)
        try checkFree(path)
        let file = RemoteFile(
            id: nextID(), revision: keep([]), hash: target == nil ? nil : ContentHasher.hash([]),
            size: 0, clientModified: now.storable, serverModified: now.storable,
            symbolicLinkTarget: target, isDownloadable: target != nil)
        return try add(file.id, at: path, file: file)
    }

    mutating func delete(_ path: RemotePath, revision: Revision?) throws(RemoteError) {
        guard let item = item(at: path) else { throw .notFound }
        if let revision {
            guard let file = item.file else { throw .conflict(.folder) }
            guard file.revision == revision else { throw .conflict(.file) }
        }
        take(item)
        forget(item)
    }

    /// A move keeps ids, and gives a new revision to each file in the subtree. Deltas report it as
    /// one deletion, then all entries at the target. More entries than `limit` are not moved.
    mutating func move(
        _ path: RemotePath, to target: RemotePath, limit: Int = .max
    ) throws(RemoteError) -> RemoteEntry {
        guard var item = item(at: path) else { throw .notFound }
        try checkTarget(target)
        // This also refuses a name that differs only in case: it resolves to the item itself.
        try checkFree(target)
        try checkOutside(item, target)
        if items.count(of: item) > limit { throw .tooManyEntries }
        take(item)
        let (folder, name) = try makeFolder(above: target)
        item.folder = folder
        item.name = name
        renewRevisions(of: &item)
        let moved = record(item)
        log += entries(in: .item(item.id), recursive: true)
        return moved
    }

    private mutating func renewRevisions(of item: inout Item) {
        if let file = item.file {
            item.file?.revision = keep(contents[file.revision] ?? [])
        }
        for var child in inside(.item(item.id)) {
            renewRevisions(of: &child)
            items.replace(child)
        }
    }

    /// Copies are new: they have ids and revisions of their own, and the originals' times.
    mutating func copy(
        _ path: RemotePath, to target: RemotePath, now: WallTime
    ) throws(RemoteError) -> RemoteEntry {
        guard let item = item(at: path) else { throw .notFound }
        try checkTarget(target)
        try checkFree(target)
        try checkOutside(item, target)
        guard used + items.size(of: item) <= quota else { throw .insufficientSpace }
        return try copy(item, to: target, now: now)
    }

    private mutating func copy(
        _ item: Item, to target: RemotePath, now: WallTime
    ) throws(RemoteError) -> RemoteEntry {
        var copy = item.file
        let id = nextID()
        if let file = item.file {
            copy?.id = id
            copy?.revision = keep(contents[file.revision] ?? [])
            copy?.serverModified = now.storable
        }
        let made = try add(id, at: target, file: copy)
        for child in inside(.item(item.id)) {
            _ = try self.copy(child, to: target.appending(child.name), now: now)
        }
        return made
    }

    // MARK: Checks

    /// Throws unless every component is an allowed name and no file occupies the path of a parent
    /// folder.
    private func checkTarget(_ path: RemotePath) throws(RemoteError) {
        let components = path.components
        guard !components.isEmpty else { throw .disallowedName }
        for component in components {
            _ = try InMemoryNames.validated(component, folding)
        }
        var folder = Folder.root
        for component in components.dropLast() {
            guard let item = items.child(folding.key(of: component), of: folder) else { return }
            guard item.file == nil else { throw .conflict(.ancestor) }
            folder = .item(item.id)
        }
    }

    private func checkFree(_ path: RemotePath) throws(RemoteError) {
        guard let known = item(at: path) else { return }
        throw .conflict(known.file == nil ? .folder : .file)
    }

    private func checkOutside(_ item: Item, _ target: RemotePath) throws(RemoteError) {
        let inside = items.foldedPath(of: item) + "/"
        if foldedPath(of: target).rawValue.utf8.starts(with: inside.utf8) {
            throw .conflict(.other)
        }
    }

    // MARK: Parts

    private mutating func add(
        _ id: FileID, at path: RemotePath, file: RemoteFile?
    ) throws(RemoteError) -> RemoteEntry {
        let (folder, name) = try makeFolder(above: path)
        return record(Item(id: id, folder: folder, name: name, file: file))
    }

    /// The parent folder of a new entry; missing folders are created, as Dropbox does on commits
    /// and moves.
    private mutating func makeFolder(
        above path: RemotePath
    ) throws(RemoteError) -> (Folder, FileName) {
        var names: [FileName] = []
        for component in path.components {
            names.append(try InMemoryNames.validated(component, folding))
        }
        guard let last = names.popLast() else { throw .disallowedName }
        var folder = Folder.root
        for name in names {
            if let known = items.child(name.folded, of: folder) {
                folder = .item(known.id)
            } else {
                let made = Item(id: nextID(), folder: folder, name: name, file: nil)
                _ = record(made)
                folder = .item(made.id)
            }
        }
        return (folder, last)
    }

    /// Inserts an item at its path, and logs the change.
    private mutating func record(_ item: Item) -> RemoteEntry {
        items.insert(item)
        let entry = entry(of: item)
        log.append(entry)
        return entry
    }

    /// Removes an item from its folder, and logs the deletion.
    private mutating func take(_ item: Item) {
        let inside = entries(in: .item(item.id), recursive: true)
        if !inside.isEmpty { goneTogether[log.count] = inside.map(\.gone) }
        log.append(entry(of: item).gone)
        items.detach(item)
    }

    private mutating func forget(_ item: Item) {
        for id in items.remove(item) { facts?[id] = nil }
    }

    private mutating func keep(_ bytes: [UInt8]) -> Revision {
        counter += 1
        let digits = String(counter, radix: 16)
        // At least nine digits, as the specification's pattern for revisions demands.
        let revision = Revision(String(repeating: "0", count: max(0, 9 - digits.count)) + digits)
        contents[revision] = bytes
        return revision
    }

    private mutating func nextID() -> FileID {
        counter += 1
        return FileID("id:item\(counter)")
    }
}

extension RemoteEntry {
    /// The deletion entry of this entry.
    fileprivate var gone: RemoteEntry {
        RemoteEntry(foldedPath: foldedPath, name: name, kind: .deleted)
    }
}
