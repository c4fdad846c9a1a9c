// A user's copies of files: by the call that moves no bytes (copy_file_range), and by reading and
// writing where the filesystem does not take it, as `cp` does.

import Core
import FileSystem
import MetadataStore
import RemoteStore
import RemoteStoreTesting

extension User {
    func copy(_ path: String, to target: String) async throws {
        try await with(path) { source in
            let opened = try await self.fs.open(
                source, flags: OpenFlags(reads: true), caller: Self.caller
            ).value()
            self.kernel.opened(source, opened)
            defer {
                self.fs.release(source, handle: opened.handle)
                self.kernel.closed(source)
            }
            let file = OpenFile(inode: source, handle: opened.handle)
            try await self.within(target) { name, parent in
                // As `cp` does: they are the same file.
                guard try self.node(named: name, in: parent)?.inode != source else { return }
                try await self.copy(file, to: name, in: parent)
            }
        }
    }

    private func copy(_ source: OpenFile, to name: [UInt8], in parent: InodeID) async throws {
        let before = try text(named: name, in: parent)
        let created = try await kernel.holding([parent]) {
            try await emptied(name, in: parent, before)
        }
        let inode = created.entry.attributes.inode
        kernel.made(created.entry, name, in: parent)
        kernel.opened(inode, created.opened, truncates: true)
        defer { kernel.letGo(inode) }
        ledger.give(up: before)
        noteRemoval(of: before)
        defer { fs.release(inode, handle: created.opened.handle) }
        let target = OpenFile(inode: inode, handle: created.opened.handle)
        let size = try await copyBytes(of: source, to: target)
        // Others may store the replaced content again: to this mount it stays the replaced one.
        ledger.give(up: before, for: try await self.text(in: target), sent: world.serverTokens())
        guard world.scheduler.draw(2) == 0 else {
            return try await fs.flush(inode, handle: target.handle).value()
        }
        let token = ledger.issue(self.name)
        ledger.add(token, to: try await tokens(in: target))
        try await put(token, at: size, inode, target.handle)
    }

    /// Copies all bytes, in parts that end between tokens; returns their number.
    private func copyBytes(of source: OpenFile, to target: OpenFile) async throws -> Int64 {
        let text = try await self.text(in: source)
        // They are in two files from now on.
        ledger.allowCopies(of: text)
        world.removals.share(Ledger.tokens(text))
        for index in openFiles.indices where openFiles[index].inode == target.inode {
            openFiles[index].seen?.formUnion(Ledger.tokens(text))
        }
        let (size, unit) = (text.utf8.count, Ledger.unit)
        let part =
            world.scheduler.draw(2) == 0 ? Self.mostBytes : unit * (1 + world.scheduler.draw(4))
        var start = 0
        while start < size {
            let count = try await copyPart(start..<min(size, start + part), of: source, to: target)
            guard count > 0 else { break }
            start += count
        }
        return Int64(start)
    }

    private func copyPart(
        _ part: Range<Int>, of source: OpenFile, to target: OpenFile
    ) async throws -> Int {
        let offset = Int64(part.lowerBound)
        let bytes: [UInt8]
        do {
            let count = try await fs.copyRange(
                from: source.inode, handle: source.handle, offset: offset, to: target.inode,
                targetHandle: target.handle, targetOffset: offset, count: Int64(part.count)
            ).value()
            world.count("ranges copied without bytes")
            kernel.copied(into: target.inode)
            return count
        } catch FileSystemError.unsupported {
            bytes = try await fs.read(
                source.inode, handle: source.handle, offset: offset, count: part.count
            ).value()
        }
        let answer = bytes.withUnsafeBytes {
            fs.write(
                target.inode, handle: target.handle, offset: offset, bytes: $0,
                from: .call(OpenFlags(writes: true)))
        }
        let count = try await answer.value()
        if !isDead { kernel.wrote(Array(bytes.prefix(count)), at: offset, target.inode) }
        guard count == part.count else {
            ledger.noteShortWrite()
            throw FileSystemError.noSpace
        }
        return count
    }
}

extension World {
    /// The server has copied a file for a mount: its present content, which may be another than the
    /// one that users have copied.
    func noteCopied(_ entry: RemoteEntry) {
        guard case .file(let file) = entry.kind else { return }
        let text = text(of: file.revision)
        ledger.allowCopies(of: text)
        removals.share(Ledger.tokens(text))
        copiesByServer[Folding.fold(entry.name.string)] = text
    }

    /// Whether the server has copied a content to one of these names that is nowhere else any
    /// longer, but in conflicted copies: a mount that has got no reply cannot know it for its own.
    func hasUnknownCopy(
        _ names: [String], in entries: [RemotePath: TreeSnapshot.Entry]
    ) -> Bool {
        let texts = names.compactMap { copiesByServer[Folding.fold($0)] }
        guard !texts.isEmpty else { return false }
        let present = entries.compactMap { path, entry -> String? in
            guard !path.rawValue.contains("conflicted copy"), case .file(let bytes) = entry else {
                return nil
            }
            return Self.text(of: bytes)
        }
        return texts.contains { text in present.count { $0 == text } < 2 }
    }
}
