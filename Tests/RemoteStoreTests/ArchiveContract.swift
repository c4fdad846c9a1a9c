// Folders down as a whole.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("Contract of stores: archives")
struct ArchiveContract {
    private func contents(
        of folder: RemotePath, in store: any RemoteStoring
    ) async throws -> [[UInt8]] {
        let archive = try await store.archive(of: folder, bytes: 10 << 20)
        var contents: [[UInt8]] = []
        while let files = try await archive.next() { contents += files }
        return contents
    }

    @Test(
        "An archive has all files below a folder, but for large ones", arguments: Backend.allCases)
    func archive(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            // Bytes with the signature of an entry's end.
            let tricky = Array("PK\u{7}\u{8}PK\u{1}\u{2}".utf8)
            let large = [UInt8](repeating: 7, count: 4 << 20)
            try await subject.put("/Folder/a", bytes: tricky)
            try await subject.put("/Folder/Sub ä/b", bytes: large)
            try await subject.put("/Folder/larger", bytes: large + [1])
            try await subject.put("/Folder/empty", bytes: [])
            try await subject.put("/elsewhere", bytes: [1])
            let found = try await contents(of: "/folder", in: subject.store)
            #expect(Set(found) == [tricky, large, []])
            #expect(found.count == 3)
        }
    }

    @Test("An archive of a file is refused", arguments: Backend.allCases)
    func missing(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/file", bytes: [1])
            for path in ["/none", "/file"] as [RemotePath] {
                await #expect(throws: RemoteError.self) {
                    try await contents(of: path, in: subject.store)
                }
            }
        }
    }
}
