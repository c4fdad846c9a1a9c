// A process that is killed again and again, at random moments, gets its transfers done.

import ContentHashing
import Dispatch
import DropboxAPI
import DropboxEmulator
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct KillTests {
    /// Where the program is built.
    private var program: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        // Some toolchains load the tests into a program of their own and name the bundle.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appendingPathComponent("TransferTestProcess").path
    }

    @Test("whenever the process is killed, both files are whole in the end, once")
    func killed() async throws {
        try await TestAccount.with { account in
            let (given, source) = (pattern(12 << 20, seed: 1), pattern(18 << 20 | 5, seed: 2))
            try await account.put("/given", given)
            let path = account.folder + "/source"
            try Data(source).write(to: URL(fileURLWithPath: path))
            // Slow enough for the process to be killed several times.
            try account.server.updateSettings([
                "upload_bytes_per_second": .integer(8 << 20),
                "download_bytes_per_second": .integer(6 << 20),
            ])
            account.server.resetStatistics()
            var kills = 0
            // Two runs can carry less than the files; later ones get further, on a slow machine,
            // too.
            while try await run(account, path, seconds: 1 + 0.1 * Double(kills)) == false {
                kills += 1
            }
            #expect(kills >= 2)
            let target = try Data(contentsOf: URL(fileURLWithPath: account.folder + "/target"))
            #expect(Array(target) == given)
            #expect(
                try await account.hashes() == [
                    "/given": ContentHasher.hash(given), "/stored": ContentHasher.hash(source),
                ])
            let names = try FileManager.default.contentsOfDirectory(atPath: account.folder)
            #expect(names.filter { $0.hasSuffix(".part") } == [])
        }
    }

    /// Lets the process run for some time, at most for that; false when it had to be killed.
    private func run(
        _ account: TestAccount, _ source: String, seconds: Double
    ) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            account.server.baseURL, account.folder + "/record", source, account.folder + "/target",
        ]
        let (ends, ended) = AsyncStream.makeStream(of: Int32?.self)
        let hasEnded = DispatchSemaphore(value: 0)
        process.terminationHandler = { process in
            hasEnded.signal()
            ended.yield(process.terminationReason == .exit ? process.terminationStatus : nil)
            ended.finish()
        }
        try process.run()
        let pid = process.processIdentifier
        // The process ends at a drawn moment, which busy tasks do not put off.
        Thread.detachNewThread {
            let moment = DispatchTime.now() + .random(in: 0.2...seconds)
            if hasEnded.wait(timeout: moment) == .timedOut { kill(pid, SIGKILL) }
        }
        for await status in ends {
            #expect(status == nil || status == 0)
            return status != nil
        }
        return false
    }
}
