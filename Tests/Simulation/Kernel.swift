// The kernel's caches over a mount: names, attributes, listings and pages, with its rules for how
// long they hold. Not responsible for what a user does, nor for writes that the kernel gathers.

import Core
import FileSystem

/// The kernel's cache of a filesystem's replies, each until the end that the reply names, or a
/// notification.
///
/// A name, a file or a folder is held while a request about it is unanswered: a notification about
/// it waits, as in the kernel for the lock that the request has. `unchecked`: used on the
/// scheduler's thread only.
final class Kernel: KernelInvalidating, @unchecked Sendable {
    struct Name: Hashable, Comparable {
        var parent: InodeID
        var bytes: [UInt8]

        static func < (left: Name, right: Name) -> Bool {
            left.parent == right.parent
                ? left.bytes.lexicographicallyPrecedes(right.bytes)
                : left.parent.rawValue < right.parent.rawValue
        }
    }

    /// A name that leads to an inode, or is known to be free, until a time of the scheduler.
    struct CachedName {
        var inode: InodeID?
        var end: Int64
    }

    struct CachedInode {
        var lookups: UInt64 = 0
        /// Number of users: open files, and requests on their way.
        var uses = 0
        var attributes: Attributes?
        /// When the attributes end, by the scheduler's clock.
        var end: Int64 = 0
        /// The change of the caches after which no older answer counts.
        var version = 0
        var pages: [UInt8]?
        var listing: Set<String>?
    }

    enum Notification {
        case entry(Name)
        case deletion(Name, InodeID)
        case inode(InodeID, content: Bool)
        case listing(InodeID)
    }

    /// One of so many unused inodes is given up at once.
    private static let reclaim = 8

    let scheduler: Scheduler
    let isDead: Mark
    /// Without names, each path is looked up anew.
    let keepsNames: Bool
    unowned let fs: DropboxFileSystem
    /// The filesystem has answered that it need not be asked whether a folder can be opened.
    private var skipsOpenDirectory = false
    private(set) var names: [Name: CachedName] = [:]
    private(set) var inodes: [InodeID: CachedInode] = [.root: CachedInode(uses: 1)]
    /// The files with pages that were refused, and that no user has closed since.
    private(set) var refused: Set<InodeID> = []
    private var held: [InodeID: Int] = [:]
    private var queue: [Notification] = []
    private var version = 0

    init(fs: DropboxFileSystem, scheduler: Scheduler, isDead: Mark, keepsNames: Bool) {
        self.fs = fs
        self.scheduler = scheduler
        self.isDead = isDead
        self.keepsNames = keepsNames
    }

    // MARK: Names

    /// Finds a name, and uses its inode until `letGo`. With `anew` no cached name counts.
    func lookup(_ bytes: [UInt8], in parent: InodeID, anew: Bool = false) async throws -> InodeID {
        let name = Name(parent: parent, bytes: bytes)
        if !anew, let known = names[name], known.end > scheduler.now {
            guard let inode = known.inode else { throw FileSystemError.noEntry }
            use(inode)
            return inode
        }
        let before = version
        let result = try await holding([parent]) { try await fs.lookup(bytes, in: parent).value() }
        switch result {
        case .absent(let timeout):
            drop(name)
            if keepsNames, timeout > 0 {
                names[name] = CachedName(inode: nil, end: end(timeout))
            }
            throw FileSystemError.noEntry
        case .found(let entry):
            let inode = entry.attributes.inode
            use(inode)
            learn(entry, name, since: before)
            return inode
        }
    }

    /// Keeps an inode until `letGo`.
    func use(_ inode: InodeID) { inodes[inode, default: CachedInode()].uses += 1 }

    /// Ends a use of an inode.
    func letGo(_ inode: InodeID) {
        guard let uses = inodes[inode]?.uses, uses > 0 else { return }
        inodes[inode]?.uses = uses - 1
        guard uses == 1 else { return }
        if !keepsNames || scheduler.draw(Self.reclaim) == 0 {
            for name in sortedNames where names[name]?.inode == inode { names[name] = nil }
        }
        giveUp(inode)
    }

    /// Takes the entry of a name, which counts a lookup. `version` is that before the request.
    func learn(_ entry: Entry, _ name: Name, since version: Int) {
        let inode = entry.attributes.inode
        if names[name]?.inode != inode { drop(name) }
        inodes[inode, default: CachedInode()].lookups += 1
        set(entry, since: version)
        if keepsNames, entry.timeouts.entry > 0 {
            names[name] = CachedName(inode: inode, end: end(entry.timeouts.entry))
        }
    }

    /// A user has made something, and uses it until `letGo`.
    func made(_ entry: Entry, _ bytes: [UInt8], in parent: InodeID) {
        use(entry.attributes.inode)
        learn(entry, Name(parent: parent, bytes: bytes), since: version)
        folderChanged(parent)
    }

    /// A user has removed a name.
    func removed(_ bytes: [UInt8], in parent: InodeID) {
        let name = Name(parent: parent, bytes: bytes)
        if let inode = names[name]?.inode { forgetAttributes(of: inode) }
        drop(name)
        folderChanged(parent)
    }

    /// A user has renamed something: the cached name moves along.
    func renamed(_ name: Name, to target: Name, isExchange: Bool) {
        let (source, other) = (names[name], names[target])
        for inode in [source?.inode, other?.inode].compactMap(\.self) {
            forgetAttributes(of: inode)
        }
        names[name] = isExchange ? other : nil
        names[target] = source
        if !isExchange, let inode = other?.inode { giveUp(inode) }
        folderChanged(name.parent)
        folderChanged(target.parent)
    }

    // MARK: Contents

    /// The entries of a folder, from the cache or anew.
    func list(_ folder: InodeID) async throws -> Set<String> {
        try await holding([folder]) {
            let cachesListing = try await openFolder(folder)
            if cachesListing, let known = inodes[folder]?.listing { return known }
            let names = try await read(
                folder, withEntries: keepsNames && scheduler.draw(2) == 0)
            if keepsNames { inodes[folder]?.listing = cachesListing ? names : nil }
            return names
        }
    }

    /// Opens a folder, unless the filesystem need no longer be asked. Returns whether its
    /// listing may be cached.
    private func openFolder(_ folder: InodeID) async throws -> Bool {
        if skipsOpenDirectory { return true }
        let opened = try await fs.openDirectory(folder).value()
        if opened.isLast { skipsOpenDirectory = true }
        return opened.cachesListing
    }

    /// Reads the names of a folder.
    private func read(_ folder: InodeID, withEntries: Bool) async throws -> Set<String> {
        var names: Set<String> = []
        var offset: UInt64 = 0
        while true {
            let before = version
            let reply = Reply(room: Self.room)
            let part = Self.part(behind: offset, withEntries)
            try await fs.readDirectory(folder, part) { reply.take($0) }.value()
            guard let last = reply.entries.last else { return names }
            offset = last.nextOffset
            names.formUnion(reply.names)
            for entry in reply.entries {
                guard let found = entry.entry else { continue }
                learn(found, Name(parent: folder, bytes: entry.name), since: before)
            }
        }
    }

    /// Entries that fit into a reply: few, so that most folders need several.
    private static let room = 4

    /// The names that the filesystem answers for a folder at once; nil if it does not.
    func namesNow(in folder: InodeID) -> Set<String>? {
        let reply = Reply(room: .max)
        let answer = fs.readDirectory(folder, Self.part(behind: 0, false)) { reply.take($0) }
        guard case .ready = answer else { return nil }
        return reply.names
    }

    private static func part(behind offset: UInt64, _ withEntries: Bool) -> DirectoryRead {
        DirectoryRead(offset: offset, size: 32 << 10, withEntries: withEntries)
    }

    /// The entries of a reply. `unchecked`: used on the scheduler's thread only.
    private final class Reply: @unchecked Sendable {
        private(set) var entries: [DirectoryEntry] = []
        private let room: Int

        init(room: Int) { self.room = room }

        var names: Set<String> {
            Set(entries.map { User.path(of: $0.name) }.filter { $0 != "." && $0 != ".." })
        }

        func take(_ entry: DirectoryEntry) -> Bool {
            guard entries.count < room else { return false }
            entries.append(entry)
            return true
        }
    }

    /// A user has opened a file.
    func opened(_ inode: InodeID, _ opened: OpenedFile, truncates: Bool = false) {
        if truncates {
            version += 1
            forgetAttributes(of: inode)
        }
        if truncates || !opened.keepsCache { inodes[inode]?.pages = nil }
    }

    /// Reads a file into the cache, unless it is there.
    func fill(_ inode: InodeID, _ opened: OpenedFile, count: Int) async throws {
        guard keepsNames, !opened.isDirect, inodes[inode]?.pages == nil else { return }
        try await holding([inode]) {
            let bytes = try await fs.read(inode, handle: opened.handle, offset: 0, count: count)
                .value()
            inodes[inode]?.pages = bytes
        }
    }

    /// A user has written to a file.
    func wrote(_ bytes: [UInt8], at offset: Int64, _ inode: InodeID) {
        forgetAttributes(of: inode)
        guard var pages = inodes[inode]?.pages else { return }
        let end = Int(offset) + bytes.count
        pages += [UInt8](repeating: 0, count: max(0, end - pages.count))
        pages.replaceSubrange(Int(offset)..<end, with: bytes)
        inodes[inode]?.pages = pages
    }

    /// A user has copied into a file without its bytes.
    func copied(into inode: InodeID) {
        forgetAttributes(of: inode)
        inodes[inode]?.pages = nil
    }

    /// A page that a user has written through a mapping was refused: it stays until the file is
    /// closed.
    func noteRefusedPage(of inode: InodeID) { refused.insert(inode) }

    /// A user has closed a file.
    func closed(_ inode: InodeID) { refused.remove(inode) }

    /// A user has set attributes.
    func changed(_ entry: Entry) {
        forgetAttributes(of: entry.attributes.inode)
        set(entry, since: version)
    }

    /// Takes the attributes of an answer, unless a change has come between the request and it.
    func set(_ entry: Entry, since version: Int) {
        let inode = entry.attributes.inode
        guard var known = inodes[inode], known.version <= version else { return }
        known.attributes = entry.timeouts.attributes > 0 ? entry.attributes : nil
        known.end = end(entry.timeouts.attributes)
        if let pages = known.pages {
            let size = Int(entry.attributes.size)
            let kept = pages.prefix(size)
            known.pages = kept + [UInt8](repeating: 0, count: size - kept.count)
        }
        inodes[inode] = known
    }

    // MARK: Notifications

    func invalidateEntry(_ name: FileName, in parent: InodeID) {
        add(.entry(Name(parent: parent, bytes: name.shown)))
    }

    func invalidateDeletedEntry(_ name: FileName, of child: InodeID, in parent: InodeID) {
        add(.deletion(Name(parent: parent, bytes: name.shown), child))
    }

    func invalidateInode(_ inode: InodeID, content: Bool) { add(.inode(inode, content: content)) }

    func invalidateListing(of folder: InodeID) { add(.listing(folder)) }

    func settle(within limit: Duration) -> Bool { queue.isEmpty }

    private func add(_ notification: Notification) {
        queue.append(notification)
        wake()
    }

    private func wake() {
        Task.detached { [self] in
            if !isDead.isSet { _ = deliver() }
        }
    }

    /// Delivers the first notification that nothing holds. False if there is none.
    private func deliver() -> Bool {
        let index = queue.firstIndex { notification in
            switch notification {
            case .entry(let name): held[name.parent] == nil
            case .deletion(let name, let child): held[name.parent] == nil && held[child] == nil
            case .inode(_, content: false): true
            case .inode(let inode, content: true), .listing(let inode): held[inode] == nil
            }
        }
        guard let index else { return false }
        switch queue.remove(at: index) {
        // A name that it does not have tells the kernel nothing of the folder either.
        case .entry(let name) where names[name] == nil: break
        case .deletion(let name, _) where names[name] == nil: break
        case .entry(let name):
            folderChanged(name.parent)
            drop(name)
        case .deletion(let name, let child):
            folderChanged(name.parent)
            if names[name]?.inode == child { drop(name) } else { names[name]?.end = 0 }
        case .inode(let inode, let content):
            forgetAttributes(of: inode)
            if content { inodes[inode]?.pages = nil }
        case .listing(let folder):
            folderChanged(folder)
        }
        return true
    }

    // MARK: Rules

    /// Delivers what waits; whether nothing is on its way then, so that the caches can be checked.
    func comeToRest() -> Bool {
        while deliver() {}
        return queue.isEmpty && held.isEmpty
    }

    var sortedNames: [Name] { names.keys.sorted() }

    var sortedInodes: [InodeID] { inodes.keys.sorted { $0.rawValue < $1.rawValue } }

    // MARK: Bookkeeping

    func holding<Value>(
        _ inodes: [InodeID], _ body: () async throws -> Value
    ) async rethrows -> Value {
        for inode in inodes { held[inode, default: 0] += 1 }
        defer {
            for inode in inodes {
                held[inode] = held[inode].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
            if !queue.isEmpty { wake() }
        }
        return try await body()
    }

    private func end(_ timeout: Double) -> Int64 { scheduler.now + Int64(timeout * 1e9) }

    private func drop(_ name: Name) {
        guard let inode = names.removeValue(forKey: name)?.inode else { return }
        giveUp(inode)
    }

    private func folderChanged(_ folder: InodeID) {
        forgetAttributes(of: folder)
        inodes[folder]?.listing = nil
    }

    private func forgetAttributes(of inode: InodeID) {
        version += 1
        inodes[inode]?.version = version
        inodes[inode]?.attributes = nil
    }

    /// Forgets an inode that has no use and no name.
    private func giveUp(_ inode: InodeID) {
        guard let known = inodes[inode], known.uses == 0 else { return }
        if names.values.contains(where: { $0.inode == inode }) { return }
        inodes[inode] = nil
        for name in sortedNames where name.parent == inode { drop(name) }
        if inode != .root, known.lookups > 0, !isDead.isSet {
            fs.forget(inode, count: known.lookups)
        }
    }
}
