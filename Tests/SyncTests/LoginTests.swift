// A token that is refused, and what a new login changes.

import Core
import Foundation
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync

/// Time stands still: a pause ends only when something else ends it.
private struct StandingClock: SyncClock {
    private let time = Timestamp.now()

    func now() -> Timestamp { time }

    func sleep(until time: Timestamp) async throws(CancellationError) {
        do {
            try await Task.sleep(for: .milliseconds(1))
        } catch {
            throw CancellationError()
        }
    }
}

@Suite struct LoginTests {
    private func wait(_ what: String, until isTrue: () -> Bool) async throws {
        let end = Date().addingTimeInterval(60)
        while !isTrue() {
            try #require(Date() < end, "waited in vain until \(what)")
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test("a new login ends the pause after a refused token, and sends what waits")
    func newLogin() async throws {
        let harness = try Harness(clock: StandingClock())
        try await harness.write("/waiting", "written meanwhile")
        harness.faulty.inject(.failBefore(.unauthorized("revoked")), times: nil) { _ in true }
        try await harness.start()
        try await wait("the token is refused") { harness.isRefused }
        harness.faulty.removeFaults()
        try await Task.sleep(for: .milliseconds(50))
        #expect(harness.isRefused, "nobody knows yet that another token would do")
        await harness.noteLogin()
        try await wait("the mount is online") { harness.isOnline }
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree()["/waiting"] == "written meanwhile")
    }
}
