// The helper process of a mount that raises inotify events, by calls on the mount that change
// nothing. Not responsible for which events are raised: `InotifySignals` tells it.

import ArgumentParser
import CLinux
import FileSystem
import Glibc
import Mounting

/// Raises the events for the signals in the file at stdin.
struct SignalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: InotifySignal.command, shouldDisplay: false)

    @Argument var mountpoint: String
    @Option var device: UInt32
    @Flag(name: .customLong("writeback-cache")) var gathersWrites = false

    func run() throws {
        for signal in InotifySignal.decode(HelperInput.read()) { raise(signal) }
    }

    /// A node that is gone by now, or that may not be written, has no event of its own; its folder
    /// has.
    private func raise(_ signal: InotifySignal) {
        // Not for all signals: a mount whose root is open is busy for umount(8).
        guard let root = OwnRoot(of: mountpoint, device: device),
            let node = root.openNode(signal.path, OwnRoot.placeOnly)
        else { return }
        defer { close(node) }
        var status = stat()
        guard fstat(node, &status) == 0 else { return }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        guard isFile || status.st_mode & S_IFMT == S_IFDIR else { return }
        let link = "/proc/self/fd/\(node)"
        // IN_ATTRIB. With `writeback_cache` the kernel would set the time of a file's change, and
        // write its times back.
        if !(isFile && gathersWrites) {
            _ = clinux_set_empty_attribute(link, DropboxFileSystem.changeSignalAttribute)
        }
        // IN_OPEN and IN_CLOSE_WRITE.
        guard signal.change == .content, isFile else { return }
        let writer = open(link, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if writer >= 0 { close(writer) }
    }
}
