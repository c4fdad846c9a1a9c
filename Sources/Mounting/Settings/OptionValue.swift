// Sizes, times, masks and numbers in the notation of options and environment variables.

/// Parses the values of options; every function returns nil for an invalid one.
package enum OptionValue {
    /// Bytes: `512`, `512K`, `10M`, `2G`, `1T`, in powers of 1024.
    package static func bytes(_ text: String) -> Int64? {
        let shifts: [Character: Int64] = ["K": 10, "M": 20, "G": 30, "T": 40]
        var digits = Substring(text)
        var shift: Int64 = 0
        if let unit = digits.last, let known = shifts[Character(unit.uppercased())] {
            shift = known
            digits.removeLast()
        }
        guard let count = number(digits) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: 1 << shift)
        return overflow ? nil : bytes
    }

    /// Seconds: `5`, `0.5`, `5s`, `2m`, `1h`.
    package static func seconds(_ text: String) -> Double? {
        let scales: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        var digits = Substring(text)
        var scale = 1.0
        if let unit = digits.last, let known = scales[unit] {
            scale = known
            digits.removeLast()
        }
        guard digits.first?.isASCII == true, digits.first?.isNumber == true,
            let value = Double(digits)
        else { return nil }
        // It begins with a digit, so it is not negative.
        let seconds = Double.maximum(value * scale, 0)
        return seconds <= 1e9 ? seconds : nil
    }

    /// A user or group ID, except the largest, which means none in the kernel.
    package static func identifier(_ text: String) -> UInt32? {
        number(Substring(text)).flatMap { UInt32(exactly: $0) }.flatMap { $0 == .max ? nil : $0 }
    }

    /// Permission bits to clear, in octal: `022`.
    package static func mask(_ text: String) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let mask = UInt16(text, radix: 8), mask <= 0o777
        else { return nil }
        return mask
    }

    private static func number(_ digits: Substring) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(digits, radix: 10)
    }
}
