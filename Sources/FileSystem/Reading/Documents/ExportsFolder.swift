// The folder of the exports that later mounts take over: their names, and when they get them. An
// export is whole and on the disk before it has a name. Not responsible for which are kept.

import Core
import Foundation
import Glibc
import RemoteStore
import Saturating

/// The exports of an account in its cache folder. One process at a time uses it.
struct ExportsFolder: Sendable {
    /// The document, the revisions and the size of an export. No number of an inode and no revision
    /// is given twice, so this is never of other content.
    struct Name: Hashable, Sendable {
        let inode: InodeID
        /// The revision that the tree had when the export was asked for.
        let asked: Revision
        /// The revision that came.
        let came: Revision
        /// Bytes of all of it: a file that has lost some, as on a failing disk, is not the export.
        let size: Int64

        /// The name of its file; nil if a revision has other letters and digits than Dropbox's.
        var text: String? {
            let revisions = [asked.rawValue, came.rawValue]
            let isPlain = revisions.allSatisfy { revision in
                (1...64).contains(revision.utf8.count)
                    && revision.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x7a).contains($0)
                    }
            }
            guard isPlain, size >= 0 else { return nil }
            return "\(inode.rawValue)-\(revisions.joined(separator: "-"))-\(size)"
        }

        init(inode: InodeID, asked: Revision, came: Revision, size: Int64) {
            self.inode = inode
            self.asked = asked
            self.came = came
            self.size = size
        }

        /// Parses the name of a file.
        init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
                .map(String.init)
            guard parts.count == 4, let number = UInt64(parts[0], radix: 10),
                let size = Int64(parts[3], radix: 10)
            else { return nil }
            self.init(
                inode: InodeID(number), asked: Revision(parts[1]),
                came: Revision(parts[2]), size: size)
            guard self.text == text else { return nil }
        }
    }

    /// `O_TMPFILE`, a macro that the importer leaves out.
    static let unnamed = __O_TMPFILE | O_DIRECTORY

    private let path: String

    /// Names the cache folder, which exists.
    init(_ cache: String) {
        path = cache + "/exports"
    }

    /// A file for a new export.
    func newFile() throws(ExportFailure) -> UnnamedFile {
        mkdir(path, 0o700)
        return try UnnamedFile(in: path)
    }

    /// Gives a whole file its name, once it is on the disk. Returns its path; nil if it stays
    /// without a name, and goes with this mount.
    func keep(_ file: UnnamedFile, as name: Name) -> String? {
        guard let text = name.text, fsync(file.descriptor) == 0 else { return nil }
        let target = path + "/" + text
        unlink(target)
        let isNamed =
            linkat(
                AT_FDCWD, "/proc/self/fd/\(file.descriptor)", AT_FDCWD, target, AT_SYMLINK_FOLLOW)
            == 0
        return isNamed ? target : nil
    }

    /// The exports that are here, oldest first. Other files are removed.
    func files() -> [(Name, ExportedFile)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let found = names.compactMap { text -> (Name, ExportedFile, Double)? in
            let file = path + "/" + text
            guard let name = Name(text), let (export, time) = Self.opened(file, name.size) else {
                unlink(file)
                return nil
            }
            return (name, export, time)
        }
        return found.sorted { $0.2 < $1.2 }.map { ($0.0, $0.1) }
    }

    /// The file at a path, and when it was written; nil unless it has all bytes.
    private static func opened(_ path: String, _ size: Int64) -> (ExportedFile, Double)? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = UnnamedFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let export = ExportedFile(file, size: size, path: path)
        guard export.isWhole else { return nil }
        let time = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
        return (export, time)
    }
}
