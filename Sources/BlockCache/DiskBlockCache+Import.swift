// Content from files of other programs, such as the folder of another Dropbox client: bytes that
// need not be downloaded. Not responsible for finding the files.

package import ContentHashing
import Glibc
import LocalFiles
import Saturating

extension DiskBlockCache {
    /// The result of taking a file's content.
    package enum Import: Hashable, Sendable {
        /// All of it is in the cache now.
        case cached
        /// The file has other content, or cannot be read.
        case different
        /// The cache's disk did not take it.
        case notWritten
    }

    /// Copies a file with this content into the cache; the file stays as it is.
    ///
    /// The copy is made beside the cached contents and hashed on the way, so that a file that
    /// changes during the import cannot become content. Call it from one thread at a time.
    package func importContent(of path: String, hash: ContentHash, size: Int64) -> Import {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard source >= 0 else { return .different }
        defer { close(source) }
        var status = stat()
        guard fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int64(clamping: status.st_size) == size
        else { return .different }
        removeUnfinishedImport()
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let copy = open(folder.importPath, flags, 0o600)
        guard copy >= 0 else { return .notWritten }
        defer { close(copy) }
        defer { removeUnfinishedImport() }
        var digests: [ContentHash] = []
        for offset in stride(from: 0, to: size, by: Int(clamping: Self.blockSize)) {
            let count = Int(clamping: min(Self.blockSize, size -| offset))
            guard let bytes = ContentFile.read(source, at: offset, count: count) else {
                return .different
            }
            let written = bytes.withUnsafeBytes { FileBytes.write($0, at: offset, to: copy) }
            guard written == count else { return .notWritten }
            digests.append(bytes.withUnsafeBytes { ContentHasher.blockDigest($0) })
        }
        guard ContentHash(blockDigests: digests) == hash else { return .different }
        adopt(path: folder.importPath, hash: hash, size: size)
        return contains(hash, size: size, range: 0..<size) ? .cached : .notWritten
    }

    /// Removes the copy of an import that was interrupted.
    func removeUnfinishedImport() {
        unlink(folder.importPath)
    }
}
