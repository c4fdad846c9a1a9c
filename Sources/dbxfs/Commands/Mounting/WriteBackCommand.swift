// The helper process of a mount that is about to end, which has the kernel write back changed
// pages. Not responsible for which files have them, nor for how long it may take: `PageWriteback`
// is.

import ArgumentParser
import Glibc

/// Has the kernel write back the changed pages of the files whose paths are in the file at stdin.
struct WriteBackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: PageWriteback.command, shouldDisplay: false)

    @Argument var mountpoint: String
    @Option var device: UInt32

    func run() throws {
        guard let root = OwnRoot(of: mountpoint, device: device) else { throw ExitCode(1) }
        var failed = false
        for path in PageWriteback.decode(HelperInput.read()) where !writeBack(path, below: root) {
            failed = true
        }
        if failed { throw ExitCode(1) }
    }

    /// Of a FUSE file, close(2) writes changed pages back and waits for the replies. syncfs(2) only
    /// begins that: https://git.kernel.org/torvalds/c/f9a49aa302a0.
    private func writeBack(_ path: [UInt8], below root: borrowing OwnRoot) -> Bool {
        let flags = O_NONBLOCK | O_NOCTTY
        // The mode may have changed since the file was opened.
        guard
            let file = root.openNode(path, O_WRONLY | flags)
                ?? root.openNode(path, O_RDONLY | flags)
        else {
            return errno == ENOENT
        }
        return close(file) == 0
    }
}
