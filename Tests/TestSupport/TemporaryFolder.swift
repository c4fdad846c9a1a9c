// Folders of a test's own.

import Foundation

/// A new, empty folder, which goes with the value.
public final class TemporaryFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Makes the folder for this user alone, in another one or in that of temporary files.
    public init(in parent: String? = nil) throws {
        path = Self.newPath(in: parent ?? NSTemporaryDirectory())
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Makes a folder that stays, and returns its path.
    public static func make() -> String {
        let path = newPath(in: NSTemporaryDirectory())
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func newPath(in parent: String) -> String {
        (parent.hasSuffix("/") ? parent : parent + "/") + "dbxfs-test-" + UUID().uuidString
    }

    /// Writes a text to a file of the folder and returns the file's path.
    public func write(_ text: String, to name: String, mode: Int) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}
