// The system's reason for a failure, as swift-system has it.

import CLibrary
package import SystemPackage

/// The current value of errno.
package var currentErrno: Errno { Errno(rawValue: errno) }

/// An error's text without the word "error" and without a number.
package func reason(_ error: any Error) -> String {
    (error as? Errno)?.description ?? String(describing: error)
}
