// The forms of values: how each is written, and what it is then.

/// A form of values.
struct ValueForm<Value>: Sendable {
    /// The placeholder in help texts.
    let placeholder: String
    /// Its description in messages.
    let expected: String
    /// Whether the configuration file has to quote it, because a number there is decimal.
    var isQuoted = false
    /// The values that are words, for completion at the Tab key.
    var words: [String] = []
    /// Reads a value; nil for an invalid one.
    let parse: @Sendable (String) -> Value?
}

extension ValueForm
where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// One of the words that the type has.
    static var oneWord: Self {
        let words = Value.allCases.map(\.rawValue)
        return Self(
            placeholder: words.joined(separator: "|"), expected: words.joined(separator: " or "),
            words: words
        ) { Value(rawValue: $0) }
    }
}

extension ValueForm<UInt32> {
    static var user: Self {
        Self(placeholder: "N|NAME", expected: "the number or name of a user of this machine") {
            OptionValue.identifier($0) ?? NamedOwners.user($0)
        }
    }
    static var group: Self {
        Self(placeholder: "N|NAME", expected: "the number or name of a group of this machine") {
            OptionValue.identifier($0) ?? NamedOwners.group($0)
        }
    }
}

extension ValueForm<UInt16> {
    static var mask: Self {
        Self(
            placeholder: "OCT", expected: "permission bits in octal such as 022", isQuoted: true,
            parse: OptionValue.mask)
    }
}

extension ValueForm<Int64> {
    static var size: Self {
        Self(
            placeholder: "SIZE", expected: "a size such as 512M or 20G, with its unit",
            parse: OptionValue.largeBytes)
    }
}

extension ValueForm<Double> {
    static var time: Self {
        Self(placeholder: "TIME", expected: "a time such as 5s or 1m", parse: OptionValue.seconds)
    }
    static var timeOrNone: Self {
        Self(placeholder: "TIME", expected: "a time such as 5s or 1m, or none", words: ["none"]) {
            $0 == "none" ? 0 : OptionValue.seconds($0)
        }
    }
}

/// By bytes: a name may begin with an accent, which makes one character with the slash.
private func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

extension ValueForm<String> {
    static var path: Self {
        Self(placeholder: "PATH", expected: "a path from the root on") {
            isAbsolute($0) ? $0 : nil
        }
    }
    static var securityContext: Self {
        Self(
            placeholder: "LABEL",
            expected: "a label of SELinux such as system_u:object_r:httpd_sys_rw_content_t:s0",
            parse: OptionValue.securityContext)
    }
    static var program: Self {
        Self(
            placeholder: "notify|PATH", expected: "notify or a program's path from the root on",
            words: [MountSettings.notifications]
        ) {
            $0 == MountSettings.notifications || isAbsolute($0) ? $0 : nil
        }
    }
    static var member: Self {
        Self(placeholder: "ID", expected: "a team member's id such as dbmid:AAH…") {
            $0.hasPrefix("dbmid:") ? $0 : nil
        }
    }
}

extension ValueForm<MountSettings.Synchronization> {
    static var synchronization: Self { oneWord }
}

extension ValueForm<MountSettings.Names> {
    static var names: Self { oneWord }
}

extension ValueForm<MountSettings.AllowedNames> {
    static var allowedNames: Self { oneWord }
}

extension ValueForm<MountSettings.CloudDocuments> {
    static var cloudDocuments: Self { oneWord }
}

extension ValueForm<MountSettings.Trash> {
    static var trash: Self { oneWord }
}

extension ValueForm<MountSettings.Inotify> {
    static var inotify: Self { oneWord }
}

extension ValueForm<MountSettings.Thumbnails> {
    static var thumbnails: Self { oneWord }
}

extension ValueForm<MountSettings.Posix> {
    static var posix: Self { oneWord }
}

extension ValueForm<ProgramList> {
    static var programs: Self {
        Self(
            placeholder: "LIST",
            expected: "names of programs such as standard:rygel, or none",
            words: ["standard", "none"]
        ) { Value(parsing: $0) }
    }
}

extension ValueForm<MetricsAddress> {
    static var metrics: Self {
        Self(
            placeholder: "ADDRESS",
            expected: "a port, an address in numbers with a port such as 127.0.0.1:9417, "
                + "or a path from the root on"
        ) { Value($0) }
    }
}

extension ValueForm<MountSettings.Root> {
    static var root: Self {
        Self(
            placeholder: "home|team|ID", expected: "home, team or the number of a namespace",
            words: ["home", "team"]
        ) { Value($0) }
    }
}

extension ValueForm<LogLevel> {
    static var logLevel: Self {
        Self(
            placeholder: "LEVEL", expected: LogLevel.names,
            words: LogLevel.allCases.map(\.rawValue)
        ) { Value($0) }
    }
}

// MARK: Notations that several have

/// Parses the values of options; every function returns nil for an invalid one.
package enum OptionValue {
    /// Numbers up to this one mean another unit more probably than bytes: `bwlimit_up=500` is 500
    /// KiB per second in rclone.
    private static let fewBytes: Int64 = 64 << 10

    /// Bytes in the same form, but few of them with their unit only: `500B`. 0 needs none.
    static func largeBytes(_ text: String) -> Int64? {
        guard let bytes = bytes(text) else { return nil }
        let hasUnit = text.last.map { !$0.isNumber } ?? false
        return hasUnit || bytes == 0 || bytes > fewBytes ? bytes : nil
    }

    /// Bytes: `512`, `512B`, `512K`, `10M`, `2G`, `1T`, in powers of 1024.
    package static func bytes(_ text: String) -> Int64? {
        let shifts: [Character: Int64] = ["B": 0, "K": 10, "M": 20, "G": 30, "T": 40]
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

    /// A label of SELinux, with or without quotes. Nothing in it can end the kernel's option.
    static func securityContext(_ text: String) -> String? {
        var label = Substring(text)
        if label.count >= 2, label.first == "\"", label.last == "\"" {
            label = label.dropFirst().dropLast()
        }
        let parts = label.split(separator: ":", omittingEmptySubsequences: false)
        let isSound = label.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: ","):
                true
            default: false
            }
        }
        guard isSound, (3...5).contains(parts.count), label.utf8.count <= 255,
            parts.allSatisfy({ !$0.isEmpty })
        else { return nil }
        return String(label)
    }

    private static func number(_ digits: Substring) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(digits, radix: 10)
    }
}
