// Which inodes of a mount programs watch with inotify(7), as /proc tells it. Not responsible for
// the use of that.

import Glibc
import LocalFiles
import LocalIO
import Saturating

/// Reads which inodes of a filesystem processes of this machine watch with inotify(7).
package enum InotifyWatches {
    /// The numbers of the inodes on a device, as far as this process may inspect the processes that
    /// watch them. That takes the same user and no fewer capabilities than they have, or
    /// CAP_SYS_PTRACE: proc(5), ptrace(2).
    ///
    /// - Parameter device: The minor number of the filesystem's device, whose major number is 0.
    package static func inodes(onDevice device: UInt32, proc: String = "/proc") -> Set<UInt64> {
        var inodes: Set<UInt64> = []
        for process in folderNames(in: proc) where process.utf8.allSatisfy(isDigit) {
            let folder = "\(proc)/\(process)"
            for descriptor in folderNames(in: "\(folder)/fd")
            where isInotify("\(folder)/fd/\(descriptor)") {
                let text = (try? readText("\(folder)/fdinfo/\(descriptor)")) ?? ""
                inodes.formUnion(watched(in: text, onDevice: device))
            }
        }
        return inodes
    }

    /// The inodes on a device that the text of /proc/PID/fdinfo/FD names. A line is
    /// `inotify wd:1 ino:2a sdev:31 mask:…`, its numbers hexadecimal: proc(5).
    static func watched(in text: String, onDevice device: UInt32) -> [UInt64] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.first == "inotify", number("sdev:", in: fields) == UInt64(clamping: device)
            else {
                return nil
            }
            return number("ino:", in: fields)
        }
    }

    private static func number(_ key: String, in fields: [Substring]) -> UInt64? {
        fields.first { $0.hasPrefix(key) }.flatMap { UInt64($0.dropFirst(key.count), radix: 16) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Whether an entry of /proc/PID/fd is a descriptor of inotify. False if it may not be read or
    /// is gone.
    private static func isInotify(_ path: String) -> Bool {
        let expected = Array("anon_inode:inotify".utf8CString.dropLast())
        // One byte more, so that a longer text is not taken for it.
        var buffer = [CChar](repeating: 0, count: expected.count +| 1)
        let count = readlink(path, &buffer, buffer.count)
        return count == expected.count && buffer.starts(with: expected)
    }
}
