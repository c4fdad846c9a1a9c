// The pauses of the feed: after failures, and for a while that its caller names. Not responsible
// for which errors are failures, nor for the backoff after responses without progress
// (`ServerPace`).

import Core
import Saturating

/// Waits between the requests of the feed. It is used on the feed's actor alone.
final class FeedPauses {
    /// Maximum backoff after a failure, in seconds.
    static let longest = 30.0
    /// Seconds until a new login is noticed.
    private static let loginStep = 0.5

    private let clock: any SyncClock
    /// Whether pauses after failures end when the network changes.
    private let watchesNetwork: Bool
    /// Number of failures since the last response.
    private var failures = 0
    /// The pause after a failure.
    private var failurePause: Task<Void, Never>?
    /// Whether the user has logged in since the token was refused.
    private var hasNewLogin = false

    init(clock: any SyncClock, watchesNetwork: Bool) {
        self.clock = clock
        self.watchesNetwork = watchesNetwork
    }

    /// Notes that the server has answered.
    func noteResponse() {
        failures = 0
    }

    /// Ends the pause after a failure, because the server may be reachable now.
    func noteNetworkChange() {
        failures = 0
        failurePause?.cancel()
    }

    /// Notes a new login, after which a refused token may be replaced.
    func noteLogin() {
        hasNewLogin = true
    }

    /// Counts a failure, and sleeps until the network changes, or until the server is tried again.
    func waitForNetwork() async {
        let seconds = backoff()
        guard watchesNetwork else { return await sleep(seconds: seconds) }
        let (clock, end) = (clock, clock.now().adding(seconds: seconds))
        let pause = Task { _ = try? await clock.sleep(until: end) }
        failurePause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        failurePause = nil
    }

    /// Counts a failure, and sleeps until a new login, or until the refused token is tried again.
    /// In steps, because a user who has just logged in expects an effect.
    func waitForLogin() async {
        let end = clock.now().adding(seconds: backoff())
        while !hasNewLogin, !Task.isCancelled, clock.now() < end {
            await sleep(seconds: Self.loginStep)
        }
        if hasNewLogin { failures = 0 }
        hasNewLogin = false
    }

    /// Counts a failure. Returns the seconds until the next try.
    private func backoff() -> Double {
        failures +|= 1
        // Jitter, so that mounts that lost the server together do not return at the same moment.
        let jitter = Double(clock.now().nanoseconds / 1000 % 1024) / 2048 + 0.5
        return min(
            Self.longest, Double(sign: .plus, exponent: min(failures, 5), significand: jitter))
    }

    /// Sleeps, if the pause is not 0.
    func rest(seconds: Double) async {
        if seconds > 0 { await sleep(seconds: seconds) }
    }

    func sleep(seconds: Double) async {
        let until = clock.now().adding(seconds: seconds)
        _ = try? await clock.sleep(until: until)
    }
}
