// Files that become a cached content: uploaded staging files. Their content is verified, and then
// they are moved into the cache. Not responsible for files of the user's (`DiskBlockCache+Import`).

package import ContentHashing
import Glibc
import Saturating

extension DiskBlockCache {
    /// Moves a file with this content into the cache, or copies it from another disk. The content
    /// is verified first; if it does not match, the file and the cached content stay unchanged.
    package func adopt(path: String, hash: ContentHash, size: Int64) {
        adopt(path: path, size: size, anyOf: [hash]) { false }
    }

    /// The same for a file that may have any of several contents of its size, in bytes. Asks after
    /// each block whether it is cancelled; then the file stays where it is, for a later call.
    package func adopt(
        path: String, size: Int64, anyOf hashes: Set<ContentHash>, isCancelled: () -> Bool
    ) {
        guard size > 0, let survey = survey(path, size: size, isCancelled) else { return }
        let hash = ContentHash(blockDigests: survey.digests)
        guard hashes.contains(hash), makeFolder(of: hash) else { return }
        forgetOpen(hash)
        // The index first: old checksums are valid for the new file, but useless without a file.
        // After a kill before the new index the content is not cached.
        unlink(folder.indexPath(hash))
        guard rename(path, folder.dataPath(hash)) == 0 else {
            return copy(path, hash: hash, size: size, isCancelled)
        }
        chmod(folder.dataPath(hash), 0o600)
        // A reader may have opened the earlier files since.
        forget(hash)
        guard let file = content(hash, size: size, creates: true),
            file.note(sums: survey.sums, from: 0)
        else { return remove(hash) }
        for (block, digest) in survey.digests.enumerated() {
            file.noteDigest(digest, of: block)
        }
        noteWhole(hash, size: size)
    }

    private struct Survey {
        var sums: [UInt8] = []
        var digests: [ContentHash] = []
    }

    /// Reads a whole file; nil unless it is a regular file of this size with a single link.
    private func survey(_ path: String, size: Int64, _ isCancelled: () -> Bool) -> Survey? {
        var survey = Survey()
        let isRead = forEachBlock(of: path, size: size, isCancelled) { bytes in
            for start in stride(from: 0, to: bytes.count, by: Int(clamping: Self.chunkSize)) {
                let chunk = bytes[start...].prefix(Int(clamping: Self.chunkSize))
                survey.sums.append(contentsOf: ContentFile.sum(of: chunk))
            }
            survey.digests.append(bytes.withUnsafeBytes { ContentHasher.blockDigest($0) })
        }
        return isRead ? survey : nil
    }

    private func copy(
        _ path: String, hash: ContentHash, size: Int64, _ isCancelled: () -> Bool
    ) {
        var block = 0
        _ = forEachBlock(of: path, size: size, isCancelled) { bytes in
            _ = insert(block: block, of: hash, size: size, bytes: bytes)
            block +|= 1
        }
    }

    /// Calls `body` with each block of a file; false if not all of it was read.
    private func forEachBlock(
        of path: String, size: Int64, _ isCancelled: () -> Bool, _ body: ([UInt8]) -> Void
    ) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var status = stat()
        // A file with a second link could be changed through the second link.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_nlink == 1, Int64(clamping: status.st_size) == size
        else { return false }
        for offset in stride(from: 0, to: size, by: Int(clamping: Self.blockSize)) {
            let count = Int(clamping: min(Self.blockSize, size -| offset))
            guard let bytes = ContentFile.read(descriptor, at: offset, count: count) else {
                return false
            }
            body(bytes)
            if isCancelled() { return false }
        }
        return true
    }
}
