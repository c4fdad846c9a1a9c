// Measures the route to the server in a response: its latency and the server's clock.

import DropboxAPI
import Foundation
import Mounting
import Synchronization

/// A transport that samples the responses that pass.
final class ServerProbe: HTTPTransport {
    /// The facts in one response.
    struct Sample {
        /// Seconds from the request to the response's head.
        var latency: Double
        /// Seconds by which this machine's clock is ahead; nil if the response has no date.
        var clockLead: Double?
    }

    private let transport: any HTTPTransport
    private let last = Mutex<Sample?>(nil)

    init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    /// The last sample; nil before the first response.
    var sample: Sample? { last.withLock { $0 } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let start = ContinuousClock.now
        let response = try await transport.send(request)
        let latency = start.duration(to: .now) / .seconds(1)
        // The server wrote its date somewhere between the request and now.
        let now = Date.now.addingTimeInterval(0.0 - latency / 2.0)
        let date = response.headers["Date"].flatMap(ServerRoute.moment)
        let sample = Sample(
            latency: latency, clockLead: date.map { now.timeIntervalSince($0) })
        last.withLock { $0 = sample }
        return response
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {
        transport.limitBandwidth(up: up, down: down)
    }

    func shutDown() async {
        await transport.shutDown()
    }
}
