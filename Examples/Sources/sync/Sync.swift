// Makes a local folder and one on Dropbox the same. Not responsible for when that is done (Main),
// nor for the choice between two sides (Decision). Empty folders, links and modes of files are left
// alone.

import DropboxAPI
import Foundation

// [step 6]
/// A local folder and its counterpart on Dropbox.
struct Sync {
    private let folder: LocalFolder
    private var remote: RemoteFiles
    private var last: LastSync
    /// The hashes of local files, each with the state of the file that it is of.
    private var hashes: [String: (file: LocalFolder.File, hash: ContentHash?)] = [:]

    private var dropbox: Files.Calls { remote.folder.client.files }

    /// Reads what the last run has kept.
    init(_ path: String, _ counterpart: DropboxFolder) throws {
        folder = LocalFolder(path: path, leftOut: "/.sync")
        remote = RemoteFiles(of: counterpart)
        last = try LastSync(folder: path)
    }

    /// The local files by their keys, which are those of `RemoteFiles`.
    private func localFiles() throws -> [String: LocalFolder.File] {
        var found: [String: LocalFolder.File] = [:]
        for file in try folder.files() {
            if let other = found.updateValue(file, forKey: file.path.lowercased()) {
                throw Problem("\(other.path) and \(file.path) would be one file on Dropbox")
            }
        }
        return found
    }

    /// The hash of a file. One that is as it was the last time is not read again.
    private mutating func hash(of file: LocalFolder.File?) throws -> ContentHash? {
        guard let file else { return nil }
        if let known = hashes[file.path], known.file == file { return known.hash }
        let hash = try folder.hash(of: file.path)
        // A file that was written a moment ago may change again and keep its time.
        if file.modified.timeIntervalSinceNow < -2 { hashes[file.path] = (file, hash) }
        return hash
    }

    // [step 7]
    /// Downloads a file beside those of the folder, and moves it to its place if that still has the
    /// content on which the decision was made. Returns the hash of the file.
    private func take(
        _ file: Files.FileMetadata, to path: String, over here: ContentHash?
    ) async throws -> ContentHash? {
        let incoming = folder.path + "/.sync/incoming"
        let taken = try await dropbox.download("rev:" + file.rev, to: incoming, overwrite: true)
        try FileManager.default.setAttributes(
            [.modificationDate: file.clientModified.date], ofItemAtPath: incoming)
        let place = URL(filePath: folder.path + path)
        let parent = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        guard parent.resolvingSymlinksInPath().path == parent.path else {
            throw Problem("its folder is a link")
        }
        try expect(here, at: path)
        guard rename(incoming, place.path) == 0 else { throw Problem("it cannot be replaced") }
        print("took \(path)")
        return taken.contentHash
    }

    private func expect(_ hash: ContentHash?, at path: String) throws {
        guard try folder.hash(of: path) == hash else {
            throw Problem("it is being changed here, and comes later")
        }
    }

    // [step 8]
    /// Removes a local file that is gone on Dropbox.
    private func removeHere(_ path: String, _ here: ContentHash?) async throws {
        do throws(CallError<Files.GetMetadataError>) {
            _ = try await dropbox.getMetadata(path: remote.folder.path + path)
            return
        } catch {
            guard case .route(.path(.notFound), _) = error.kind else { throw error }
        }
        try expect(here, at: path)
        try FileManager.default.removeItem(atPath: folder.path + path)
        print("removed \(path) here")
    }

    /// Removes a file on Dropbox that is gone here, unless it has changed there.
    private func removeThere(_ file: Files.FileMetadata, _ path: String) async throws {
        _ = try await dropbox.deleteV2(path: remote.folder.path + path, parentRev: file.rev)
        print("removed \(path) on Dropbox")
    }

    // [step 9]
    /// Gives a local file another name, under which it is a new file for the next pass.
    private func moveAside(_ path: String) throws {
        let place = URL(filePath: folder.path + path)
        let name = place.deletingPathExtension().lastPathComponent
        let end = place.pathExtension.isEmpty ? "" : "." + place.pathExtension
        for number in 1... {
            let other = place.deletingLastPathComponent()
                .appending(path: "\(name) (conflict \(number))\(end)")
            if FileManager.default.fileExists(atPath: other.path) { continue }
            try FileManager.default.moveItem(at: place, to: other)
            print("kept \(path) as \(other.lastPathComponent)")
            return
        }
    }

    // [step 10]
    /// Makes both sides of one file the same. An upload is returned and not made, because many
    /// files travel together.
    private mutating func settle(
        _ key: String, _ local: LocalFolder.File?, _ there: Files.FileMetadata?
    ) async throws -> FileUpload? {
        let here = try hash(of: local)
        let path = local?.path ?? remote.folder.place(of: there?.pathDisplay) ?? key
        let decision = Decision.of(last: last[key], here: here, there: there?.contentHash)
        switch (decision, local, there) {
        case (.agreed, _, _): last[key] = here
        case (.take, _, let there?): last[key] = try await take(there, to: path, over: here)
        case (.removeHere, _, _):
            try await removeHere(path, here)
        case (.removeThere, _, let there?): try await removeThere(there, path)
        case (.keepBoth, _, let there?):
            try moveAside(path)
            last[key] = try await take(there, to: path, over: nil)
        case (.send, let local?, _):
            return FileUpload(
                .init(
                    path: remote.folder.path + path, mode: there.map { .update($0.rev) } ?? .add,
                    clientModified: Timestamp(local.modified)),
                source: LocalFile(folder.path + path))
        default: break
        }
        return nil
    }

    // [step 11]
    /// Makes both sides the same once; returns why some files are not.
    mutating func pass() async throws -> [String] {
        try await remote.update()
        let local = try localFiles()
        let before = last
        var problems: [String] = []
        var sent: [(key: String, upload: FileUpload)] = []
        for key in Set(local.keys).union(remote.files.keys).union(last.keys).sorted() {
            do throws(any Error) {
                guard let upload = try await settle(key, local[key], remote.files[key]) else {
                    continue
                }
                sent.append((key, upload))
            } catch {
                problems.append("\(key): \(error.localizedDescription)")
            }
        }
        let results = await dropbox.upload(files: sent.map(\.upload))
        for (file, result) in zip(sent, results) {
            switch result {
            case .success(let stored):
                last[file.key] = stored.contentHash
                print("sent \(file.upload.commit.path)")
            case .failure(let error):
                problems.append("\(file.key): \(error.localizedDescription)")
            }
        }
        if last != before { try last.save() }
        return problems
    }
}
