// Plays one history on the filesystem and on the reference, and compares the two after every step.
// The steps that read and write are in ModelRun+Content.swift.

import Core
import MetadataStore
import RemoteStore
import Sync

@testable import FileSystem
@testable import Tree

/// A difference between the filesystem and the reference.
struct Difference: Error, CustomStringConvertible {
    var step: Int
    var operation: String
    var text: String

    var description: String { "step \(step), \(operation): \(text)" }
}

/// One history on both sides.
final class ModelRun {
    /// Few names, so that they meet: two that fold together by case, two by composition, one that
    /// stays local, one that is ignored, one that is refused.
    static let names = ["a", "A", "b", "\u{E9}", "e\u{301}", "~x.tmp", "b.o", "c "].map {
        FileSystemTests.name($0)
    }
    static let maximumHandles = 6

    var fixture: Fixture
    var reference: ReferenceTree
    var handles: [(inode: InodeID, handle: HandleID)] = []
    private(set) var lookups: [InodeID: UInt64] = [:]
    private var seed: UInt8 = 0

    init(refusesNames: Bool) throws {
        reference = ReferenceTree(refusesNames: refusesNames)
        var rules = IgnoreRules()
        try rules.append(parsing: "*.o")
        let ignored = rules
        fixture = try Fixture {
            $0.ignored = ignored
            $0.refusesNames = refusesNames
        }
    }

    /// Plays and compares. Throws the first difference.
    static func play(_ history: [Operation], refusesNames: Bool) async throws {
        let run = try ModelRun(refusesNames: refusesNames)
        for (step, operation) in history.enumerated() {
            do {
                try await run.apply(operation)
                try await run.compare()
            } catch let difference as Difference {
                throw Difference(
                    step: step, operation: "\(operation)", text: difference.text)
            }
        }
        try run.finish()
    }

    // MARK: Outcomes

    enum Outcome: Equatable {
        case done
        case bytes([UInt8])
        case failed(FileSystemError)
    }

    private func outcome(_ work: () async throws -> Outcome) async throws -> Outcome {
        do {
            return try await work()
        } catch let error as FileSystemError {
            return .failed(error)
        }
    }

    func require(_ holds: Bool, _ text: @autoclosure () -> String) throws {
        if !holds { throw Difference(step: 0, operation: "", text: text()) }
    }

    // MARK: Operands

    func pick(_ kinds: Set<FileKind>, _ operand: Int) -> [FileName]? {
        let paths = reference.paths(kinds)
        return paths.isEmpty ? nil : paths[operand % paths.count]
    }

    private func folder(_ operand: Int) -> [FileName] {
        pick([.directory], operand) ?? []
    }

    private func name(_ operand: Int) -> FileName {
        Self.names[operand % Self.names.count]
    }

    func handle(_ operand: Int) -> Int? {
        handles.isEmpty ? nil : operand % handles.count
    }

    func bytes(_ operand: Int) -> [UInt8] {
        seed &+= 1
        return pattern(operand % 40, seed: seed)
    }

    func inode(_ path: [FileName]) async throws -> InodeID {
        var current = InodeID.root
        for name in path {
            let found = try await fixture.fs.lookup(Array(name.string.utf8), in: current).value()
            guard case .found(let entry) = found else { throw FileSystemError.noEntry }
            count(entry.attributes.inode)
            current = entry.attributes.inode
        }
        return current
    }

    private func count(_ inode: InodeID) {
        lookups[inode, default: 0] += 1
    }

    // MARK: Steps

    private func apply(_ operation: Operation) async throws {
        let operands = operation.operands
        switch operation.kind {
        case .makeDirectory, .makeFile, .create, .makeLink, .unlink, .removeDirectory, .rename:
            try await changeNames(operation.kind, operands)
        case .open, .write, .read, .truncate, .allocate, .close, .copy:
            try await useContent(operation.kind, operands)
        case .setPermissions, .setTime, .setAttribute, .removeAttribute:
            try await setFacts(operation.kind, operands)
        case .commit:
            let queued = try fixture.journal()
            if !queued.isEmpty { try fixture.commit(queued[operands[0] % queued.count].inode) }
        case .commitAll: try fixture.commitAll()
        case .replaceFromServer: try await replaceFromServer(operands)
        case .forget: forget(operands[0])
        case .restart: try restart()
        }
    }

    func both(
        _ real: () async throws -> Outcome,
        _ expected: (inout ReferenceTree) throws(FileSystemError) -> Outcome
    ) async throws {
        let result = try await outcome(real)
        var wanted: Outcome
        do throws(FileSystemError) {
            wanted = try expected(&reference)
        } catch {
            wanted = .failed(error)
        }
        try require(result == wanted, "got \(result), expected \(wanted)")
    }

    private func changeNames(_ kind: Operation.Kind, _ operands: [Int]) async throws {
        let path = folder(operands[0])
        let name = name(operands[1])
        let bytes = Array(name.string.utf8)
        let parent = try await inode(path)
        let folder = reference.find(path)
        let fs = fixture.fs
        switch kind {
        case .makeDirectory:
            try await both {
                let answer = fs.makeDirectory(
                    bytes, in: parent, permissions: 0o755, caller: Fixture.user)
                self.count(try await answer.value().attributes.inode)
                return .done
            } _: { tree throws(FileSystemError) in
                _ = try tree.make(.directory, name, in: folder)
                return .done
            }
        case .makeFile:
            try await both {
                let answer = fs.makeNode(
                    .regular, bytes, in: parent, permissions: 0o644, caller: Fixture.user)
                self.count(try await answer.value().attributes.inode)
                return .done
            } _: { tree throws(FileSystemError) in
                _ = try tree.make(.regular, name, in: folder)
                return .done
            }
        case .makeLink:
            try await both {
                let answer = fs.makeSymbolicLink(
                    bytes, in: parent, target: text("t\(operands[2])"), caller: Fixture.user)
                self.count(try await answer.value().attributes.inode)
                return .done
            } _: { tree throws(FileSystemError) in
                _ = try tree.make(.symbolicLink, name, in: folder, target: "t\(operands[2])")
                return .done
            }
        case .create: try await create(name, parent, folder, operands)
        case .unlink:
            try await both {
                try await fs.unlink(bytes, in: parent).value()
                return .done
            } _: { tree throws(FileSystemError) in
                try tree.unlink(name, in: folder)
                return .done
            }
        case .removeDirectory:
            try await both {
                try await fs.removeDirectory(bytes, in: parent).value()
                return .done
            } _: { tree throws(FileSystemError) in
                try tree.removeDirectory(name, in: folder)
                return .done
            }
        default: try await rename(name, parent, folder, operands)
        }
    }

    private func create(
        _ name: FileName, _ parent: InodeID, _ folder: Int, _ operands: [Int]
    ) async throws {
        guard handles.count < Self.maximumHandles else { return }
        var flags = Self.flags(operands[2])
        flags.isExclusive = operands[3] % 3 == 0
        try await both {
            let created = try await self.fixture.fs.create(
                Array(name.string.utf8), in: parent, permissions: 0o644, flags: flags,
                caller: Fixture.user
            ).value()
            self.count(created.entry.attributes.inode)
            self.handles.append((created.entry.attributes.inode, created.opened.handle))
            return .done
        } _: { tree throws(FileSystemError) in
            try tree.create(name, in: folder, flags)
            return .done
        }
    }

    private func rename(
        _ name: FileName, _ parent: InodeID, _ folder: Int, _ operands: [Int]
    ) async throws {
        let newPath = self.folder(operands[2])
        let newName = self.name(operands[3])
        let newParent = try await inode(newPath)
        let newFolder = reference.find(newPath)
        let mode: RenameMode =
            switch operands[4] % 8 {
            case 0: .noReplace
            case 1: .exchange
            default: .replace
            }
        try await both {
            try await self.fixture.fs.rename(
                Array(name.string.utf8), in: parent, to: Array(newName.string.utf8),
                in: newParent, mode: mode
            ).value()
            return .done
        } _: { tree throws(FileSystemError) in
            try tree.rename(name, in: folder, to: newName, in: newFolder, mode)
            return .done
        }
    }

    private func setFacts(_ kind: Operation.Kind, _ operands: [Int]) async throws {
        guard let path = pick([.regular, .directory], operands[0]) else { return }
        let inode = try await inode(path)
        let id = reference.find(path)
        var changes = AttributeChanges()
        let attribute = "user.\(operands[1] % 2)"
        switch kind {
        case .setPermissions:
            changes.permissions = UInt16(operands[1] % 0o1000)
            reference[id].permissions = changes.permissions
            _ = try await fixture.fs.setAttributes(changes, of: inode, handle: nil).value()
        case .setTime:
            let time = WallTime(seconds: Int64(operands[1]), nanoseconds: Int64(operands[2]))
            changes.modificationTime = .time(time)
            reference[id].modified = time
            _ = try await fixture.fs.setAttributes(changes, of: inode, handle: nil).value()
        case .setAttribute:
            let value = bytes(operands[2])
            reference[id].attributes[attribute] = value
            try await fixture.fs.setExtendedAttribute(
                attribute, of: inode, to: value, mode: .any
            ).value()
        default:
            try await both {
                try await self.fixture.fs.removeExtendedAttribute(attribute, of: inode).value()
                return .done
            } _: { tree throws(FileSystemError) in
                guard tree[id].attributes.removeValue(forKey: attribute) != nil else {
                    throw .noAttribute
                }
                return .done
            }
        }
    }

    private func replaceFromServer(_ operands: [Int]) async throws {
        guard let path = pick([.regular], operands[0]) else { return }
        let bytes = bytes(operands[1])
        let inode = try await inode(path)
        if try fixture.replaceFromServer(inode, bytes, isCached: operands[2] % 2 == 0) {
            reference.replaceFromServer(path, bytes)
        }
    }

    private func forget(_ operand: Int) {
        let open = Set(handles.map(\.inode))
        let inodes = lookups.keys.filter { !open.contains($0) }.sorted()
        guard !inodes.isEmpty else { return }
        let inode = inodes[operand % inodes.count]
        fixture.fs.forget(inode, count: lookups.removeValue(forKey: inode) ?? 0)
    }

    /// The process ends after all descriptors were closed, and the account is mounted again.
    private func restart() throws {
        for (inode, handle) in handles {
            try fixture.fs.flush(inode, handle: handle).now()
        }
        handles = []
        reference.handles = []
        lookups = [:]
        fixture = try fixture.remounted()
    }
}
