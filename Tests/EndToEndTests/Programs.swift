// The programs under test, and whether this machine can run them.

import Foundation

enum Programs {
    /// The folder of the programs under test: `DBXFS_BIN`, else where these tests were built.
    static let folder: String = {
        if let folder = ProcessInfo.processInfo.environment["DBXFS_BIN"] { return folder }
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        // Some toolchains load the tests into a program of their own and name the bundle.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().path
    }()

    static var dbxfs: String { folder + "/dbxfs" }
    static var emulator: String { folder + "/dropbox-emulator" }

    /// The folder of scenarios, beside this file.
    static let scenarios = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("scenarios").path

    /// Whether /dev/fuse can be opened, without which nothing here can run.
    static let hasFUSE: Bool = {
        let descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }()

    static let isRoot = geteuid() == 0
}
