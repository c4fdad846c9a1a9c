// Collects the lines of an answer's head. Pure; libcurl has already split them.

/// The status and headers of the final answer, out of the lines of all answers.
struct HeadParser {
    /// What a line completed.
    enum Event: Hashable {
        /// Nothing yet, or the end of an interim answer (1xx).
        case incomplete
        /// The final answer's head.
        case head(status: Int)
        /// More header bytes than any sane answer has.
        case tooLarge
    }

    /// Bytes of headers of one answer; `Dropbox-API-Result` is the largest and has a few thousand.
    static let limit = 1 << 20

    private(set) var headers: HTTPHeaders = [:]
    private var status = 0
    private var size = 0
    private var isComplete = false

    /// Takes the next line, with its line end; lines after the final head (trailers) are ignored.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
        guard !isComplete else { return .incomplete }
        // Compared without a sum, which might overflow.
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
                Self.trimmed(text[..<colon]), Self.trimmed(text[text.index(after: colon)...]))
        }
        return .incomplete
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
