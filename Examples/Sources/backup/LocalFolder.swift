// The files below a local folder, and the hashes of their content. Not responsible for changing
// them.

import DropboxAPI
import Foundation

// [step 6]
/// A local folder whose files are sent.
struct LocalFolder {
    /// The folder's absolute path.
    let path: String
    /// A folder in it that is left out, as a path like those of the files.
    var leftOut: String?

    /// A file as it is now.
    struct File: Equatable {
        /// Its path in the folder, with a slash in front.
        let path: String
        let size: UInt64
        let modified: Date
    }

    /// All regular files, in the order of their paths.
    func files() throws -> [File] {
        var files: [File] = []
        try add("", to: &files)
        return files
    }

    private func add(_ folder: String, to files: inout [File]) throws {
        // A folder that cannot be read is an error here. As an empty one, its files would count as
        // deleted.
        for name in try FileManager.default.contentsOfDirectory(atPath: path + folder).sorted() {
            let child = folder + "/" + name
            if child == leftOut { continue }
            guard let attributes = try attributes(of: child) else { continue }
            switch attributes[.type] as? FileAttributeType {
            case .typeDirectory?: try add(child, to: &files)
            case .typeRegular?:
                files.append(
                    File(
                        path: child, size: attributes[.size] as? UInt64 ?? 0,
                        modified: attributes[.modificationDate] as? Date ?? .distantPast))
            // Links, sockets and devices are no files of Dropbox.
            default: break
            }
        }
    }

    /// The attributes of a file, and not of the one that a link leads to; nil if it has been
    /// removed since it was listed.
    private func attributes(of file: String) throws -> [FileAttributeKey: Any]? {
        do {
            return try FileManager.default.attributesOfItem(atPath: path + file)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
    }

    // [step 7]
    /// The hash that Dropbox has for the same content; nil if there is no such file.
    func hash(of file: String) throws -> ContentHash? {
        guard FileManager.default.fileExists(atPath: path + file) else { return nil }
        guard let handle = FileHandle(forReadingAtPath: path + file) else {
            throw Problem("\(path + file) cannot be read")
        }
        defer { try? handle.close() }
        var hasher = ContentHasher()
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
            hasher.update(piece)
        }
        return hasher.finalized()
    }
}
