// A validated file name. Swift compares strings by canonical equivalence, under which "é" and "e" +
// U+0301 are equal; a filesystem must distinguish them, so names compare by their bytes.

/// One component of a path: valid UTF-8 of 1 to 255 bytes without `/` and NUL, not `.` or `..`.
public struct FileName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Longest name in bytes, as on other Linux filesystems (`NAME_MAX`).
    public static let maximumByteCount = 255

    /// The name as text.
    public let string: String

    /// The server's key of the name, if it differs from the predicted one.
    public let key: String?

    /// Validates a name.
    ///
    /// Throws `Invalid` with the rule that the text violates.
    public init(_ string: String) throws(Invalid) {
        try Self.validate(string)
        self.string = string
        key = nil
    }

    /// Validates a name with the server's key; nil for the predicted one.
    public init(_ string: String, key: String?) throws(Invalid) {
        try Self.validate(string)
        self.string = string
        self.key = key.flatMap { $0.utf8.elementsEqual(Folding.fold(string).utf8) ? nil : $0 }
    }

    private static func validate(_ string: String) throws(Invalid) {
        if string.isEmpty || string == "." || string == ".." {
            throw .reserved
        }
        if string.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
            throw .forbiddenCharacter
        }
        if string.utf8.count > maximumByteCount {
            throw .tooLong
        }
    }

    /// Validates the bytes of a name from the kernel or a server.
    public init(utf8 bytes: some Collection<UInt8>) throws(Invalid) {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw .notUTF8
        }
        try self.init(string)
    }

    /// The rule that a refused name violates.
    public enum Invalid: Error, Hashable, Sendable {
        /// The name is empty, `.` or `..`.
        case reserved
        /// The name contains `/` or NUL.
        case forbiddenCharacter
        /// The name has more than 255 bytes.
        case tooLong
        /// The name is not valid UTF-8, which Dropbox cannot store.
        case notUTF8
    }

    /// The key under which Dropbox files this name: names with equal keys collide there.
    ///
    /// The server's `path_lower` is authoritative. If it is unknown, the key is predicted, because
    /// Dropbox's folding is not documented: NFC, then the lower-case mapping of each scalar, comes
    /// closest to it.
    public var folded: String {
        key ?? Folding.fold(string)
    }

    /// Whether the name is pure ASCII, whose folding is known.
    public var isASCII: Bool {
        string.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Compares bytes, not canonical equivalence.
    public static func == (left: FileName, right: FileName) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Hashes the name's bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: string)
    }

    /// Compares in byte order.
    public static func < (left: FileName, right: FileName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// The name's text, for logs.
    public var description: String { string }
}

extension Hasher {
    /// Hashes a text's bytes in one call: byte by byte it costs ten times as much.
    public mutating func combine(bytesOf text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
