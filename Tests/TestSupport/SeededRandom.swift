// Randomness that a seed repeats.

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

    /// A number from 0 on that is less than `bound`.
    public mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// The next `count` bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        var words: [UInt64] = []
        for _ in 0...count / 8 { words.append(next()) }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }
}
