// The bytes of files and of upload sessions, in files of the state folder. A content is named by
// its hash, so that equal files share one. All calls block, and run on disk threads. Not
// responsible for which file has which content (`AccountTree`).

import Glibc
import LocalFiles
import Synchronization

/// Contents and unfinished uploads on disk.
final class ContentStore: Sendable {
    private let folder: String
    private let nextIncoming = Atomic<UInt64>(0)

    /// Uses an existing folder; incomplete files of an earlier run are removed.
    init(folder: String) throws(FileError) {
        self.folder = folder
        for name in ["content", "sessions", "incoming"] {
            try Self.makeFolder("\(folder)/\(name)")
        }
        for name in folderNames(in: "\(folder)/incoming") {
            unlink("\(folder)/incoming/\(name)")
        }
    }

    /// Creates a folder unless it exists.
    static func makeFolder(_ path: String) throws(FileError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileError("mkdir", path) }
    }

    /// A new file to receive a body into.
    func makeIncoming() throws(FileError) -> BlockingFile {
        let number = nextIncoming.add(1, ordering: .relaxed).newValue
        return try BlockingFile(writing: "\(folder)/incoming/\(number)")
    }

    /// Links a file as the content of a hash; the file stays where it is. Returns whether the
    /// content is new.
    func publish(_ path: String, as hash: ContentDigest) throws(FileError) -> Bool {
        let destination = contentPath(hash)
        if link(path, destination) == 0 { return true }
        if errno == ENOENT {
            try Self.makeFolder("\(folder)/content/\(hash.hex.prefix(2))")
            if link(path, destination) == 0 { return true }
        }
        guard errno == EEXIST else { throw FileError("link", destination) }
        return false
    }

    /// Undoes `publish`, for a content without a file.
    func withdraw(_ hash: ContentDigest) {
        unlink(contentPath(hash))
    }

    /// Moves a received file to a session as its data.
    func keep(_ path: String, asSession id: String) throws(FileError) {
        guard rename(path, sessionPath(id)) == 0 else { throw FileError("rename", path) }
    }

    func discard(_ path: String) {
        unlink(path)
    }

    /// The path of a session's data.
    func sessionPath(_ id: String) -> String {
        let name = id.utf8.lastIndex(of: UInt8(ascii: ":")).map {
            String(id[id.utf8.index(after: $0)...])
        }
        return "\(folder)/sessions/\(name ?? id)"
    }

    /// A reader for a content, at any offset.
    func reader(of content: Content) throws(FileError) -> StoredContentReader {
        switch content.source {
        case .stored where content.size == 0: StoredContentReader(.empty)
        case .stored:
            StoredContentReader(.file(try BlockingFile(reading: contentPath(content.hash))))
        case .generated(let seed): StoredContentReader(.generated(seed: seed, size: content.size))
        }
    }

    private func contentPath(_ hash: ContentDigest) -> String {
        let hex = hash.hex
        return "\(folder)/content/\(hex.prefix(2))/\(hex)"
    }
}

struct StoredContentReader: Sendable {
    fileprivate enum Source: Sendable {
        case empty
        case file(BlockingFile)
        case generated(seed: UInt64, size: Int64)
    }

    private let source: Source

    fileprivate init(_ source: Source) {
        self.source = source
    }

    /// Reads into a buffer from an offset; returns fewer bytes only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int
    {
        switch source {
        case .empty: return 0
        case .file(let file): return try file.read(into: buffer, at: offset)
        case .generated(let seed, let size):
            let count = Int(max(0, min(Int64(buffer.count), size - offset)))
            GeneratedContent.fill(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), seed: seed, at: offset)
            return count
        }
    }
}
