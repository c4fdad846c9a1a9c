// A client's calls as spans.

import DropboxAPI
import DropboxAPITesting
import DropboxTracing
import InMemoryTracing
import Testing
import Tracing

@Suite struct TracingObserverTests {
    private let tracer = InMemoryTracer()

    private func span(_ record: CallRecord) throws -> FinishedInMemorySpan {
        TracingObserver(tracer: tracer).callEnded(record)
        return try #require(tracer.finishedSpans.last)
    }

    @Test("a call is a span as long as the call, with what the server said")
    func call() throws {
        let context = CallContext(
            route: "files/upload_session/start", label: "nightly", requestID: "r1", status: 200,
            attempts: 3)
        let span = try span(
            CallRecord(context: context, duration: .milliseconds(1_500), failure: nil))
        #expect(span.operationName == "files/upload_session/start")
        #expect(span.kind == .client)
        let length =
            span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch
        #expect(length == 1_500_000_000)
        #expect(span.attributes.get("rpc.service") == .string("files"))
        #expect(span.attributes.get("rpc.method") == .string("upload_session/start"))
        #expect(span.attributes.get("http.response.status_code") == .int64(200))
        #expect(span.attributes.get("http.request.resend_count") == .int64(2))
        #expect(span.attributes.get("dropbox.request_id") == .string("r1"))
        #expect(span.attributes.get("dropbox.label") == .string("nightly"))
        #expect(span.attributes.get("error.type") == nil)
        #expect(span.status == nil)
    }

    @Test("a failure is the span's status, and a duration that cannot be begins in 1970")
    func failure() throws {
        let failure = CallFailure(
            CallError<NoError>(
                kind: .internalServer(status: 500), context: CallContext(route: "a/b", attempts: 1))
        )
        let span = try span(
            CallRecord(
                context: failure.context, duration: .seconds(Int64.max), failure: failure))
        #expect(span.status?.code == .error)
        #expect(span.attributes.get("error.type") == .string("internal_server"))
        #expect(span.attributes.get("http.request.resend_count") == nil)
        #expect(span.startInstant.nanosecondsSinceEpoch < span.endInstant.nanosecondsSinceEpoch)
    }

    @Test("the span stands within that of the task which calls")
    func parent() async throws {
        let transport = ScriptedTransport()
        transport.answer(
            Users.getSpaceUsage,
            .result(.init(used: 1, allocation: .individual(.init(allocated: 2)))))
        let client = transport.client(
            configuration: .init(observers: [TracingObserver(tracer: tracer)]))
        try await tracer.withSpan("request") { _ in
            _ = try await client.users.getSpaceUsage()
        }
        let outer = try #require(tracer.finishedSpans.first { $0.operationName == "request" })
        let inner = try #require(
            tracer.finishedSpans.first { $0.operationName == "users/get_space_usage" })
        #expect(inner.parentSpanID == outer.spanID)
    }
}
