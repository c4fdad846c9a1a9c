// The report of a mount's process to the command that has started it.

import Glibc
import Mounting
import TestSupport
import Testing

@Suite struct ReadinessTests {
    // Descriptor 3 belongs to a whole process, whose exit code says here which call failed.
    @Test("a report is sent once, and not into a file that has the pipe's number then")
    func once() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { exit(10) }
            // Its own end must not have the number that the mount's gets.
            let own = fcntl(ends[0], F_DUPFD, Readiness.descriptor + 1)
            guard dup2(ends[1], Readiness.descriptor) >= 0 else { exit(11) }
            Readiness.takeOver()
            guard Readiness.report(.ready()) else { exit(12) }
            var byte = UInt8(0)
            guard read(own, &byte, 1) == 1, byte == UInt8(ascii: "{") else { exit(13) }
            guard let folder = try? TemporaryFolder() else { exit(14) }
            let file = open(folder.path + "/file", O_RDWR | O_CREAT, 0o600)
            guard dup2(file, Readiness.descriptor) >= 0 else { exit(15) }
            guard !Readiness.report(.failed(.system("no"))) else { exit(16) }
            var status = stat()
            guard fstat(Readiness.descriptor, &status) == 0 else { exit(17) }
            exit(status.st_size == 0 ? 0 : 18)
        }
    }

    @Test("a descriptor of no pipe is not taken for the command's")
    func noPipe() async {
        await #expect(processExitsWith: .success) {
            guard let folder = try? TemporaryFolder() else { exit(14) }
            let file = open(folder.path + "/file", O_RDWR | O_CREAT, 0o600)
            guard dup2(file, Readiness.descriptor) >= 0 else { exit(15) }
            Readiness.takeOver()
            guard !Readiness.report(.ready()) else { exit(16) }
            var status = stat()
            guard fstat(Readiness.descriptor, &status) == 0 else { exit(17) }
            exit(status.st_size == 0 ? 0 : 18)
        }
    }
}
