// A client's calls as spans of swift-distributed-tracing, for the app's tracing backend. Not
// responsible for exporting, nor for headers of traces: the server takes none.

public import DropboxAPI
import Saturating
public import Tracing

/// Makes a span of each call, within the span of the task that makes the call.
///
/// A span is made when its call has ended, with the moments of its beginning and end. Its name is
/// the route.
///
/// | attribute | is |
/// |---|---|
/// | `rpc.system`, `rpc.service`, `rpc.method` | `dropbox`, and the two parts of the route |
/// | `http.response.status_code` | the status of the last response |
/// | `http.request.resend_count` | how often a request was sent again, if one was |
/// | `dropbox.request_id` | the server's name for the last request |
/// | `dropbox.label` | `CallOptions.label` |
/// | `error.type` | the kind of the failure (`CallFailure.Kind`), beside the span's status |
public struct TracingObserver: DropboxObserver {
    private let tracer: any Tracer

    /// Pass the app's tracer, unless it is `InstrumentationSystem`'s.
    public init(tracer: any Tracer = InstrumentationSystem.tracer) {
        self.tracer = tracer
    }

    /// Makes the span of the call.
    public func callEnded(_ record: CallRecord) {
        let end = DefaultTracerClock.now
        let start = DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: Self.moment(record.duration, before: end.nanosecondsSinceEpoch))
        Self.trace(record, from: start, to: end, by: tracer)
    }

    private static func trace(
        _ record: CallRecord, from start: DefaultTracerClock.Timestamp,
        to end: DefaultTracerClock.Timestamp, by tracer: some Tracer
    ) {
        let context = record.context
        let span = tracer.startSpan(context.route, ofKind: .client, at: start)
        span.updateAttributes { attributes in
            let parts = context.route.split(separator: "/", maxSplits: 1)
            attributes["rpc.system"] = "dropbox"
            attributes["rpc.service"] = parts.first.map(String.init)
            attributes["rpc.method"] = parts.dropFirst().first.map(String.init)
            attributes["http.response.status_code"] = context.status
            attributes["http.request.resend_count"] =
                context.attempts > 1 ? context.attempts -| 1 : nil
            attributes["dropbox.request_id"] = context.requestID
            attributes["dropbox.label"] = context.label
            attributes["error.type"] = record.failure?.kind.rawValue
        }
        if let failure = record.failure {
            span.setStatus(SpanStatus(code: .error, message: failure.explanation))
        }
        span.end(at: end)
    }

    /// Nanoseconds since 1970; a duration that reaches back further begins there.
    private static func moment(_ duration: Duration, before end: UInt64) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        let length = max(0, seconds) *| 1_000_000_000 +| max(0, attoseconds) / 1_000_000_000
        return end -| UInt64(clamping: length)
    }
}
