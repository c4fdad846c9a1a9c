// The suite of all tests that mount. One after the other: each has three processes, and machines
// that run tests have few cores.

import Foundation
import Testing

@Suite("mounted", .serialized, .enabled(if: canMount, "needs root and a usable /dev/fuse"))
enum MountedTests {}

/// Root, because the tests detach mounts and abort connections by force where something hangs.
private let canMount: Bool = {
    let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
    guard device >= 0 else { return false }
    close(device)
    return geteuid() == 0
}()
