// Arithmetic that ends at the type's limits, where Swift's own ends the process. All of the sources
// use it, and Scripts/check-arithmetic demands it: numbers come from a server, the kernel, a file,
// an argument.

infix operator +| : AdditionPrecedence
infix operator -| : AdditionPrecedence
infix operator *| : MultiplicationPrecedence
infix operator +|= : AssignmentPrecedence
infix operator -|= : AssignmentPrecedence

extension FixedWidthInteger {
    /// The sum, clamped to the type's limits.
    @inlinable
    public static func +| (left: Self, right: Self) -> Self {
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard overflow else { return sum }
        return right < 0 ? .min : .max
    }

    /// The difference, clamped to the type's limits.
    @inlinable
    public static func -| (left: Self, right: Self) -> Self {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        guard overflow else { return difference }
        return left < right ? .min : .max
    }

    /// The product, clamped to the type's limits.
    @inlinable
    public static func *| (left: Self, right: Self) -> Self {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        guard overflow else { return product }
        return (left < 0) == (right < 0) ? .max : .min
    }

    /// Adds, clamped to the type's limits.
    @inlinable
    public static func +|= (left: inout Self, right: Self) {
        left = left +| right
    }

    /// Subtracts, clamped to the type's limits.
    @inlinable
    public static func -|= (left: inout Self, right: Self) {
        left = left -| right
    }

    /// The quotient, clamped to the type's limits. By zero it is zero.
    @inlinable
    public func divided(by divisor: Self) -> Self {
        guard divisor != 0 else { return 0 }
        let (quotient, overflow) = dividedReportingOverflow(by: divisor)
        return overflow ? .max : quotient
    }

    /// The remainder of a division. By zero it is zero.
    @inlinable
    public func remainder(by divisor: Self) -> Self {
        guard divisor != 0 else { return 0 }
        // The only overflow is the least number by -1, which leaves nothing.
        let (rest, overflow) = remainderReportingOverflow(dividingBy: divisor)
        return overflow ? 0 : rest
    }

    /// The number with the other sign, clamped to the type's limits.
    @inlinable
    public var negated: Self { 0 -| self }

    /// The whole part of a number, clamped to the type's limits; 0 for NaN.
    @inlinable
    public init(clamping number: Double) {
        guard !number.isNaN else {
            self = 0
            return
        }
        self = Self(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }
}

extension Duration {
    /// The sum, clamped to the seconds that an `Int64` can count: the parts of a longer duration
    /// trap.
    public static func +| (left: Duration, right: Duration) -> Duration {
        Duration(clamping: left.attoseconds +| right.attoseconds)
    }

    /// The difference, clamped to the seconds that an `Int64` can count.
    public static func -| (left: Duration, right: Duration) -> Duration {
        Duration(clamping: left.attoseconds -| right.attoseconds)
    }

    /// The product, clamped to the seconds that an `Int64` can count.
    public static func *| (left: Duration, right: Int) -> Duration {
        Duration(clamping: left.attoseconds *| Int128(right))
    }

    /// The product, clamped to the seconds that an `Int64` can count; zero for NaN.
    public static func *| (left: Duration, right: Double) -> Duration {
        Duration(clamping: Int128(clamping: Double(left.attoseconds) * right))
    }

    private init(clamping attoseconds: Int128) {
        let wanted = Duration(attoseconds: attoseconds)
        self = min(max(wanted, .seconds(Int64.min)), .seconds(Int64.max))
    }

    /// A duration of so many seconds; 0 for NaN, and clamped to what an `Int64` can count.
    public static func seconds(clamping seconds: Double) -> Duration {
        guard seconds.magnitude < 0x1p63 else { return .seconds(Int64(clamping: seconds)) }
        return .seconds(seconds)
    }

    /// A duration of so many seconds, clamped to what an `Int64` can count.
    public static func seconds(clamping seconds: some BinaryInteger) -> Duration {
        .seconds(Int64(clamping: seconds))
    }

    /// Doubles the duration `times` times, clamped to the largest duration.
    public func doubled(times: Int) -> Duration {
        let limit = Duration.seconds(Int64.max)
        var result = self
        for _ in 0..<max(0, min(times, 128)) where result < limit / 2 { result = result +| result }
        return result
    }
}
