// The head of a request of HTTP/1.1 or 1.0, read strictly: everything unusual is no request.

import LocalFiles

/// The head of a request.
struct HTTPHead {
    typealias Header = (name: String, value: String)

    let method: Substring
    /// The address as the client wrote it.
    let target: Substring
    /// Whether the client knows HTTP/1.0 only.
    let isOld: Bool
    /// All headers, with names in lower case.
    let headers: [Header]

    /// Reads a head without the empty line at its end; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        let isText = bytes.allSatisfy {
            (0x20...0x7e).contains($0) || $0 == 13 || $0 == 10 || $0 == 9
        }
        guard isText else { return nil }
        // Swift treats CR LF as one character.
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\r\n" as Character, omittingEmptySubsequences: false)
        guard let first = lines.first, !lines.contains(where: { $0.contains(where: \.isNewline) })
        else { return nil }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0",
            let headers = Self.headers(lines.dropFirst())
        else { return nil }
        method = words[0]
        target = words[1]
        isOld = words[2] == "HTTP/1.0"
        self.headers = headers
    }

    /// The values of all headers of that name, which is in lower case.
    func values(of name: String) -> [String] {
        headers.filter { $0.name == name }.map(\.value)
    }

    private static func headers(_ lines: ArraySlice<Substring>) -> [Header]? {
        var headers: [Header] = []
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first, !name.isEmpty,
                !name.contains(where: \.isWhitespace)
            else { return nil }
            headers.append((name.lowercased(), String(parts[1].trimmed)))
        }
        return headers
    }
}
