// One process at a time mounts at a place: two would both find it free, one would hide the other's
// mount, and the sockets of both have the same name. Not responsible for the mount itself.

import Glibc
import LocalFiles
import LocalIO
import Saturating
import SystemPackage

extension ControlFolder {
    /// Runs `body` while no other process that has its socket in this folder does so for the same
    /// mountpoint.
    ///
    /// Waits for another one, up to `timeout` seconds, and then throws `alreadyMounted`.
    package func holding<Result>(
        _ mountpoint: String, timeout: Double, _ body: () throws(CommandError) -> Result
    ) throws(CommandError) -> Result {
        try makePrivateFolder(path)
        let file = "\(path)/\(fingerprint(mountpoint)).lock"
        guard let descriptor = try lock(file, timeout: timeout) else {
            throw .alreadyMounted(mountpoint)
        }
        defer {
            // Before it is unlocked, so that no process locks a file that is about to be removed.
            unlink(file)
            // Unlocked explicitly: a child process that is just being started has a copy of the
            // descriptor until its exec.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        return try body()
    }

    /// The descriptor of a locked file; nil if another process keeps it for so many seconds.
    private func lock(_ file: String, timeout: Double) throws(CommandError) -> Int32? {
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: timeout))
        while true {
            let descriptor: Int32
            do throws(RegularFile.Failure) {
                descriptor = try RegularFile.open(file, O_RDWR | O_CREAT)
            } catch {
                throw CommandError(error, file: file, in: path)
            }
            // The process that held it has removed it.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, isFile(descriptor, at: file) {
                return descriptor
            }
            close(descriptor)
            guard ContinuousClock.now < end else { return nil }
            usleep(50_000)
        }
    }
}
