// Saturating arithmetic on numbers from outside: another mount, a file, the kernel. No value may
// end the process.

extension Int64 {
    /// The whole part of a number; 0 for NaN.
    init(clamping number: Double) {
        guard !number.isNaN else {
            self = 0
            return
        }
        self = Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }
}

extension FixedWidthInteger {
    func plus(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func minus(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }

    func times(_ other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
