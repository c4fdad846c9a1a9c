// Prevents two emulators from using the same state folder.

import Glibc
import Synchronization

/// A lock on a state folder, which the system releases when the process ends.
final class StateLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Throws if another emulator has locked the folder.
    init(folder: String) throws {
        try ContentStore.makeFolder(folder)
        let path = "\(folder)/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError("open", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw EmulatorError.state("another emulator uses \(folder)")
        }
        self.descriptor = Mutex(descriptor)
    }

    /// Releases the lock on the folder.
    func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor {
                // A child process between fork and exec has a copy of the descriptor, which would
                // keep the lock.
                flock(open, LOCK_UN)
                close(open)
            }
            descriptor = nil
        }
    }

    deinit {
        release()
    }
}
