// Arguments and results of turning upload sessions into files.

public import ContentHashing

extension Files {
    /// Commits a session as a file, with its last bytes as the body.
    public struct UploadSessionFinishArg: Codable, Hashable, Sendable {
        /// The session and its size before this request's body.
        public var cursor: UploadSessionCursor
        /// Where and how to commit.
        public var commit: CommitInfo
        /// Hash of the body (not of the file); the server refuses a body that arrives different.
        public var contentHash: ContentHash?

        /// Takes over all fields.
        public init(
            cursor: UploadSessionCursor, commit: CommitInfo, contentHash: ContentHash? = nil
        ) {
            self.cursor = cursor
            self.commit = commit
            self.contentHash = contentHash
        }

        private enum Key: String, CodingKey {
            case cursor
            case commit
            case contentHash = "content_hash"
        }

        /// Reads the fields.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: Key.self)
            cursor = try reader.decode(UploadSessionCursor.self, forKey: .cursor)
            commit = try reader.decode(CommitInfo.self, forKey: .commit)
            contentHash = try reader.decodeContentHash(.contentHash)
        }

        /// Writes the fields.
        public func encode(to encoder: any Encoder) throws {
            var writer = encoder.container(keyedBy: Key.self)
            try writer.encode(cursor, forKey: .cursor)
            try writer.encode(commit, forKey: .commit)
            try writer.encodeIfPresent(contentHash?.hex, forKey: .contentHash)
        }
    }

    /// Commits several closed sessions.
    public struct UploadSessionFinishBatchArg: Codable, Hashable, Sendable {
        /// One entry per session, at most 1,000.
        public var entries: [UploadSessionFinishArg]

        /// Takes over the entries.
        public init(entries: [UploadSessionFinishArg]) {
            self.entries = entries
        }
    }

    /// What became of each commit of a batch.
    public struct UploadSessionFinishBatchResult: Codable, Hashable, Sendable {
        /// One result per entry, in the same order.
        public var entries: [UploadSessionFinishBatchResultEntry]
    }

    /// What became of one commit.
    public enum UploadSessionFinishBatchResultEntry: TaggedUnion {
        case success(FileMetadata)
        case failure(UploadSessionFinishError)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "success": .success(try union.fields())
                case "failure": .failure(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .success(let file): try union.write("success", fields: file)
            case .failure(let error): try union.write("failure", value: error)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
