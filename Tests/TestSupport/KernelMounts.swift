// The kernel's list of mounts, and its switches for those of FUSE. Reading them asks no filesystem
// anything.

import Foundation

/// A line of /proc/self/mountinfo.
public struct KernelMount: Hashable, Sendable {
    /// The device's minor number, which names the connection in /sys/fs/fuse/connections.
    public var minor: String
    /// The path on which it is mounted.
    public var path: String
    /// The filesystem's type, such as `fuse.dbxfs`.
    public var type: String

    /// All mounts that this process sees.
    public static var all: [KernelMount] {
        // Not `contentsOfFile`, which reads one piece of a file that has no size.
        let file = FileHandle(forReadingAtPath: "/proc/self/mountinfo")
        var bytes = Data()
        while let piece = try? file?.read(upToCount: 65536), !piece.isEmpty { bytes += piece }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .compactMap { KernelMount(line: String($0)) }
    }

    /// Reads a line of the table.
    public init?(line: String) {
        let fields = line.split(separator: " ")
        guard fields.count > 4, let minor = fields[2].split(separator: ":").last,
            let end = fields.firstIndex(of: "-"), end + 1 < fields.count
        else { return nil }
        self.minor = String(minor)
        path = Self.unescaped(fields[4])
        type = String(fields[end + 1])
    }

    /// A path as it is: the table has spaces, tabs, ends of lines and backslashes in octal.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The switches of FUSE's connections.
public enum FuseConnections {
    private static let place = "/sys/fs/fuse/connections"

    /// Ends connections, so that every process that waits for them goes on with an error. Where
    /// their switches are not mounted, they are for that moment, and at a place of this process's
    /// own.
    public static func abort(_ minors: [String]) {
        guard !minors.isEmpty else { return }
        let isThere =
            (try? FileManager.default.contentsOfDirectory(atPath: place))?.isEmpty == false
        guard !isThere else { return write(minors, below: place) }
        let own = TemporaryFolder.make()
        if mount("none", own, "fusectl", 0, nil) == 0 {
            write(minors, below: own)
            umount2(own, Int32(MNT_DETACH))
        }
        rmdir(own)
    }

    private static func write(_ minors: [String], below folder: String) {
        for minor in minors {
            guard let file = FileHandle(forWritingAtPath: "\(folder)/\(minor)/abort") else {
                continue
            }
            try? file.write(contentsOf: Data("1".utf8))
            try? file.close()
        }
    }
}
