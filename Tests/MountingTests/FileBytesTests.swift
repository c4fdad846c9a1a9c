// Writing until all is done.

import Glibc
import LocalFiles
import Testing

@Suite struct FileBytesTests {
    /// Writes ten bytes by a function that answers with each of these counts, -1 with an errno, in
    /// turn. Returns the count and the offsets at which it was called.
    private func write(_ answers: [(count: Int, code: Int32)]) -> (count: Int, offsets: [Int64]) {
        var offsets: [Int64] = []
        let count = [UInt8](repeating: 1, count: 10).withUnsafeBytes {
            FileBytes.write($0, at: 100) { _, offset in
                let answer = answers[offsets.count]
                offsets.append(offset)
                errno = answer.code
                return answer.count
            }
        }
        return (count, offsets)
    }

    @Test(
        "a write in parts goes on where the part before has ended, and after a signal at the same place"
    )
    func parts() {
        let written = write([(4, 0), (-1, EINTR), (5, 0), (1, 0)])
        #expect(written.count == 10)
        #expect(written.offsets == [100, 104, 104, 109])
    }

    @Test(
        "a failure ends the write, and says how much was written and why not all",
        arguments: [(-1, ENOSPC), (0, EIO)])
    func failure(_ count: Int, _ code: Int32) {
        let written = write([(4, 0), (count, code)])
        let found = errno
        #expect(written.count == 4)
        #expect(found == code)
    }
}
