// What tests of several modules share: folders of their own, seeded randomness, plain bytes as a model of a file.

import Foundation

/// Folders of a test's own.
public enum TemporaryFolder {
    /// Makes a new, empty one and returns its path.
    public static func make() -> String {
        let path = NSTemporaryDirectory() + "dbxfs-test-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same seed gives the same history everywhere.
public struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// Begins the sequence of a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// The next `count` bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        var words: [UInt64] = []
        for _ in 0...count / 8 { words.append(next()) }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }
}

extension [UInt8] {
    /// Cuts, or extends by zeros.
    public mutating func resize(_ size: Int) {
        if size < count {
            removeLast(count - size)
        } else {
            append(contentsOf: repeatElement(0, count: size - count))
        }
    }

    /// Writes as a file is written, with zeros up to an offset behind the end.
    public mutating func overwrite(at offset: Int, with bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if offset + bytes.count > count {
            resize(offset + bytes.count)
        }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    /// The bytes of a range, as far as there are any.
    public func slice(_ range: Range<Int>) -> [UInt8] {
        Array(self[Swift.min(range.lowerBound, count)..<Swift.min(range.upperBound, count)])
    }
}
