// The folder of the cache: where the files of each content lie, and whose they are. Not responsible
// for their bytes (`ContentFile`).

import ContentHashing
import Glibc
import LocalFiles

/// A private folder with two files for each content: its bytes, and an index of their checksums.
struct CacheFolder: Sendable {
    private let path: String

    /// Creates the folder if it is missing.
    init(creating path: String) throws(BlockCacheError) {
        self.path = path
        for path in [path, "\(path)/content"] {
            if mkdir(path, 0o700) != 0 && errno != EEXIST {
                throw .system(path, errno)
            }
            guard Self.isOurs(path) else { throw .notAFolder(path) }
        }
    }

    /// Takes the folder for this process. Returns the descriptor that has the lock.
    func lock() throws(BlockCacheError) -> Int32 {
        let lockPath = "\(path)/lock"
        let lock: Int32
        do throws(RegularFile.Failure) {
            lock = try RegularFile.open(lockPath, O_RDWR | O_CREAT)
        } catch {
            throw .system(lockPath, error.errno)
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse(path)
        }
        return lock
    }

    /// Whether the folder of the contents was not deleted.
    var isThere: Bool { access("\(path)/content", F_OK) == 0 || errno != ENOENT }

    /// Makes the folder anew, with those above it, if it was deleted. Returns whether it did.
    func remake() -> Bool {
        !isThere && (try? PrivateFolder.make("\(path)/content")) != nil && Self.isOurs(path)
    }

    // MARK: Paths

    /// The file with the bytes of a content.
    func dataPath(_ hash: ContentHash) -> String { "\(folder(of: hash))/\(hash.hex)" }

    /// The file with the checksums of a content.
    func indexPath(_ hash: ContentHash) -> String { "\(dataPath(hash)).index" }

    /// The copy of an import.
    var importPath: String { "\(path)/import.part" }

    private func folder(of hash: ContentHash) -> String { "\(path)/content/\(hash.hex.prefix(2))" }

    // MARK: Contents

    /// Whether the folder of a content's files is there, and private.
    func hasFolder(of hash: ContentHash) -> Bool { Self.isOurs(folder(of: hash)) }

    /// Makes the folder of a content's files; false if there is none.
    func makeFolder(of hash: ContentHash) -> Bool {
        mkdir(folder(of: hash), 0o700) == 0 || errno == EEXIST && hasFolder(of: hash)
    }

    /// Removes the files of a content.
    func remove(_ hash: ContentHash) {
        unlink(indexPath(hash))
        unlink(dataPath(hash))
    }

    /// The size of a content that its index claims.
    func claimedSize(of hash: ContentHash) -> Int64? {
        guard let descriptor = try? RegularFile.open(indexPath(hash), O_RDONLY) else { return nil }
        defer { close(descriptor) }
        var size: Int64 = 0
        let count = withUnsafeMutableBytes(of: &size) {
            pread(descriptor, $0.baseAddress, 8, 8)
        }
        return count == 8 ? size.littleEndian : nil
    }

    /// Calls `body` with each content and the file of its bytes.
    func forEachContent(_ body: (ContentHash, String) -> Void) {
        for name in folderNames(in: "\(path)/content", followingLink: false)
        where name.utf8.count == 2 {
            let folder = "\(path)/content/\(name)"
            for file in folderNames(in: folder, followingLink: false) {
                if let hash = ContentHash(hex: file) { body(hash, "\(folder)/\(file)") }
            }
        }
    }

    /// Whether a path is a folder that belongs to this user and is private (or can be made so):
    /// another user with write access could forge content with its checksums.
    private static func isOurs(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid()
        else { return false }
        return status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0
    }
}
