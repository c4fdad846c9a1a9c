// Collects the header lines of a response. Pure; libcurl has already split them.

import LocalFiles

/// The status and headers of the final response, out of the lines of all responses.
struct HeadParser {
    /// The result of parsing a line.
    enum Event: Hashable {
        /// Nothing yet, or the end of an interim response (1xx).
        case incomplete
        /// The final response's headers are complete.
        case head(status: Int)
        /// The headers exceed `limit`.
        case tooLarge
    }

    /// Maximum header bytes of one response; `Dropbox-API-Result` is the largest and has a few
    /// thousand. libcurl has its own limit of 300 KiB since 8.3 (`MAX_HTTP_RESP_HEADER_SIZE`).
    static let limit = 1 << 20

    private(set) var headers: TransportHeaders = [:]
    private var status = 0
    private var size = 0
    private var isComplete = false

    /// Parses the next line, with its line end; lines after the final headers (trailers) are
    /// ignored.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
        guard !isComplete else { return .incomplete }
        // Compared without an addition, which could overflow.
        guard line.count <= Self.limit &- size else { return .tooLarge }
        size &+= line.count
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            headers = [:]
            let words = text.split(separator: " ")
            status = words.dropFirst().first.flatMap { Int($0, radix: 10) } ?? 0
        } else if text.utf8.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            guard status >= 200 else { return .incomplete }
            isComplete = true
            return .head(status: status)
        } else if let colon = text.firstIndex(of: ":") {
            headers.append(
                String(text[..<colon].trimmed), String(text[text.index(after: colon)...].trimmed))
        }
        return .incomplete
    }
}
