// A client's events as counters and timers of swift-metrics, for the app's metrics backend. Not
// responsible for exporting.

public import CoreMetrics
public import DropboxAPI
import Metrics
import Synchronization

/// Counts requests, retries, failures, renewals of tokens and bytes, and times requests and calls.
///
/// | metric | dimensions |
/// |---|---|
/// | `dropbox_requests_total` | `route`, `status` (`none` without a response) |
/// | `dropbox_request_duration_seconds` | `route` |
/// | `dropbox_retries_total` | `route`, `reason` (`CallFailure.Kind`) |
/// | `dropbox_call_duration_seconds` | `route` |
/// | `dropbox_failures_total` | `route`, `reason` |
/// | `dropbox_token_renewals_total` | `outcome` (`renewed`, `not_kept`, `failed`) |
/// | `dropbox_sent_bytes_total`, `dropbox_received_bytes_total` | `route` |
public final class MetricsObserver: DropboxObserver {
    private struct Name: Hashable {
        var label: String
        var dimensions: [String]
    }

    private struct Instruments {
        var counters: [Name: Counter] = [:]
        var timers: [Name: Timer] = [:]
    }

    private let prefix: String
    private let factory: any MetricsFactory
    /// Instruments by name, since many factories make a new one each time. Held for a lookup or an
    /// insertion.
    private let instruments = Mutex(Instruments())

    /// Names begin with `prefix`. Pass the app's factory, unless it is `MetricsSystem`'s.
    public init(prefix: String = "dropbox", factory: any MetricsFactory = MetricsSystem.factory) {
        self.prefix = prefix
        self.factory = factory
    }

    /// Counts and times the request.
    public func requestEnded(_ record: RequestRecord) {
        let status = record.status.map(String.init) ?? "none"
        count("requests_total", [("route", record.route), ("status", status)])
        time("request_duration_seconds", record.route, record.duration)
    }

    /// Counts the retry by its reason.
    public func retryDecided(_ record: RetryRecord) {
        count("retries_total", of: record.failure)
    }

    /// Times the call, and counts it if it failed.
    public func callEnded(_ record: CallRecord) {
        time("call_duration_seconds", record.context.route, record.duration)
        if let failure = record.failure {
            count("failures_total", of: failure)
        }
    }

    /// Counts the failure, like those of calls.
    public func downloadFailed(_ failure: CallFailure) {
        count("failures_total", of: failure)
    }

    /// Counts the renewal by its outcome.
    public func tokenRefreshed(_ record: TokenRefreshRecord) {
        let outcome =
            record.failure != nil ? "failed" : record.storeFailure != nil ? "not_kept" : "renewed"
        count("token_renewals_total", [("outcome", outcome)])
    }

    /// Counts the bytes of request bodies.
    public func sent(bytes: Int, label: String) {
        count("sent_bytes_total", [("route", label)], by: bytes)
    }

    /// Counts the bytes of response bodies.
    public func received(bytes: Int, label: String) {
        count("received_bytes_total", [("route", label)], by: bytes)
    }

    private func count(_ label: String, of failure: CallFailure) {
        count(label, [("route", failure.context.route), ("reason", failure.kind.rawValue)])
    }

    private func count(_ label: String, _ dimensions: [(String, String)], by count: Int = 1) {
        let name = Name(label: label, dimensions: dimensions.map { $0.1 })
        let counter = instruments.withLock { instruments in
            if let known = instruments.counters[name] { return known }
            let new = Counter(label: prefix + "_" + label, dimensions: dimensions, factory: factory)
            instruments.counters[name] = new
            return new
        }
        counter.increment(by: count)
    }

    private func time(_ label: String, _ route: String, _ duration: Duration) {
        let name = Name(label: label, dimensions: [route])
        let timer = instruments.withLock { instruments in
            if let known = instruments.timers[name] { return known }
            let new = Timer(
                label: prefix + "_" + label, dimensions: [("route", route)],
                preferredDisplayUnit: .seconds, factory: factory)
            instruments.timers[name] = new
            return new
        }
        timer.record(duration: duration)
    }
}
