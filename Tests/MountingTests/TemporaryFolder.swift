// A folder for one test, gone with it.

import Foundation

final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "dbxfs-mounting-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ text: String, to name: String, mode: Int) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }
}
