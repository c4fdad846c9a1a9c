// Translates libcurl's error codes. See man 3 libcurl-errors.

import CCurl

extension TransportError {
    init(curl code: CURLcode, message: String, mayHaveBeenReceived: Bool) {
        let kind = Self.kind(of: code, message: message)
        self.init(
            kind: kind, message: message,
            mayHaveBeenReceived: mayHaveBeenReceived && !Self.isBeforeRequest(kind))
    }

    private static func kind(of code: CURLcode, message: String) -> Kind {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connect
        // libcurl itself times the connection phase only.
        case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS:
            .certificate
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .tls
        case CURLE_RECV_ERROR where message.hasPrefix("Too large response headers"): .tooLarge
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_FAIL_REWIND,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_AGAIN:
            .reset
        case CURLE_PARTIAL_FILE: .bodyCutShort
        case CURLE_UNSUPPORTED_PROTOCOL where message.contains("HTTP/0.9"): .malformedResponse
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: .invalidRequest
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_FILESIZE_EXCEEDED:
            .malformedResponse
        default: .other
        }
    }

    /// Whether the failure comes before the first byte of a request.
    private static func isBeforeRequest(_ kind: Kind) -> Bool {
        switch kind {
        case .nameResolution, .connect, .certificate, .tls, .timedOut(.connect), .invalidRequest:
            true
        default: false
        }
    }
}
