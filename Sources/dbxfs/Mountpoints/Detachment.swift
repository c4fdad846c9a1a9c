// Unmounting from outside of the process that serves the mount.

import Glibc
import LocalIO
import Mounting
import SystemPackage

/// Detaches a mount from outside of the process that serves it.
enum Detachment {
    /// Tries of an unmount while the mount is in use, and microseconds between them: the process of
    /// the mount may use it for a moment, to raise inotify events.
    private static let tries = (count: 10, pause: UInt32(100_000))

    /// Unmounts; with `isLazy`, processes inside keep the mount until they leave it. Takes a second
    /// to find that it is in use.
    ///
    /// `isForced` makes waiting requests fail. The system call is for root; other users need
    /// `fusermount3`, which cannot force.
    static func detach(
        _ path: String, isLazy: Bool, isForced: Bool = false
    ) throws(CommandError) {
        for _ in 1..<Self.tries.count {
            do throws(CommandError) {
                return try detachOnce(path, isLazy: isLazy, isForced: isForced)
            } catch {
                guard case .busy = error else { throw error }
            }
            usleep(Self.tries.pause)
        }
        try detachOnce(path, isLazy: isLazy, isForced: isForced)
    }

    private static func detachOnce(
        _ path: String, isLazy: Bool, isForced: Bool
    ) throws(CommandError) {
        let flags =
            Int(UMOUNT_NOFOLLOW) | (isLazy ? Int(MNT_DETACH) : 0) | (isForced ? Int(MNT_FORCE) : 0)
        if umount2(path, Int32(clamping: flags)) == 0 { return }
        let error = Errno(rawValue: errno)
        guard error == .notPermitted else {
            throw error == .resourceBusy
                ? .busy(path) : .unmountFailed(path: path, detail: error.description)
        }
        let arguments = isLazy ? ["-u", "-z", "--", path] : ["-u", "--", path]
        let outcome: ChildProcess.Outcome
        do {
            outcome = try ChildProcess.run("fusermount3", arguments)
        } catch {
            throw CommandError(error)
        }
        guard outcome.status != 0 else { return }
        if outcome.status == 127 {
            throw .unmountFailed(
                path: path, detail: "fusermount3 is not installed; run `umount \(path)` as root")
        }
        throw outcome.errors.contains("busy")
            ? .busy(path) : .unmountFailed(path: path, detail: outcome.errors)
    }
}
