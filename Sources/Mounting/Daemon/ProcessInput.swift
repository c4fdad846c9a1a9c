// How a process is started: its standard descriptors, and whether its arguments and variables are
// text. Not responsible for what they mean.

import Glibc
import Saturating

/// The input of the whole process, looked at once at its start.
package enum ProcessInput {
    /// Puts a descriptor on which nothing can be read or written in the place of each standard one
    /// that is closed: otherwise the next file that is opened would get its number, and the text
    /// that is printed. Must run before any file is opened.
    package static func fillStandardDescriptors() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is this one, since those below it are open by now.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// An argument, or a variable that names a file or folder, whose bytes are no UTF-8, in a form
    /// that can be shown: as text it would name something else.
    package static func unreadableText() -> String? {
        let arguments = UnsafeBufferPointer(
            start: CommandLine.unsafeArgv, count: Int(clamping: CommandLine.argc))
        for case let argument? in arguments where String(validatingCString: argument) == nil {
            return "the argument '\(Terminal.printable(String(cString: argument)))'"
        }
        for name in readNames {
            guard let value = getenv(name), String(validatingCString: value) == nil else {
                continue
            }
            return "the variable \(name)"
        }
        return nil
    }

    /// The variables whose values are paths.
    private static let readNames = [
        "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
        "DBXFS_CONFIG", "DBXFS_STATE_DIR", "DBXFS_CACHE_DIR", "DBXFS_RUNTIME_DIR",
        "DBXFS_LOGIN_FILE",
    ]
}
