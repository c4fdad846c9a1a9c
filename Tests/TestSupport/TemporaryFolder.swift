// Folders of a test's own.

import Foundation

/// Folders of a test's own.
public enum TemporaryFolder {
    /// Makes a new, empty one and returns its path.
    public static func make() -> String {
        let path = NSTemporaryDirectory() + "dbxfs-test-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
