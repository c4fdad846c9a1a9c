// The content of one file as a sequence of chunks that survives lost connections and ends only with
// the right hash. Not responsible for files on the disk: WholeDownload.

import ContentHashing
public import Essentials

/// A file's content: non-empty chunks of one revision. Reading begins with the first chunk.
public struct FileContent: AsyncSequence, Sendable {
    /// A chunk of the content, never empty.
    public typealias Element = [UInt8]
    /// The error that ends the content early.
    public typealias Failure = FileTransferError

    /// The server's metadata of the file.
    public let metadata: Files.FileMetadata
    fileprivate let calls: Files.Calls
    fileprivate let options: FileTransferOptions
    fileprivate let body: DownloadBody<Files.DownloadError>

    /// Reads the content chunk by chunk.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: ResumingReader
        fileprivate let metadata: Files.FileMetadata
        fileprivate let progress: (@Sendable (TransferProgress) -> Void)?
        fileprivate var hasher = ContentHasher()

        /// The next chunk; nil after the last byte. Throws `hashMismatch` there unless the hash is
        /// that of the metadata.
        public mutating func next() async throws(FileTransferError) -> [UInt8]? {
            guard let chunk = try await reader.next() else {
                let hash = hasher.finalized()
                if let expected = metadata.contentHash, expected != hash {
                    throw .hashMismatch(expected: expected, received: hash)
                }
                return nil
            }
            hasher.update(chunk)
            progress?(TransferProgress(bytesDone: reader.position, bytesTotal: metadata.size))
            return chunk
        }

        /// The next chunk; nil after the last byte.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(FileTransferError) -> [UInt8]? {
            try await next()
        }
    }

    /// Starts reading; the content can be read once.
    public func makeAsyncIterator() -> AsyncIterator {
        let reader = ResumingReader(
            0..<metadata.size, of: metadata.rev, calls: calls, options: options.single, body: body)
        return AsyncIterator(
            reader: reader, metadata: metadata, progress: options.call.progress)
    }
}

extension Files.Calls {
    /// The content of a file, from any path, id or `rev:`.
    ///
    /// After a lost connection, the remaining bytes of the same revision are requested. The last
    /// chunk is followed by an error if the hash of all is not the file's. Dropping the content
    /// ends the transfer.
    ///
    ///     for try await chunk in try await client.files.content(of: "/big.iso") { … }
    public func content(
        of path: String, options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> FileContent {
        var single = options.single
        single.comparesHashes = false
        let download: Download<Files.FileMetadata, Files.DownloadError>
        do throws(CallError<Files.DownloadError>) {
            download = try await self.download(path: path, options: single)
        } catch {
            throw .init(error)
        }
        return FileContent(
            metadata: download.result, calls: self, options: options, body: download.body)
    }

    /// Downloads a file into memory. Throws `tooLarge` for more than `limit` bytes, before they
    /// arrive.
    public func download(
        _ path: String, upTo limit: Int, options: FileTransferOptions = .init()
    ) async throws(FileTransferError) -> (file: Files.FileMetadata, data: Data) {
        let content = try await content(of: path, options: options)
        guard content.metadata.size <= UInt64(clamping: limit) else {
            throw .tooLarge(limit: limit)
        }
        var data = Data(capacity: Int(clamping: content.metadata.size))
        for try await chunk in content { data.append(contentsOf: chunk) }
        return (content.metadata, data)
    }
}
