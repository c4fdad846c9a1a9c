// A user's steps that change contents of files: writes, also in place, flushes, and restored
// revisions. Not responsible for names.

import ContentHashing
import Core
import FileSystem
import MetadataStore
import RemoteStore
import Sync

extension User {
    func write(_ path: String) async throws {
        let token = ledger.issue(name)
        try await within(path) { name, parent in
            let before = try self.text(named: name, in: parent)
            let former = try self.deletedFile(named: name, in: parent)
            let created = try await self.kernel.holding([parent]) {
                try await self.emptied(name, in: parent, before)
            }
            let inode = created.entry.attributes.inode
            self.kernel.made(created.entry, name, in: parent)
            self.kernel.opened(inode, created.opened, truncates: true)
            defer { self.kernel.letGo(inode) }
            self.ledger.give(up: before, for: token)
            self.noteRemoval(of: before)
            defer { self.fs.release(inode, handle: created.opened.handle) }
            try await self.put(token, at: 0, inode, created.opened.handle)
            self.world.histories.note(token, after: former)
        }
    }

    /// Opens a file, or makes it, and empties it. A full disk may refuse that, and a process may
    /// die, after the file was emptied.
    func emptied(
        _ name: [UInt8], in parent: InodeID, _ before: String
    ) async throws -> CreatedFile {
        do {
            return try await fs.create(
                name, in: parent, permissions: 0o644,
                flags: OpenFlags(writes: true, truncates: true), caller: Self.caller
            ).value()
        } catch {
            if isDead || error as? FileSystemError == .noSpace { ledger.give(up: before) }
            throw error
        }
    }

    func append(_ path: String) async throws {
        let token = ledger.issue(name)
        let flags = OpenFlags(reads: true, writes: true, appends: true)
        try await with(path) { inode in
            let opened = try await self.fs.open(inode, flags: flags, caller: Self.caller).value()
            self.kernel.opened(inode, opened)
            defer { self.fs.release(inode, handle: opened.handle) }
            try await self.kernel.fill(inode, opened, count: Self.mostBytes)
            let before = try await self.tokens(in: OpenFile(inode: inode, handle: opened.handle))
            self.ledger.add(token, to: before)
            let size = try await self.fs.attributes(of: inode).value().attributes.size
            try await self.put(token, at: size, inode, opened.handle, flags)
        }
    }

    /// Writes a token and flushes the handle, as before it is closed.
    func put(
        _ token: String, at offset: Int64, _ inode: InodeID, _ handle: HandleID,
        _ flags: OpenFlags = writing
    ) async throws {
        try await send(token, at: offset, inode, handle, from: .call(flags))
        try await fs.flush(inode, handle: handle).value()
        acknowledge([token], inode)
    }

    private func send(
        _ token: String, at offset: Int64, _ inode: InodeID, _ handle: HandleID,
        from origin: WriteOrigin
    ) async throws {
        let bytes = Array(token.utf8)
        let isPage = origin == .page
        // A page of a mapping has them before the request, also if that is refused.
        if isPage { kernel.wrote(bytes, at: offset, inode) }
        let answer = bytes.withUnsafeBytes {
            fs.write(inode, handle: handle, offset: offset, bytes: $0, from: origin)
        }
        var isWritten = false
        defer { if isPage, !isWritten { kernel.noteRefusedPage(of: inode) } }
        do {
            let count = try await answer.value()
            isWritten = count == bytes.count
            if !isDead, !isPage { kernel.wrote(Array(bytes.prefix(count)), at: offset, inode) }
            guard isWritten else {
                // The program's next write is refused, and it gives up.
                ledger.noteShortWrite()
                throw FileSystemError.noSpace
            }
        } catch FileSystemError.staleHandle {
            // No change by others takes the file from a handle: theirs is another file then.
            if !isDead {
                world.violation = Violation(
                    rule: "a write through an open handle is stale", detail: "\(name) \(inode)")
            }
            throw FileSystemError.staleHandle
        }
    }

    /// A dead process returns nothing.
    func acknowledge(_ tokens: [String], _ inode: InodeID) {
        if isDead || removed.contains(inode) { return }
        for token in tokens { ledger.acknowledge(token, at: world.scheduler.now) }
    }

    /// Opens a file, and closes it after a function.
    func opened(_ path: String, _ body: (OpenFile) async throws -> Void) async throws {
        try await with(path) { inode in
            let opened = try await self.fs.open(
                inode, flags: OpenFlags(reads: true, writes: true), caller: Self.caller
            ).value()
            self.kernel.opened(inode, opened)
            defer {
                self.fs.release(inode, handle: opened.handle)
                self.kernel.closed(inode)
            }
            try await self.kernel.fill(inode, opened, count: Self.mostBytes)
            try await body(OpenFile(inode: inode, handle: opened.handle))
        }
    }

    func flush(_ path: String) async throws {
        try await opened(path) { file in
            let tokens = try await self.tokens(in: file)
            try await self.fs.synchronize(file.inode, handle: file.handle, dataOnly: false).value()
            if !self.isDead { self.ledger.promise(tokens) }
        }
    }

    /// Writes a token over some of a file's tokens, in place, by a call or through a mapping;
    /// returns it.
    func overwrite(_ file: OpenFile) async throws -> String {
        let parts = Ledger.parts(try await text(in: file))
        let first = world.scheduler.draw(max(1, parts.count))
        let count = 1 + world.scheduler.draw(max(1, parts.count - first))
        let start = parts.prefix(first).joined().utf8.count
        let replaced = parts.dropFirst(first).prefix(count)
        let token = ledger.issue(name, units: max(1, replaced.joined().utf8.count / Ledger.unit))
        ledger.add(token, to: Ledger.tokens(parts.joined()))
        if let saved = try savedContent(of: file),
            saved.isCrossed(by: Int64(start)..<Int64(start + token.utf8.count))
        {
            ledger.noteCrossing(token)
        }
        let others = Ledger.tokens(replaced.joined())
        do {
            let isMapped = kernel.keepsNames && world.scheduler.draw(2) == 0
            try await send(
                token, at: Int64(start), file.inode, file.handle,
                from: isMapped ? .page : .call(Self.writing))
        } catch {
            if isDead { ledger.overwrite(others, by: token) }
            throw error
        }
        ledger.overwrite(others, by: token)
        return token
    }

    /// The row of a file's unsent content.
    private func savedContent(of file: OpenFile) throws -> StagedContent? {
        try process.store.read { try $0.node(file.inode)?.staged }
    }

    /// Cuts off some of a file's tokens.
    func truncate(_ path: String) async throws {
        try await opened(path) { file in
            let parts = Ledger.parts(try await self.text(in: file))
            let kept = parts.prefix(self.world.scheduler.draw(max(1, parts.count)))
            // No row vouches for the rest until the next flush.
            self.ledger.add(self.ledger.issue(self.name), to: Set(parts))
            self.ledger.give(up: parts.dropFirst(kept.count).joined())
            var changes = AttributeChanges()
            changes.size = Int64(kept.joined().utf8.count)
            let entry = try await self.fs.setAttributes(
                changes, of: file.inode, handle: file.handle
            ).value()
            self.kernel.changed(entry)
            self.noteRemoval(of: parts.dropFirst(kept.count).joined())
            try await self.fs.flush(file.inode, handle: file.handle).value()
        }
    }

    func flush(_ file: inout OpenFile) async throws {
        let content = ledger.acknowledged((try? await tokens(in: file)) ?? [])
        try await fs.synchronize(file.inode, handle: file.handle, dataOnly: false).value()
        acknowledge(file.tokens, file.inode)
        if !isDead { ledger.promise(content + file.tokens) }
        file.tokens = []
    }

    /// The contents of the files of a folder, as this mount has them.
    func tokens(inFilesOf folder: InodeID) throws -> Set<String> {
        let nodes = try process.store.read { snapshot in
            try snapshot.children(of: folder).compactMap { try snapshot.node($0.inode) }
        }
        return Set(nodes.flatMap { Ledger.tokens(text(of: $0)) })
    }

    func tokens(in file: OpenFile) async throws -> Set<String> {
        Ledger.tokens(try await text(in: file))
    }

    func text(in file: OpenFile) async throws -> String {
        let bytes = try await fs.read(
            file.inode, handle: file.handle, offset: 0, count: Self.mostBytes
        ).value()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a handle still leads to the file that was opened: what others store replaces it.
    func check(_ file: OpenFile) async {
        guard let seen = file.seen, let now = try? await tokens(in: file) else { return }
        // Files that users have written here since may be there.
        let others = now.subtracting(seen).filter { token in
            !token.hasPrefix(name) || ledger.isIssued(token, upTo: file.opening)
        }
        guard !others.isEmpty else { return }
        world.violation = Violation(
            rule: "a handle leads to another file", detail: "\(name) \(others.sorted())")
    }

    /// Opens a file, and keeps it open.
    func open(_ path: String, writes: Bool) async throws {
        try await with(path) { inode in
            let opened = try await self.fs.open(
                inode, flags: OpenFlags(reads: true, writes: writes), caller: Self.caller
            ).value()
            self.kernel.opened(inode, opened)
            self.kernel.use(inode)
            var file = OpenFile(inode: inode, handle: opened.handle, writes: writes)
            file.seen = try? await self.tokens(in: file)
            file.opening = self.ledger.count
            self.openFiles.append(file)
            self.process.mount.pins.noteOpen(inode)
            try? await self.kernel.fill(inode, opened, count: Self.mostBytes)
        }
    }

    func writeOpen() async throws {
        for index in openFiles.indices where openFiles[index].writes {
            let file = openFiles[index]
            await check(file)
            let token = ledger.issue(name)
            ledger.add(token, to: try await tokens(in: file))
            let size = try await fs.attributes(of: file.inode).value().attributes.size
            try await send(token, at: size, file.inode, file.handle, from: .call(Self.writing))
            noteWrite(token, index)
        }
    }

    /// A token was written through an open handle.
    func noteWrite(_ token: String, _ index: Int) {
        openFiles[index].tokens.append(token)
        openFiles[index].lastWrite = (token, world.scheduler.now)
    }

    /// Closes all open files.
    func closeAll() {
        for file in openFiles {
            if case .ready = fs.flush(file.inode, handle: file.handle) {
                acknowledge(file.tokens, file.inode)
            }
            fs.release(file.inode, handle: file.handle)
            kernel.closed(file.inode)
            kernel.letGo(file.inode)
        }
        openFiles = []
    }

    /// Makes the oldest revision that is listed the current one.
    func restore(_ path: String) async throws {
        let names = try path.split(separator: "/").map { try FileName(utf8: Array($0.utf8)) }
        let history = UserHistory(link: process.link, world: world)
        let known = try await process.engine.revisions(of: names, limit: 3, from: history)
        let revision = known.isDeleted ? nil : known.versions.last?.file.revision
        _ = try await process.engine.restore(names, to: revision, from: history)
    }
}

extension StagedContent {
    /// Whether a write is in part where the row has the staging file's bytes, and in part where it
    /// has none yet, or the base's.
    fileprivate func isCrossed(by range: Range<Int64>) -> Bool {
        if range.contains(size), range.lowerBound < size { return true }
        guard base != nil else { return false }
        let blockSize = Int64(ContentHasher.blockSize)
        let touched = Int(range.lowerBound / blockSize)...Int((range.upperBound - 1) / blockSize)
        return Set(touched.map(holds)).count > 1
    }

    /// Whether the row has a block in the staging file.
    private func holds(_ block: Int) -> Bool {
        blocks.indices.contains(block / 8) && blocks[block / 8] >> (block % 8) & 1 == 1
    }

    /// The size that the staging file has at least, for the row to be true.
    var bytesOnDisk: Int64 {
        guard base != nil else { return size }
        let blockSize = Int64(ContentHasher.blockSize)
        let last = (0..<blocks.count * 8).last(where: holds) ?? -1
        return min(size, Int64(last + 1) * blockSize)
    }
}
