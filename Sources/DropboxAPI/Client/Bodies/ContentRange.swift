// The Content-Range header, and whether a response matches the requested range.

/// A parsed `Content-Range: bytes start-end/total`.
struct ContentRange: Hashable {
    let bytes: Range<UInt64>
    /// Size of the whole file; nil for `*`.
    let total: UInt64?

    /// Nil unless the text has exactly that form and is consistent.
    init?(_ text: String) {
        guard text.hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last
        else { return nil }
        // The exclusive end must be representable.
        let (end, overflow) = last.addingReportingOverflow(1)
        guard !overflow else { return nil }
        bytes = first..<end
        if parts[1] == "*" {
            total = nil
        } else {
            guard let total = Self.number(parts[1]), last < total else { return nil }
            self.total = total
        }
    }

    /// Digits only: `UInt64(_:radix:)` would accept a sign, too.
    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text, radix: 10) : nil
    }
}

extension Range<UInt64> {
    /// The range's length. Its `count` would trap on a length beyond `Int`, which a server may
    /// claim.
    var length: UInt64 { upperBound.subtractingReportingOverflow(lowerBound).partialValue }
}

/// Checks the headers of a download against the requested range.
enum DownloadCheck {
    /// The length that the body must have, or the fault in the headers.
    ///
    /// `size` is the whole file's size in the result, if present.
    static func expectedBytes(
        asked: ByteRange?, status: Int, headers: TransportHeaders, size: UInt64?
    ) -> Result<Range<UInt64>?, ResponseFault> {
        let header = headers["Content-Range"]
        let wrong = ResponseFault.rangeNotHonoured(status: status, contentRange: header)
        guard let asked else {
            guard status == 200 else { return .failure(wrong) }
            return whole(length: length(of: headers), size: size)
        }
        guard status == 206, let header, let got = ContentRange(header) else {
            return .failure(wrong)
        }
        if let size, let total = got.total, size != total { return .failure(wrong) }
        guard let total = got.total ?? size, asked.resolved(size: total) == got.bytes else {
            return .failure(wrong)
        }
        let count = got.bytes.length
        if let length = length(of: headers), length != count {
            return .failure(.bodyLength(expected: count, received: length))
        }
        return .success(got.bytes)
    }

    private static func whole(
        length: UInt64?, size: UInt64?
    ) -> Result<Range<UInt64>?, ResponseFault> {
        if let size, let length, size != length {
            return .failure(.bodyLength(expected: size, received: length))
        }
        return .success((size ?? length).map { 0..<$0 })
    }

    /// The length that the headers announce; nil for none, and for compressed bodies.
    private static func length(of headers: TransportHeaders) -> UInt64? {
        guard headers["Content-Encoding"] == nil else { return nil }
        return headers["Content-Length"].flatMap { UInt64($0, radix: 10) }
    }
}

extension ResponseFault: Error {}
