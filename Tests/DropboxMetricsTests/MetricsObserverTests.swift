// A client's records as metrics.

import DropboxAPI
import DropboxMetrics
import MetricsTestKit
import Testing

@Suite struct MetricsObserverTests {
    private let metrics = TestMetrics()
    private var observer: MetricsObserver { MetricsObserver(factory: metrics) }

    private let failure = CallFailure(
        CallError<NoError>(
            kind: .internalServer(status: 500), context: CallContext(route: "a/b", attempts: 1)))

    private func total(_ label: String, _ dimensions: [(String, String)]) throws -> Int64 {
        try metrics.expectCounter("dropbox_" + label, dimensions).totalValue
    }

    @Test("requests are counted by route and status, and timed by route")
    func requests() throws {
        let observer = observer
        for status in [200, 200, 500, nil] {
            observer.requestEnded(
                RequestRecord(
                    route: "a/b", status: status, requestID: nil, duration: .milliseconds(5),
                    attempt: 1, failure: nil))
        }
        #expect(try total("requests_total", [("route", "a/b"), ("status", "200")]) == 2)
        #expect(try total("requests_total", [("route", "a/b"), ("status", "500")]) == 1)
        #expect(try total("requests_total", [("route", "a/b"), ("status", "none")]) == 1)
        let timer = try metrics.expectTimer(
            "dropbox_request_duration_seconds", [("route", "a/b")])
        #expect(timer.values == Array(repeating: 5_000_000, count: 4))
    }

    @Test("retries, failed calls and failed downloads are counted by route and reason")
    func failures() throws {
        let observer = observer
        observer.retryDecided(
            RetryRecord(failure: failure, delay: .seconds(1), holdsAllCalls: false))
        observer.callEnded(
            CallRecord(context: failure.context, duration: .seconds(2), failure: failure))
        observer.callEnded(
            CallRecord(context: failure.context, duration: .seconds(1), failure: nil))
        observer.downloadFailed(failure)
        let dimensions = [("route", "a/b"), ("reason", "internal_server")]
        #expect(try total("retries_total", dimensions) == 1)
        #expect(try total("failures_total", dimensions) == 2)
        let timer = try metrics.expectTimer("dropbox_call_duration_seconds", [("route", "a/b")])
        #expect(timer.values == [2_000_000_000, 1_000_000_000])
    }

    @Test("renewals are counted by outcome, bytes by route")
    func tokensAndBytes() throws {
        let observer = observer
        observer.tokenRefreshed(TokenRefreshRecord(duration: .zero))
        observer.tokenRefreshed(TokenRefreshRecord(duration: .zero, failure: .cancelled))
        observer.tokenRefreshed(TokenRefreshRecord(duration: .zero, storeFailure: .failed("")))
        for outcome in ["renewed", "failed", "not_kept"] {
            #expect(try total("token_renewals_total", [("outcome", outcome)]) == 1)
        }
        observer.sent(bytes: 3, label: "a/b")
        observer.sent(bytes: 4, label: "a/b")
        observer.received(bytes: 5, label: "a/b")
        #expect(try total("sent_bytes_total", [("route", "a/b")]) == 7)
        #expect(try total("received_bytes_total", [("route", "a/b")]) == 5)
    }
}
