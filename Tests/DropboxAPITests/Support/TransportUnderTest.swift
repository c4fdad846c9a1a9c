// The transport that all tests of this target run over: libcurl's, or with the trait
// AsyncHTTPClient the one of that product, so that both keep the same promises
// (`Scripts/test-async-http-client`).

import Logging

@testable import DropboxAPI

#if AsyncHTTPClient
    import DropboxAsyncHTTPClient
#endif

/// One of the transports.
final class TransportUnderTest: HTTPTransport {
    private let base: any HTTPTransport

    init(configuration: TransportConfiguration = .init()) throws(TransportError) {
        #if AsyncHTTPClient
            base = try AsyncHTTPClientTransport(configuration: configuration)
        #else
            base = try CurlTransport(configuration: configuration)
        #endif
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        try await base.send(request)
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {
        base.limitBandwidth(up: up, down: down)
    }

    func networkChanged(addresses: Set<String>) {
        base.networkChanged(addresses: addresses)
    }

    func shutDown() async {
        await base.shutDown()
    }
}

extension DropboxClient {
    /// A client over the transport under test.
    init(
        underTest configuration: DropboxConfiguration, tokens: any AccessTokenProvider,
        logger: Logger
    ) throws(TransportError) {
        #if AsyncHTTPClient
            self.init(
                configuration: configuration, tokens: tokens,
                transport: try TransportUnderTest(configuration: configuration.transport),
                logger: logger)
        #else
            try self.init(configuration: configuration, tokens: tokens, logger: logger)
        #endif
    }
}
