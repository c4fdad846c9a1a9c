// Sums, differences and products of numbers that others say: a server, the kernel, a file. They end at the largest
// or smallest number there is, and never the process. Scripts/lint demands them where such numbers are read.

infix operator +| : AdditionPrecedence
infix operator -| : AdditionPrecedence
infix operator *| : MultiplicationPrecedence
infix operator +|= : AssignmentPrecedence
infix operator -|= : AssignmentPrecedence

extension FixedWidthInteger {
    /// The sum, or the limit that it is beyond.
    public static func +| (left: Self, right: Self) -> Self {
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard overflow else { return sum }
        return right < 0 ? .min : .max
    }

    /// The difference, or the limit that it is beyond.
    public static func -| (left: Self, right: Self) -> Self {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        guard overflow else { return difference }
        return left < right ? .min : .max
    }

    /// The product, or the limit that it is beyond.
    public static func *| (left: Self, right: Self) -> Self {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        guard overflow else { return product }
        return (left < 0) == (right < 0) ? .max : .min
    }

    /// Adds, up to the limit.
    public static func +|= (left: inout Self, right: Self) {
        left = left +| right
    }

    /// Subtracts, down to the limit.
    public static func -|= (left: inout Self, right: Self) {
        left = left -| right
    }
}

extension Duration {
    /// Twice as long, so many times; for as long as there can be, if that is longer.
    public func doubled(times: Int) -> Duration {
        let limit = Duration.seconds(Int64.max)
        var result = self
        for _ in 0..<max(0, min(times, 128)) where result < limit / 2 { result += result }
        return result
    }
}
