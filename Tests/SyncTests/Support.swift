// What the tests of this module share: folders of their own, seeded randomness, plain bytes.

import Foundation

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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
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
