// The helper process of a mount that raises inotify events, by calls on the mount that change
// nothing. Not responsible for which events are raised: `InotifySignals` tells it.

import ArgumentParser
import CLinux
import FileSystem
import Glibc
import LocalFiles
import Mounting
import Saturating

/// Raises the events for the signals in the file at stdin.
struct SignalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: InotifySignal.command, shouldDisplay: false)
    /// Bytes of signals that are read at most: more than any batch has.
    private static let mostBytes = 256 << 20
    /// `O_PATH`, a macro that the importer leaves out.
    private static let placeOnly = __O_PATH

    @Argument var mountpoint: String
    @Option var device: UInt32
    @Flag(name: .customLong("writeback-cache")) var gathersWrites = false

    func run() throws {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_size <= Self.mostBytes else { return }
        var bytes = [UInt8](repeating: 0, count: max(0, Int(clamping: status.st_size)))
        let count = bytes.withUnsafeMutableBytes { FileBytes.read(into: $0, at: 0, from: 0) }
        for signal in InotifySignal.decode(Array(bytes.prefix(count))) { raise(signal) }
    }

    /// The number in stat(2) of a device whose major number is 0: makedev(3).
    private static func number(ofDevice minor: UInt32) -> dev_t {
        dev_t(clamping: minor & 0xff) | dev_t(clamping: minor & ~0xff) << 12
    }

    /// A node that is gone by now, or that may not be written, has no event of its own; its folder
    /// has.
    private func raise(_ signal: InotifySignal) {
        // Not for all signals: a mount whose root is open is busy for umount(8).
        let root = open(mountpoint, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return }
        defer { close(root) }
        var status = stat()
        // After an unmount it is the folder below, where nothing may be changed.
        guard fstat(root, &status) == 0, status.st_dev == Self.number(ofDevice: device) else {
            return
        }
        let path = (signal.path.isEmpty ? [UInt8(ascii: ".")] : signal.path) + [0]
        let node = path.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { path in
                let flags = Self.placeOnly | O_NOFOLLOW | O_CLOEXEC
                return clinux_open_without_links(
                    root, path.baseAddress, UInt64(clamping: flags), 0)
            }
        }
        guard node >= 0 else { return }
        defer { close(node) }
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
