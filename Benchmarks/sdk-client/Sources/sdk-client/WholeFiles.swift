// The works of Benchmarks/sdk-files: one large file, and many small ones, up and down.

import DropboxAPI
import Glibc

/// Whole files, with the settings that the library has by itself.
struct WholeFiles {
    let client: DropboxClient

    func send(_ path: String) async throws {
        _ = try await client.files.upload(file: path, to: "/big")
    }

    func fetch(_ path: String) async throws {
        try await client.files.download("/big", to: path)
    }

    func sendAll(_ folder: String) async throws {
        let uploads = names(in: folder).map { name in
            FileUpload(.init(path: "/many/" + name), source: LocalFile(folder + "/" + name))
        }
        for result in await client.files.upload(files: uploads) { _ = try result.get() }
    }

    /// Sixteen at a time.
    func fetchAll(_ folder: String) async throws {
        let files = client.files
        try await withThrowingTaskGroup(of: Void.self) { group in
            var count = 0
            for try await entry in files.entries(of: "/many") {
                if count >= 16 { try await group.next() }
                count += 1
                group.addTask {
                    _ = try await files.download(
                        "/many/" + entry.name, to: folder + "/" + entry.name)
                }
            }
            try await group.waitForAll()
        }
    }

    private func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { fatalError("no \(folder)") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
