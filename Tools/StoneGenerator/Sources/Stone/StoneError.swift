// The fault of a specification, and its place.

/// A line of a file.
public struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// The file's name, as it was given.
    public let file: String
    /// The line, from 1.
    public let line: Int

    /// Takes over file and line.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    /// `FILE:LINE`, as editors understand it.
    public var description: String { "\(file):\(line)" }
}

/// A specification that cannot be understood.
public struct StoneError: Error, Hashable, CustomStringConvertible {
    /// The place of the fault in a file.
    public let position: SourcePosition
    /// The fault, in words.
    public let message: String

    /// Takes over place and message.
    public init(_ position: SourcePosition, _ message: String) {
        self.position = position
        self.message = message
    }

    /// The fault as compilers write it: `FILE:LINE: error: MESSAGE`.
    public var description: String { "\(position): error: \(message)" }
}
