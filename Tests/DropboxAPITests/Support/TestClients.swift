// Clients and clocks for tests.

import ContentHashing
import Foundation
import Logging
import Synchronization

@testable import DropboxAPI

/// A logger that says nothing.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A clock that stands still until a task sleeps, and records for how long.
final class StepClock: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var sleeps: [Duration] = []
    }

    private let state = Mutex(State())

    var sleeps: [Duration] { state.withLock { $0.sleeps } }
    var now: ContinuousClock.Instant { state.withLock { $0.now } }

    func advance(_ duration: Duration) {
        state.withLock { $0.now += duration }
    }

    /// Randomness is always zero: delays are the shortest that the policy allows.
    var callClock: CallClock {
        CallClock(
            now: { self.now },
            sleep: { duration in
                self.state.withLock { state in
                    state.sleeps.append(duration)
                    state.now += duration
                }
            }, random: { 0 })
    }
}

extension DropboxClient {
    /// A client of a scripted server.
    static func testing(
        _ server: ScriptedServer, clock: StepClock = StepClock(),
        tokens: any AccessTokenProvider = FixedAccessToken(AccessToken("secret-token")),
        observers: [any DropboxObserver] = [], logger: Logger = silent,
        change: (inout DropboxConfiguration) -> Void = { _ in }
    ) throws -> DropboxClient {
        var configuration = DropboxConfiguration(
            hosts: try DropboxHosts(endpoint: server.url), userAgent: "test/1", observers: observers
        )
        change(&configuration)
        var client = try DropboxClient(
            underTest: configuration, tokens: tokens, logger: logger)
        client.clock = clock.callClock
        return client
    }
}

/// Bytes that depend on their offset, without storage.
struct PatternBody: BodySource {
    let length: UInt64

    static func byte(at offset: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: offset &* 31 >> 3) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = Int(min(UInt64(buffer.count), length - offset))
        for index in 0..<count {
            buffer[index] = Self.byte(at: offset + UInt64(index))
        }
        return count
    }

    var hash: ContentHash {
        ContentHasher.hash((0..<length).map { Self.byte(at: $0) })
    }
}
