// Content in memory as the source of a file or of a request's body: the bytes are shared with the
// caller, never copied into another array. Not responsible for sending.

import ContentHashing
public import Essentials

/// Open content that is in memory already, so that a request can be sent from where it is.
protocol MemoryContent: OpenedFile {
    /// The same bytes as the body of a request.
    var body: any BodySource { get }
    /// The hash of the bytes. Blocks for its computation.
    var contentHash: ContentHash { get }
}

/// A body over Foundation's bytes, which are shared and not copied.
///
///     try await client.files.upload(path: "/a.txt", body: DataBody(data))
public struct DataBody: BodySource {
    private let data: Data

    /// Shares the bytes, without a copy.
    public init(_ data: Data) {
        self.data = data
    }

    /// The body's length in bytes.
    public var length: UInt64 { UInt64(clamping: data.count) }

    /// Copies bytes from the data.
    public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < length else { return 0 }
        return data.dropFirst(Int(clamping: offset)).prefix(buffer.count).copyBytes(to: buffer)
    }
}

/// A file source over Foundation's bytes, which are shared and not copied.
public struct DataSource: FileSource, OpenedFile {
    private let data: Data

    /// Shares the bytes, without a copy.
    public init(_ data: Data) {
        self.data = data
    }

    /// Returns the source itself.
    public func open() -> any OpenedFile { self }

    /// The content's length in bytes.
    public var length: UInt64 { UInt64(clamping: data.count) }

    /// Copies bytes from the data.
    public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        DataBody(data).read(at: offset, into: buffer)
    }

    /// Always true: the data is immutable.
    public func isUnchanged() -> Bool { true }
}

extension DataSource: MemoryContent {
    var body: any BodySource { DataBody(data) }

    var contentHash: ContentHash {
        var hasher = ContentHasher()
        data.withUnsafeBytes { hasher.update($0) }
        return hasher.finalized()
    }
}

/// A file source with its content in memory.
public struct BytesSource: FileSource, OpenedFile {
    private let bytes: [UInt8]

    /// Takes over bytes; the array is shared, not copied.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the source itself.
    public func open() -> any OpenedFile { self }

    /// The content's length in bytes.
    public var length: UInt64 { UInt64(clamping: bytes.count) }

    /// Copies bytes from the array.
    public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        BytesBody(bytes).read(at: offset, into: buffer)
    }

    /// Always true: the array is immutable.
    public func isUnchanged() -> Bool { true }
}

extension BytesSource: MemoryContent {
    var body: any BodySource { BytesBody(bytes) }

    var contentHash: ContentHash { ContentHasher.hash(bytes) }
}
