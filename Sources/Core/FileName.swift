// A validated file name. Swift compares strings by canonical equivalence, under which "é" and
// "e" + U+0301 are one; a filesystem must keep them apart, so names compare by their bytes here.

/// One component of a path: valid UTF-8 of 1 to 255 bytes without `/` and NUL, not `.` or `..`.
public struct FileName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Longest name in bytes, as on other Linux filesystems (`NAME_MAX`).
    public static let maximumByteCount = 255

    /// The name as text.
    public let string: String

    /// The key under which the server files the name, where that is not the predicted one.
    public let key: String?

    /// Validates a name.
    ///
    /// Throws `Invalid` with the rule that the text breaks.
    public init(_ string: String) throws(Invalid) {
        try Self.validate(string)
        self.string = string
        key = nil
    }

    /// Validates a name that the server files under a key; with nil, under the predicted one.
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

    /// Validates the bytes of a name as the kernel or a server sends them.
    public init(utf8 bytes: some Collection<UInt8>) throws(Invalid) {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw .notUTF8
        }
        try self.init(string)
    }

    /// The rule that a refused name breaks.
    public enum Invalid: Error, Hashable, Sendable {
        /// Empty, `.` or `..`.
        case reserved
        /// Contains `/` or NUL.
        case forbiddenCharacter
        /// More than 255 bytes.
        case tooLong
        /// Not valid UTF-8, which Dropbox cannot store.
        case notUTF8
    }

    /// The key under which Dropbox files this name: names with equal keys collide there.
    ///
    /// The server's `path_lower` is the authority. Where that is not known it is predicted, because its
    /// folding is not documented: NFC, then the lower-case mapping of each scalar, comes closest to it.
    public var folded: String {
        key ?? Folding.fold(string)
    }

    /// Whether all of it is ASCII, whose folding is known.
    public var isASCII: Bool {
        string.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Equal bytes, not canonical equivalence.
    public static func == (left: FileName, right: FileName) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: string)
    }

    /// Orders by bytes.
    public static func < (left: FileName, right: FileName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// The text, for logs.
    public var description: String { string }
}

extension Hasher {
    /// Mixes in a text's bytes, all at once: one by one they cost ten times as much.
    public mutating func combine(bytesOf text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
