// The text of facts in a field of a property, which has at most 1,024 bytes. Reading is total: the
// text is from a server, and any app with the same key may have written it.
//
//     1 m=755 t=1700000000:123456789 a=origin:web
//     1 l=../lib/libz.so.1
//
// The first word is the version. Later versions may add keys, and words with unknown keys are kept.
// Bytes other than letters, digits, `.`, `_` and `-` are `%XX` in `a`; in `l` and `n`, all of ASCII
// but spaces, `%` and control characters is plain.
// - `m`: the permission bits in octal.
// - `t`: seconds and nanoseconds of the modification time; and the seconds that the server has for
//   the revision, if they differ.
// - `a`: name and value of an attribute.
// - `l`: the target of a symbolic link.
// - `n`: the own name.

import Saturating

extension PosixFacts {
    /// The most bytes in a field (`file_properties.stone`: "Values can be up to 1024 bytes").
    package static let longestText = 1024
    /// The longest name of an attribute without `user.`, in bytes (`XATTR_NAME_MAX` is 255).
    private static let longestName = 250
    private static let version = "1"

    /// Reads a text; nil if it is too long or of another version. Facts that make no sense
    /// are left out.
    package init?(text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        guard words.first == Self.version else { return nil }
        self.init()
        for word in words.dropFirst() { read(word) }
        others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The text, in one form for equal facts.
    package var text: String {
        var words = [Self.version]
        if let permissions { words.append("m=" + String(permissions, radix: 8)) }
        if let modified {
            let time = modified.time
            var word = "t=\(time.seconds):\(time.nanosecondsWithinSecond)"
            if time.seconds != modified.stored { word += ":\(modified.stored)" }
            words.append(word)
        }
        if let link { words.append("l=" + Self.escaped(link.bytes, Self.isPlainInLink)) }
        if let ownName { words.append("n=" + Self.escaped(ownName.bytes, Self.isPlainInLink)) }
        let names = attributes.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            words.append(Self.word(name, attributes[name] ?? []))
        }
        words.append(contentsOf: others)
        return words.joined(separator: " ")
    }

    /// The facts that fit into a field. Attributes that the server already has with the same value
    /// come first, because a machine must not remove attributes that another machine shares; then
    /// the smallest of the others. If the server's attributes have no room, the exact time is left
    /// out first, then the own name, and at last a link's target.
    package func fitting(beside told: PosixFacts?) -> PosixFacts {
        if text.utf8.count <= Self.longestText { return self }
        let attributes = attributes.map { name, value in
            Candidate(
                name: name, value: value, size: Self.word(name, value).utf8.count +| 1,
                isTold: told?.attributes[name] == value)
        }.sorted()
        var facts = self
        facts.attributes = [:]
        let needed = attributes.reduce(0) { $0 +| ($1.isTold ? $1.size : 0) }
        if facts.text.utf8.count +| needed > Self.longestText { facts.modified = nil }
        if facts.text.utf8.count > Self.longestText { facts.others = [] }
        if facts.text.utf8.count > Self.longestText { facts.ownName = nil }
        if facts.text.utf8.count > Self.longestText { facts.link = nil }
        var room = Self.longestText -| facts.text.utf8.count
        for attribute in attributes where attribute.size <= room {
            facts.attributes[attribute.name] = attribute.value
            room = room -| attribute.size
        }
        return facts
    }

    /// An attribute that may have no room.
    private struct Candidate: Comparable {
        var name: String
        var value: [UInt8]
        /// Bytes in the text, with the space before it.
        var size: Int
        var isTold: Bool

        static func < (left: Candidate, right: Candidate) -> Bool {
            if left.isTold != right.isTold { return left.isTold }
            if left.size != right.size { return left.size < right.size }
            return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }

    // MARK: Reading

    private mutating func read(_ word: String) {
        guard let separator = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return others.append(word)
        }
        let value = word[word.utf8.index(after: separator)...]
        switch word[..<separator] {
        case "m": permissions = Self.permissions(value) ?? permissions
        case "t": modified = Self.time(value) ?? modified
        case "a":
            if let (name, bytes) = Self.attribute(value) { attributes[name] = bytes }
        case "l": link = Self.bytes(value, Self.isPlainInLink).flatMap { LinkTarget($0) } ?? link
        case "n":
            let own = Self.bytes(value, Self.isPlainInLink).flatMap { try? OwnName($0) }
            ownName = own ?? ownName
        default: others.append(word)
        }
    }

    private static func permissions(_ text: Substring) -> UInt16? {
        guard let bits = UInt16(text, radix: 8), bits & ~sharedPermissions == 0 else { return nil }
        return bits
    }

    private static func time(_ text: Substring) -> ExactTime? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let seconds = Int64(parts[0], radix: 10),
            let nanoseconds = Int64(parts[1], radix: 10), (0...999_999_999).contains(nanoseconds)
        else { return nil }
        let time = WallTime(seconds: seconds, nanoseconds: nanoseconds)
        guard parts.count == 3 else { return ExactTime(time, stored: seconds) }
        return Int64(parts[2], radix: 10).map { ExactTime(time, stored: $0) }
    }

    private static func attribute(_ text: Substring) -> (String, [UInt8])? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = bytes(parts[0]), let value = bytes(parts[1]),
            (1...longestName).contains(key.count), !key.contains(0),
            let name = String(validating: key, as: UTF8.self), !name.hasPrefix("dropbox.")
        else { return nil }
        return (name, value)
    }

    // MARK: Bytes

    private static func word(_ name: String, _ value: [UInt8]) -> String {
        "a=" + escaped(Array(name.utf8)) + ":" + escaped(value)
    }

    private static func escaped(
        _ bytes: [UInt8], _ isPlain: (UInt8) -> Bool = isPlain
    ) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(contentsOf: [byte >> 4, byte & 15].map { digits[Int(clamping: $0)] })
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(
        _ text: Substring, _ isPlain: (UInt8) -> Bool = isPlain
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if isPlain(byte) {
                bytes.append(byte)
                continue
            }
            guard byte == UInt8(ascii: "%"), let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        digits.firstIndex(of: byte).map { UInt8(clamping: $0) }
    }

    /// Targets are paths, in which slashes are frequent.
    private static func isPlainInLink(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
