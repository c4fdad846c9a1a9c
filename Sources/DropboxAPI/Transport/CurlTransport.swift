// placeholder while types are compiled
public import Logging
/// HTTP over libcurl.
public final class CurlTransport: HTTPTransport {
    /// Starts.
    public init(
        configuration: TransportConfiguration = .init(),
        logger: Logger = Logger(label: "dropbox.curl")
    ) throws(TransportError) {
    }
    /// Sends.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw TransportError(kind: .shutDown, message: "", mayHaveBeenReceived: false)
    }
    /// Limits.
    public func limitBandwidth(up: UInt64?, down: UInt64?) {}
    /// Stops.
    public func shutDown() async {}
}
