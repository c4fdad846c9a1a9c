// Ranges and parts of collections for any bounds and counts, where Swift's own end the process:
// with a lower bound above the upper one, or a negative count.

infix operator ..<| : RangeFormationPrecedence

extension Comparable {
    /// The range from a lower bound up to, but not including, an upper one; empty if that is below.
    @inlinable
    public static func ..<| (lower: Self, upper: Self) -> Range<Self> {
        lower..<max(lower, upper)
    }
}

extension Collection {
    /// The first elements; none if the count is negative.
    @inlinable
    public func prefix(clamping count: Int) -> SubSequence { prefix(Swift.max(0, count)) }

    /// All but the first elements; all if the count is negative.
    @inlinable
    public func dropFirst(clamping count: Int) -> SubSequence { dropFirst(Swift.max(0, count)) }

    /// All but the last elements; all if the count is negative.
    @inlinable
    public func dropLast(clamping count: Int) -> SubSequence { dropLast(Swift.max(0, count)) }
}

extension BidirectionalCollection {
    /// The last elements; none if the count is negative.
    @inlinable
    public func suffix(clamping count: Int) -> SubSequence { suffix(Swift.max(0, count)) }
}

extension RangeReplaceableCollection {
    /// So many of one element; none if the count is negative.
    @inlinable
    public init(repeating element: Element, clamping count: Int) {
        self.init(repeating: element, count: Swift.max(0, count))
    }
}

extension String {
    /// So many of one text; none if the count is negative.
    @inlinable
    public init(repeating text: String, clamping count: Int) {
        self.init(repeating: text, count: Swift.max(0, count))
    }
}
