// The steps of a history that open, read, write and close files.

import Core
import MetadataStore

@testable import FileSystem

extension ModelRun {
    static func flags(_ operand: Int) -> OpenFlags {
        switch operand % 5 {
        case 0: .truncating
        case 1: .appending
        default: .both
        }
    }

    func useContent(_ kind: Operation.Kind, _ operands: [Int]) async throws {
        switch kind {
        case .open: return try await open(operands)
        case .truncate: return try await truncate(operands)
        default: break
        }
        guard let index = handle(operands[0]) else { return }
        let (inode, handle) = handles[index]
        let offset = operands[1] % 60
        switch kind {
        case .write:
            let bytes = bytes(operands[2])
            let count = try await fixture.writeWaiting(inode, handle, Int64(offset), bytes)
            try require(count == bytes.count, "\(count) bytes written")
            reference.write(index, offset, bytes)
        case .read:
            let count = operands[2] % 80
            try await both {
                .bytes(
                    try await self.fixture.fs.read(
                        inode, handle: handle, offset: Int64(offset), count: count
                    ).value())
            } _: { tree throws(FileSystemError) in
                .bytes(tree.read(index, offset, count))
            }
        case .allocate: try await allocate(index, offset, operands)
        case .close:
            try fixture.close(inode, handle)
            handles.remove(at: index)
            reference.handles.remove(at: index)
        default: try await copy(index, operands)
        }
    }

    private func open(_ operands: [Int]) async throws {
        guard handles.count < Self.maximumHandles,
            let path = pick([.regular, .directory, .symbolicLink], operands[0])
        else { return }
        let inode = try await inode(path)
        let flags = Self.flags(operands[1])
        let id = reference.find(path)
        try await both {
            let opened = try await self.fixture.fs.open(inode, flags: flags).value()
            self.handles.append((inode, opened.handle))
            return .done
        } _: { tree throws(FileSystemError) in
            try tree.open(id, flags)
            return .done
        }
    }

    private func truncate(_ operands: [Int]) async throws {
        guard let path = pick([.regular], operands[0]) else { return }
        let inode = try await inode(path)
        var changes = AttributeChanges()
        changes.size = Int64(operands[1] % 60)
        let entry = try await fixture.fs.setAttributes(changes, of: inode, handle: nil).value()
        try require(entry.attributes.size == changes.size, "size \(entry.attributes.size)")
        reference.truncate(reference.find(path), to: operands[1] % 60)
    }

    private func allocate(_ index: Int, _ offset: Int, _ operands: [Int]) async throws {
        let (inode, handle) = handles[index]
        let count = 1 + operands[2] % 30
        let modes: [AllocationMode] = [
            .extend, .keepSize, .punchHole, .zeroRange(keepsSize: true),
            .zeroRange(keepsSize: false),
        ]
        let mode = modes[operands[3] % modes.count]
        try await both {
            try await self.fixture.fs.allocate(
                inode, handle: handle, offset: Int64(offset), count: Int64(count), mode: mode
            ).value()
            return .done
        } _: { tree throws(FileSystemError) in
            tree.allocate(index, offset..<offset + count, mode)
            return .done
        }
    }

    private func copy(_ source: Int, _ operands: [Int]) async throws {
        guard let target = handle(operands[3]) else { return }
        let offset = operands[1] % 3 == 0 ? operands[2] % 40 : 0
        let count = operands[4] % 60
        do {
            let copied = try await fixture.fs.copyRange(
                from: handles[source].inode, handle: handles[source].handle,
                offset: Int64(offset), to: handles[target].inode,
                targetHandle: handles[target].handle, targetOffset: Int64(offset),
                count: Int64(count)
            ).value()
            let bytes = reference.read(source, offset, count)
            try require(copied == bytes.count, "\(copied) bytes copied")
            if !bytes.isEmpty { reference.write(target, offset, bytes) }
        } catch FileSystemError.unsupported, FileSystemError.badHandle {
            // Left to the kernel, which reads and writes.
        }
    }
}
