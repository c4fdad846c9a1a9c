// Requests with a pause before each, so that a run on the real service does not provoke its rate
// limits; and a record of the limits that it met all the same.

import DropboxAPIComplete
import Synchronization

/// A transport that waits before each request.
struct PacedTransport: HTTPTransport {
    let base: CurlTransport
    let pause: Duration
    let throttles = Throttles()

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // The service limits the rate of an account's requests.
        if pause > .zero { try? await Task.sleep(for: pause) }
        let response = try await base.send(request)
        if response.status == 429 {
            throttles.note(hasRetryAfter: response.headers["Retry-After"] != nil)
        }
        return response
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {
        base.limitBandwidth(up: up, down: down)
    }

    func shutDown() async {
        await base.shutDown()
    }
}

/// The answers with status 429 of a run.
final class Throttles: Sendable {
    private let counts = Mutex((all: 0, withoutRetryAfter: 0))

    func note(hasRetryAfter: Bool) {
        counts.withLock {
            $0.all += 1
            if !hasRetryAfter { $0.withoutRetryAfter += 1 }
        }
    }

    /// How many there were, and how many of them did not say how long to wait.
    var seen: (all: Int, withoutRetryAfter: Int) { counts.withLock { $0 } }
}
