// Arguments and results of upload sessions: start, append, finish, one by one and in batches.

public import ContentHashing

extension Files {
    /// In which order a session takes its pieces.
    public enum UploadSessionType: VoidUnion {
        /// One after another, each at the exact end of the last.
        case sequential
        /// In any order, at multiples of 4 MiB.
        case concurrent
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["sequential": .sequential, "concurrent": .concurrent]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Starts a session with the first bytes.
    public struct UploadSessionStartArg: Codable, Hashable, Sendable {
        /// True when no more bytes follow.
        public var close: Bool
        /// The order of pieces; nil means sequential.
        public var sessionType: UploadSessionType?
        /// Hash of the body; the server refuses a body that arrives different.
        public var contentHash: ContentHash?

        /// Takes over all fields; the defaults are the server's.
        public init(
            close: Bool = false, sessionType: UploadSessionType? = nil,
            contentHash: ContentHash? = nil
        ) {
            self.close = close
            self.sessionType = sessionType
            self.contentHash = contentHash
        }

        private enum Key: String, CodingKey {
            case close
            case sessionType = "session_type"
            case contentHash = "content_hash"
        }

        /// Reads the fields; all have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: Key.self)
            close = try reader.decode(.close, default: false)
            sessionType = try reader.decodeIfPresent(UploadSessionType.self, forKey: .sessionType)
            contentHash = try reader.decodeContentHash(.contentHash)
        }

        /// Writes the fields.
        public func encode(to encoder: any Encoder) throws {
            var writer = encoder.container(keyedBy: Key.self)
            try writer.encode(close, forKey: .close)
            try writer.encodeIfPresent(sessionType, forKey: .sessionType)
            try writer.encodeIfPresent(contentHash?.hex, forKey: .contentHash)
        }
    }

    /// A started session.
    public struct UploadSessionStartResult: Codable, Hashable, Sendable {
        /// The session, valid for seven days.
        public var sessionID: String

        enum CodingKeys: String, CodingKey {
            case sessionID = "session_id"
        }
    }

    /// Starts several sessions.
    public struct UploadSessionStartBatchArg: Codable, Hashable, Sendable {
        /// The order of pieces; nil means sequential.
        public var sessionType: UploadSessionType?
        /// How many sessions, 1 to 1,000.
        public var numberOfSessions: UInt64

        /// Takes over all fields.
        public init(numberOfSessions: UInt64, sessionType: UploadSessionType? = nil) {
            self.sessionType = sessionType
            self.numberOfSessions = numberOfSessions
        }

        enum CodingKeys: String, CodingKey {
            case sessionType = "session_type"
            case numberOfSessions = "num_sessions"
        }
    }

    /// Several started sessions.
    public struct UploadSessionStartBatchResult: Codable, Hashable, Sendable {
        /// The sessions, valid for seven days.
        public var sessionIDs: [String]

        enum CodingKeys: String, CodingKey {
            case sessionIDs = "session_ids"
        }
    }

    /// A position in a session.
    public struct UploadSessionCursor: Codable, Hashable, Sendable {
        /// The session.
        public var sessionID: String
        /// Where the bytes of this request go.
        public var offset: UInt64

        /// Takes over all fields.
        public init(sessionID: String, offset: UInt64) {
            self.sessionID = sessionID
            self.offset = offset
        }

        enum CodingKeys: String, CodingKey {
            case sessionID = "session_id"
            case offset
        }
    }

    /// Appends bytes to a session.
    public struct UploadSessionAppendArg: Codable, Hashable, Sendable {
        /// The session and the offset.
        public var cursor: UploadSessionCursor
        /// True when no more bytes follow.
        public var close: Bool
        /// Hash of the body; the server refuses a body that arrives different.
        public var contentHash: ContentHash?

        /// Takes over all fields.
        public init(
            cursor: UploadSessionCursor, close: Bool = false, contentHash: ContentHash? = nil
        ) {
            self.cursor = cursor
            self.close = close
            self.contentHash = contentHash
        }

        private enum Key: String, CodingKey {
            case cursor
            case close
            case contentHash = "content_hash"
        }

        /// Reads the fields; all but the cursor have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: Key.self)
            cursor = try reader.decode(UploadSessionCursor.self, forKey: .cursor)
            close = try reader.decode(.close, default: false)
            contentHash = try reader.decodeContentHash(.contentHash)
        }

        /// Writes the fields.
        public func encode(to encoder: any Encoder) throws {
            var writer = encoder.container(keyedBy: Key.self)
            try writer.encode(cursor, forKey: .cursor)
            try writer.encode(close, forKey: .close)
            try writer.encodeIfPresent(contentHash?.hex, forKey: .contentHash)
        }
    }

    /// Appends the pieces of a body to several sessions.
    public struct UploadSessionAppendBatchArg: Codable, Hashable, Sendable {
        /// One entry per piece, in the body's order, at most 1,000.
        public var entries: [UploadSessionAppendBatchArgEntry]
        /// Hash of the whole body; the server refuses a body that arrives different.
        public var contentHash: ContentHash?

        /// Takes over all fields.
        public init(entries: [UploadSessionAppendBatchArgEntry], contentHash: ContentHash? = nil) {
            self.entries = entries
            self.contentHash = contentHash
        }

        private enum Key: String, CodingKey {
            case entries
            case contentHash = "content_hash"
        }

        /// Reads the fields.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: Key.self)
            entries = try reader.decode(
                [UploadSessionAppendBatchArgEntry].self, forKey: .entries)
            contentHash = try reader.decodeContentHash(.contentHash)
        }

        /// Writes the fields.
        public func encode(to encoder: any Encoder) throws {
            var writer = encoder.container(keyedBy: Key.self)
            try writer.encode(entries, forKey: .entries)
            try writer.encodeIfPresent(contentHash?.hex, forKey: .contentHash)
        }
    }

    /// One piece of a batch's body.
    public struct UploadSessionAppendBatchArgEntry: Codable, Hashable, Sendable {
        /// The session and the offset.
        public var cursor: UploadSessionCursor
        /// Bytes of the body that belong to this session.
        public var length: UInt64
        /// True when no more bytes follow.
        public var close: Bool

        /// Takes over all fields.
        public init(cursor: UploadSessionCursor, length: UInt64, close: Bool = false) {
            self.cursor = cursor
            self.length = length
            self.close = close
        }

        /// Reads the fields; `close` defaults to false.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            cursor = try reader.decode(UploadSessionCursor.self, forKey: .cursor)
            length = try reader.decode(UInt64.self, forKey: .length)
            close = try reader.decode(.close, default: false)
        }
    }

    /// What became of each piece of a batch.
    public struct UploadSessionAppendBatchResult: Codable, Hashable, Sendable {
        /// One result per entry, in the same order.
        public var entries: [UploadSessionAppendBatchResultEntry]
    }

    /// What became of one piece.
    public enum UploadSessionAppendBatchResultEntry: TaggedUnion {
        case success
        case failure(UploadSessionAppendBatchEntryError)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "success": .success
                case "failure": .failure(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .success: try union.write("success")
            case .failure(let error): try union.write("failure", value: error)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
