// The copy of a folder on Dropbox: what it lacks is sent, and all of it can be brought back.
// Nothing on Dropbox is ever removed, and of a file that is sent again Dropbox keeps the older
// versions for some weeks. Empty folders, links and modes of files are not kept.

import DropboxAPI
import Foundation

// [step 9]
/// A local folder and its copy.
struct Backup {
    let folder: LocalFolder
    let copy: DropboxFolder

    private var dropbox: Files.Calls { copy.client.files }

    /// The files that Dropbox has, by their paths in the folder, in lower case.
    private func stored() async throws -> [String: Files.FileMetadata] {
        var stored: [String: Files.FileMetadata] = [:]
        for try await entry in dropbox.entries(of: copy.path, recursive: true) {
            guard case .file(let file) = entry, let path = copy.place(of: file.pathDisplay) else {
                continue
            }
            stored[path.lowercased()] = file
        }
        return stored
    }

    /// Sends the files that Dropbox does not have, or has with other content.
    func send() async throws {
        try await copy.make()
        let stored = try await stored()
        let files = try folder.files()
        let changed = files.filter { file in
            // A file that cannot be read counts as changed, and its upload says why it fails.
            guard let known = stored[file.path.lowercased()]?.contentHash,
                let hash = try? folder.hash(of: file.path)
            else { return true }
            return hash != known
        }
        print("\(changed.count) of \(files.count) files are new or changed")
        // [step 10]
        // Dropbox does not tell `A.txt` from `a.txt`: one would take the place of the other.
        let names = Dictionary(grouping: files) { $0.path.lowercased() }
        if let clash = names.values.first(where: { $0.count > 1 }) {
            throw Problem("these would be one file on Dropbox: \(clash.map(\.path))")
        }
        // [step 11]
        let uploads = changed.map { file in
            FileUpload(
                .init(
                    path: copy.path + file.path, mode: .overwrite,
                    clientModified: Timestamp(file.modified)),
                source: LocalFile(folder.path + file.path))
        }
        let results = await dropbox.upload(
            files: uploads,
            options: .init { print("\($0.filesStored) of \($0.filesTotal) are stored") })
        var failures = 0
        for case (let upload, .failure(let error)) in zip(uploads, results) {
            print("\(upload.commit.path): \(error.localizedDescription)")
            failures += 1
        }
        guard failures == 0 else { throw Problem("\(failures) files are not in the copy") }
    }

    // [step 13]
    /// Brings the files back that the local folder lacks. It replaces none.
    func restore() async throws {
        var failures = 0
        for file in try await stored().values {
            guard let path = copy.place(of: file.pathDisplay) else { continue }
            do throws(any Error) {
                if let hash = try folder.hash(of: path), hash == file.contentHash { continue }
                try await restore(file, to: folder.path + path)
                print("restored \(path)")
            } catch {
                print("\(path): \(error.localizedDescription)")
                failures += 1
            }
        }
        guard failures == 0 else { throw Problem("\(failures) files are not restored") }
    }

    private func restore(_ file: Files.FileMetadata, to place: String) async throws {
        let parent = URL(filePath: place).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        _ = try await dropbox.download("rev:" + file.rev, to: place)
        try FileManager.default.setAttributes(
            [.modificationDate: file.clientModified.date], ofItemAtPath: place)
    }
}
