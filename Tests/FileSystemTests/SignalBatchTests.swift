// Which watchers are told of other clients' changes, and of what.

import Core
import MetadataStore
import Testing
import Tree

@testable import FileSystem

@Suite struct SignalBatchTests {
    private let fixture: Fixture
    private let folder: InodeID
    private let file: InodeID

    init() throws {
        fixture = try Fixture()
        folder = try fixture.remoteFolder("folder")
        file = try fixture.remoteFile("file", in: folder)
    }

    private func signals(
        for changes: [TreeChange], watched: Set<InodeID>, beyond count: Int = 0
    ) throws -> [InotifySignal] {
        var gathered = GatheredChanges()
        gathered.add(Array(repeating: .listing(.root), count: count))
        gathered.add(changes)
        return try fixture.store.read { snapshot in
            var batch = SignalBatch(snapshot: snapshot) { watched.contains($0) }
            try batch.add(gathered)
            return batch.signals
        }
    }

    private func signal(_ change: InotifySignal.Change, _ path: String) -> InotifySignal {
        InotifySignal(change, at: Array(path.utf8))
    }

    @Test("a new name is told to the watchers of its folder, after the files in it")
    func entries() throws {
        let other = try fixture.remoteFile("other", in: folder)
        let changes = [
            TreeChange.entry(parent: folder, name: name("file")),
            .deletedEntry(parent: folder, child: InodeID(999), name: name("gone")),
            .entry(parent: folder, name: name("other")), .attributes(other),
        ]
        #expect(
            try signals(for: changes, watched: [folder]) == [
                signal(.content, "folder/file"), signal(.content, "folder/other"),
                signal(.names, "folder"),
            ])
        #expect(try signals(for: changes, watched: [.root]).isEmpty)
        #expect(
            try signals(for: [.entry(parent: .root, name: name("folder"))], watched: [.root])
                == [signal(.names, "")])
    }

    @Test("a file's change is told to its watchers and its folder's, new content with attributes")
    func files() throws {
        let changes = [TreeChange.attributes(file), .content(file)]
        for watched in [file, folder] {
            #expect(
                try signals(for: changes, watched: [watched]) == [signal(.content, "folder/file")])
        }
        #expect(
            try signals(for: [.attributes(file)], watched: [file])
                == [signal(.attributes, "folder/file")])
        #expect(try signals(for: changes, watched: [.root]).isEmpty)
        #expect(try signals(for: [.content(InodeID(999))], watched: [InodeID(999)]).isEmpty)
    }

    @Test("of many changes, the folders of the rest are told")
    func many() throws {
        let changes = [TreeChange.content(file), .entry(parent: .root, name: name("folder"))]
        #expect(
            try signals(for: changes, watched: [.root, folder], beyond: GatheredChanges.most)
                == [signal(.names, "folder"), signal(.names, "")])
    }
}
