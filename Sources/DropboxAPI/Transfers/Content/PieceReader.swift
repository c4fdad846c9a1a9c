// Cuts a sequence of bytes, which come one by one or in chunks of any size, into pieces of one
// size. Not responsible for sending them: StreamUpload, WholeStream.

import Saturating

/// Reads the pieces of one stream.
struct PieceReader<Iterator: AsyncIteratorProtocol> {
    typealias Failure = StreamUploadError<Iterator.Failure>

    /// Bytes of each piece but the last.
    private let size: Int
    private var iterator: Iterator
    /// Appends an element's bytes.
    private let append: (inout [UInt8], Iterator.Element) -> Void
    private var buffer: [UInt8] = []
    /// Bytes at the buffer's start that went with earlier pieces: a chunk of many pieces is not
    /// moved for each of them.
    private var taken = 0
    private var hasEnded = false

    private init(
        _ iterator: Iterator, size: Int,
        append: @escaping (inout [UInt8], Iterator.Element) -> Void
    ) {
        self.size = size
        self.iterator = iterator
        self.append = append
    }

    /// Reads a sequence whose elements are bytes.
    static func bytes<Bytes: AsyncSequence>(of bytes: Bytes, size: Int) -> Self
    where Iterator == Bytes.AsyncIterator, Bytes.Element == UInt8 {
        Self(bytes.makeAsyncIterator(), size: size) { $0.append($1) }
    }

    /// Reads a sequence whose elements are chunks of bytes.
    static func chunks<Chunks: AsyncSequence>(of chunks: Chunks, size: Int) -> Self
    where Iterator == Chunks.AsyncIterator, Chunks.Element: Sequence<UInt8> {
        Self(chunks.makeAsyncIterator(), size: size) { $0.append(contentsOf: $1) }
    }

    /// The next piece, never empty; nil after the last one.
    mutating func next() async throws(Failure) -> [UInt8]? {
        try await fill(upTo: size)
        let piece = Array(buffer.dropFirst(taken).prefix(size))
        taken &+= piece.count
        return piece.isEmpty ? nil : piece
    }

    /// Whether no piece follows. It waits for the next chunk if it has to.
    mutating func isAtEnd() async throws(Failure) -> Bool {
        try await fill(upTo: 1)
        return taken == buffer.count
    }

    /// Asked before the first piece: all bytes, if they are one piece or none; nil, and nothing is
    /// taken, if there are more.
    mutating func wholeContent() async throws(Failure) -> [UInt8]? {
        try await fill(upTo: size +| 1)
        return buffer.count <= size ? buffer : nil
    }

    private mutating func fill(upTo count: Int) async throws(Failure) {
        guard buffer.count &- taken < count, !hasEnded else { return }
        buffer.removeFirst(taken)
        taken = 0
        while buffer.count < count, !hasEnded {
            do throws(Iterator.Failure) {
                guard let element = try await iterator.next(isolation: #isolation) else {
                    hasEnded = true
                    break
                }
                append(&buffer, element)
            } catch {
                throw .source(error)
            }
        }
    }
}
