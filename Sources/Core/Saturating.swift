// Saturating arithmetic for untrusted numbers: from a server, the kernel, a file. It clamps to the
// type's limits and never traps. Scripts/lint demands it where such numbers are read.

infix operator +| : AdditionPrecedence
infix operator -| : AdditionPrecedence
infix operator *| : MultiplicationPrecedence
infix operator +|= : AssignmentPrecedence
infix operator -|= : AssignmentPrecedence

extension FixedWidthInteger {
    /// The sum, clamped to the type's limits.
    public static func +| (left: Self, right: Self) -> Self {
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard overflow else { return sum }
        return right < 0 ? .min : .max
    }

    /// The difference, clamped to the type's limits.
    public static func -| (left: Self, right: Self) -> Self {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        guard overflow else { return difference }
        return left < right ? .min : .max
    }

    /// The product, clamped to the type's limits.
    public static func *| (left: Self, right: Self) -> Self {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        guard overflow else { return product }
        return (left < 0) == (right < 0) ? .max : .min
    }

    /// Adds, clamped to the type's limits.
    public static func +|= (left: inout Self, right: Self) {
        left = left +| right
    }

    /// Subtracts, clamped to the type's limits.
    public static func -|= (left: inout Self, right: Self) {
        left = left -| right
    }
}

extension Duration {
    /// Doubles the duration `times` times, clamped to the largest duration.
    public func doubled(times: Int) -> Duration {
        let limit = Duration.seconds(Int64.max)
        var result = self
        for _ in 0..<max(0, min(times, 128)) where result < limit / 2 { result += result }
        return result
    }
}
