// One mount per account: two processes that replay one queue would undo each other's changes.

import DropboxAPI
import Foundation
import Glibc
import LocalFiles
import LocalIO
import Saturating
import SystemPackage

/// An exclusive lock on a folder until the process ends, however it ends.
package final class AccountLock: Sendable {
    private let descriptor: Int32

    /// The process that holds the lock.
    package struct Holder: Hashable, Sendable, Codable {
        /// Process ID of the holder.
        package var pid: Int32
        /// Its mountpoint, an absolute path.
        package var mountpoint: String

        /// Creates a record of this process.
        package init(mountpoint: String) {
            self.pid = getpid()
            self.mountpoint = mountpoint
        }
    }

    /// Locks a folder, waiting up to `timeout` seconds for a process that is about to end.
    ///
    /// `isEnding` is called once with the holder before waiting; it returns whether the holder is
    /// about to end, and may ask it to hurry. Throws `folderInUse` if it is not or takes too long.
    package init(
        folder: String, holder: Holder, timeout: Double, isEnding: (Holder?) -> Bool
    ) throws(CommandError) {
        let path = folder + "/lock"
        let descriptor: Int32
        do throws(RegularFile.Failure) {
            descriptor = try RegularFile.open(path, O_RDWR | O_CREAT)
        } catch {
            throw CommandError(error, file: path, in: folder)
        }
        var attempts = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let current = Self.holder(in: descriptor)
            let isWorthWaiting = attempts > 0 || isEnding(current)
            guard isWorthWaiting, Double(attempts) * 0.05 < timeout else {
                close(descriptor)
                let name = current.map { "the mount at \($0.mountpoint) (process \($0.pid))" }
                throw .folderInUse(folder: folder, by: name ?? "another process")
            }
            attempts +|= 1
            usleep(50_000)
        }
        guard isFile(descriptor, at: path) else {
            close(descriptor)
            throw .folderInUse(folder: folder, by: "a mount that has just failed")
        }
        self.descriptor = descriptor
        if let text = try? JSONEncoder().encode(holder) {
            // Not emptied before: a full disk might take the space.
            _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            ftruncate(descriptor, off_t(clamping: text.count))
        }
    }

    deinit {
        // Unlocked explicitly: a child process that is just being started has a copy of the
        // descriptor until its exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The present holder of a folder's lock; nil if it is free. The check holds the lock for a
    /// moment, for which a starting mount waits.
    package static func currentHolder(of folder: String) -> Holder? {
        withFile(of: folder) { descriptor in
            guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return holder(in: descriptor) }
            flock(descriptor, LOCK_UN)
            return nil
        }
    }

    /// The process that locked a folder last, which may have ended; nil if none has.
    package static func lastHolder(of folder: String) -> Holder? {
        withFile(of: folder, holder)
    }

    /// Passes the descriptor of a folder's lock to `body`; nil if no mount has made it.
    private static func withFile(of folder: String, _ body: (Int32) -> Holder?) -> Holder? {
        guard let descriptor = try? RegularFile.open(folder + "/lock", O_RDONLY) else {
            return nil
        }
        defer { close(descriptor) }
        return body(descriptor)
    }

    private static func holder(in descriptor: Int32) -> Holder? {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return try? JSON.decode(Holder.self, from: Array(buffer[..<count]))
    }
}
