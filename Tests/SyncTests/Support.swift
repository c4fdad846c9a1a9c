// What the tests of this module share: folders of their own, seeded randomness, plain bytes.

import Core
import Foundation
import Synchronization

@testable import Sync

enum TemporaryFolder {
    static func make() -> String {
        let path = NSTemporaryDirectory() + "dbxfs-sync-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same seed gives the same history everywhere.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var words: [UInt64] = []
        for _ in 0...count / 8 { words.append(next()) }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }
}

extension [UInt8] {
    mutating func resize(_ size: Int) {
        if size < count {
            removeLast(count - size)
        } else {
            append(contentsOf: repeatElement(0, count: size - count))
        }
    }

    mutating func overwrite(at offset: Int, with bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if offset + bytes.count > count {
            resize(offset + bytes.count)
        }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    func slice(_ range: Range<Int>) -> [UInt8] {
        Array(self[Swift.min(range.lowerBound, count)..<Swift.min(range.upperBound, count)])
    }
}

/// The machine's clock, a hundred times as fast: waiting before the next try takes no test's time.
struct FastClock: SyncClock {
    private static let speed: Int64 = 100
    private let start = Timestamp.now()

    func now() -> Timestamp {
        let passed = Timestamp.now().nanoseconds - start.nanoseconds
        return Timestamp(nanoseconds: start.nanoseconds + passed * Self.speed)
    }

    func sleep(until time: Timestamp) async throws(CancellationError) {
        let rest = max(0, time.nanoseconds - now().nanoseconds) / Self.speed
        do {
            try await Task.sleep(nanoseconds: UInt64(rest))
        } catch {
            throw CancellationError()
        }
    }
}

/// A clock that moves a second whenever it is looked at, and by as much as somebody waits.
final class TickingClock: SyncClock {
    private let time = Mutex(Timestamp.now())

    func now() -> Timestamp {
        time.withLock { time in
            time = time.adding(seconds: 1)
            return time
        }
    }

    func sleep(until target: Timestamp) async throws(CancellationError) {
        if Task.isCancelled { throw CancellationError() }
        time.withLock { $0 = max($0, target) }
    }
}
