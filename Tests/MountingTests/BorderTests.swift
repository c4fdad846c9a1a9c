// Numbers at the borders of their types, as another process, the kernel or a file may say them.

import Testing

@testable import Mounting

@Suite("numbers at the borders")
struct BorderTests {
    private static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    private static let seconds: [Double] = [
        -.infinity, -.greatestFiniteMagnitude, -1e19, -0.5, 0, 0.5, 9.3e18, 1e300, .infinity, .nan,
    ]

    @Test("room on a disk that claims more bytes than can be counted is the most there is")
    func space() {
        #expect(spaceBytes(blocks: 10, size: 4096) == 40960)
        #expect(spaceBytes(blocks: 1 << 53, size: 4096) == .max)
        #expect(spaceBytes(blocks: .max, size: .max) == .max)
        #expect(spaceBytes(blocks: .max, size: 0) == 0)
    }

    @Test("percents of any numbers from a mount are numbers")
    func percents() {
        #expect(MountStatus.percent(29, of: 100) == 29)
        #expect(MountStatus.percent(.max, of: .max) == 100)
        for part in Self.numbers {
            for whole in Self.numbers { _ = MountStatus.percent(part, of: whole) }
        }
    }

    @Test("a status with numbers that cannot be is shown, on each way of showing it")
    func status() {
        for number in Self.numbers {
            for seconds in Self.seconds {
                var status = MountStatus(mountpoint: "/m", account: "a", state: .online)
                status.pid = 7
                status.bytesDown = number
                status.bytesUp = number
                status.pendingBytes = number
                status.cachedBytes = number
                status.waitingSeconds = seconds
                status.cursorAgeSeconds = seconds
                status.uploads = [
                    .init(path: "/a", bytes: number, sent: number),
                    .init(path: "/b", bytes: number, sent: Int64.max),
                ]
                var earlier = status
                earlier.bytesDown = .max
                earlier.bytesUp = .min
                let start = ContinuousClock.now
                let before = StatusScreen.Look(mounts: [earlier], time: start)
                let now = StatusScreen.Look(
                    mounts: [status], time: start + .nanoseconds(1))
                #expect(
                    !StatusScreen.lines(now, since: before, size: .init(columns: 80, rows: 24))
                        .isEmpty)
                #expect(!status.text.isEmpty)
                #expect(!StatusMetrics.text([status, status]).isEmpty)
            }
        }
    }

    @Test("the bytes of a pin that are still to come are counted up to the limit")
    func pins() {
        for files in [Int.min, -1, 0, .max] {
            for present in [Int.min, -1, 0, .max] {
                let progress = PinProgress(
                    files: files, bytes: 0, presentFiles: present, presentBytes: 0,
                    unavailableFiles: present, missingBytes: 0, state: .online, isTreeKnown: true)
                _ = progress.missingFiles
            }
        }
    }
}
