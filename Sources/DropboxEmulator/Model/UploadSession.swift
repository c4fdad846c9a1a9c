// An upload session as a pure state: the bytes that it has, and the next request that it accepts.
// Not responsible for the bytes themselves (`ContentStore`).

/// Data collected for one file in several requests.
struct UploadSession: Equatable, Sendable {
    /// Lifetime of a session in seconds: 7 days (files.stone, `upload_session/start`).
    static let lifetime: Int64 = 7 * 86_400
    /// Largest file: 2^41 - 2^22 bytes (files.stone, `upload_session/start`).
    static let maximumSize: Int64 = 1 << 41 - 1 << 22
    /// Alignment of offsets and lengths in a concurrent session.
    static let blockSize = Int64(BlockHasher.blockSize)

    let isConcurrent: Bool
    let takesLatePieces: Bool
    let startedAt: APITime
    private(set) var isClosed: Bool
    /// Bytes of a sequential session; of a concurrent one the end of the furthest piece.
    private(set) var size: Int64 = 0
    /// Digests of a concurrent session's blocks, by their position.
    private(set) var blocks: [Int: ContentDigest] = [:]

    init(
        isConcurrent: Bool, isClosed: Bool, takesLatePieces: Bool = true, startedAt: APITime
    ) {
        self.isConcurrent = isConcurrent
        self.takesLatePieces = takesLatePieces
        self.isClosed = isClosed
        self.startedAt = startedAt
    }

    /// Whether data may be appended at an offset, as far as can be checked before it arrives.
    ///
    /// The pieces of a concurrent session come in any order, so that others may still be in flight
    /// when the closing one has arrived: they are accepted if they lie before its end.
    func checkAppend(offset: Int64, length: Int64, closes: Bool) throws(UploadSessionError) {
        if isConcurrent {
            guard offset % Self.blockSize == 0 else { throw .concurrentInvalidOffset }
            let isLate = takesLatePieces && offset + length <= size && !closes
            guard !isClosed || isLate else { throw .closed }
        } else {
            guard !isClosed else { throw .closed }
            guard offset == size else { throw .incorrectOffset(correct: size) }
        }
        guard offset <= Self.maximumSize - length else { throw .tooLarge }
        guard !isConcurrent || closes || length % Self.blockSize == 0 else {
            throw .concurrentInvalidDataSize
        }
    }

    /// Records data that has been stored.
    mutating func append(
        offset: Int64, length: Int64, closes: Bool, digests: [ContentDigest]
    ) throws(UploadSessionError) {
        try checkAppend(offset: offset, length: length, closes: closes)
        if isConcurrent {
            let first = Int(offset / Self.blockSize)
            for (index, digest) in digests.enumerated() { blocks[first + index] = digest }
        }
        size = max(size, offset + length)
        isClosed = isClosed || closes
    }

    /// Whether the session can be committed.
    func checkFinish(offset: Int64, isBatch: Bool) throws(UploadSessionError) {
        if isConcurrent {
            guard isClosed else { throw isBatch ? .notClosed : .concurrentNotClosed }
            let count = Int((size + Self.blockSize - 1) / Self.blockSize)
            guard (0..<count).allSatisfy({ blocks[$0] != nil }) else {
                throw .concurrentMissingData
            }
        } else if isBatch, !isClosed {
            throw .notClosed
        }
        guard offset == size else { throw .incorrectOffset(correct: size) }
    }

    /// The content hash of a complete concurrent session; nil for a sequential one, whose hash is
    /// computed as the data arrives.
    var concurrentHash: ContentDigest? {
        guard isConcurrent else { return nil }
        return BlockHasher.contentHash(of: blocks.sorted { $0.key < $1.key }.map(\.value))
    }
}

/// Errors of a session: the members of the specification's several unions that share these tags.
enum UploadSessionError: APIUnion, Equatable {
    case notFound
    case incorrectOffset(correct: Int64)
    case closed
    case notClosed
    case tooLarge
    case concurrentInvalidOffset
    case concurrentInvalidDataSize
    case concurrentNotClosed
    case concurrentMissingData

    /// The error in `UploadSessionLookupError` and `UploadSessionAppendError`.
    var json: JSONValue {
        switch self {
        case .notFound: .tag("not_found")
        case .incorrectOffset(let correct):
            .tagged("incorrect_offset", ["correct_offset": .integer(correct)])
        case .closed: .tag("closed")
        case .notClosed: .tag("not_closed")
        case .tooLarge: .tag("too_large")
        case .concurrentInvalidOffset: .tag("concurrent_session_invalid_offset")
        case .concurrentInvalidDataSize: .tag("concurrent_session_invalid_data_size")
        case .concurrentNotClosed: .tag("concurrent_session_not_closed")
        case .concurrentMissingData: .tag("concurrent_session_missing_data")
        }
    }

    /// The error in `UploadSessionFinishError`.
    var finishJSON: JSONValue {
        switch self {
        case .concurrentNotClosed, .concurrentMissingData: json
        default: .tag("lookup_failed", json)
        }
    }
}
