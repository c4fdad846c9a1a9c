// FIFOs, devices and links in the place of files: a command says so, and neither waits nor reads
// something else.

import Foundation
import Glibc
import LocalFiles
import TestSupport
import Testing

@testable import Mounting

@Suite(.timeLimit(.minutes(1))) struct RegularFileTests {
    private let folder = TemporaryFolder.make()

    private func path(_ name: String) -> String { folder + "/" + name }

    private func makeOthers() throws -> [String] {
        let (fifo, link, device) = (path("fifo"), path("link"), path("device"))
        #expect(mkfifo(fifo, 0o600) == 0)
        try Data("x".utf8).write(to: URL(filePath: path("file")))
        #expect(symlink(path("file"), link) == 0)
        #expect(mkdir(path("folder"), 0o700) == 0)
        // For root only, as in most containers.
        let hasDevice = mknod(device, S_IFCHR | 0o600, 0x103) == 0
        return [fifo, link, path("folder")] + (hasDevice ? [device] : [])
    }

    @Test(
        "a FIFO, a link, a folder or a device is not opened",
        arguments: [
            O_RDONLY, O_WRONLY | O_CREAT, O_RDWR | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_TRUNC,
        ])
    func others(flags: Int32) throws {
        for path in try makeOthers() {
            #expect(throws: RegularFile.Failure.notAFile) { try RegularFile.open(path, flags) }
            #expect(throws: RegularFile.Failure.notAFile) { try RegularFile.contents(of: path) }
            #expect(RegularFile.isOther(at: path))
        }
    }

    @Test("a file has its bytes, and a limit of them")
    func files() throws {
        _ = try makeOthers()
        #expect(try RegularFile.contents(of: path("file")) == Array("x".utf8))
        #expect(try RegularFile.contents(of: path("none")) == nil)
        #expect(throws: RegularFile.Failure.tooLarge(limit: 0)) {
            try RegularFile.contents(of: path("file"), limit: 0)
        }
        let large = [UInt8](repeating: 7, count: 3 << 20)
        try Data(large).write(to: URL(filePath: path("large")))
        #expect(try RegularFile.contents(of: path("large")) == large)
        #expect(throws: RegularFile.Failure.system(DiskError(errno: ENOENT))) {
            try RegularFile.open(path("none"), O_RDONLY)
        }
    }

    @Test("no file of a state folder has a command wait if it is a FIFO")
    func stateFolder() throws {
        for name in ["lock", "history.jsonl", "history.jsonl.1", "dbxfs.log"] {
            #expect(mkfifo(path(name), 0o600) == 0)
        }
        #expect(AccountLock.currentHolder(of: folder) == nil)
        #expect(throws: CommandError.self) {
            try AccountLock(
                folder: folder, holder: .init(mountpoint: "/m"), timeout: 0,
                isEnding: { _ in false })
        }
        let history = HistoryFile(folder: folder)
        #expect(history.records(HistoryFilter()).isEmpty)
        var follower = HistoryFollower(history, HistoryFilter())
        #expect(follower.next().isEmpty)
        #expect(throws: CommandError.self) {
            try LogSink(path: path("dbxfs.log"), takesStandardError: false)
        }
    }
}
