// Arguments and results of reading a file's content and its revisions.

extension Files {
    /// Which file's content to read.
    public struct DownloadArg: Codable, Hashable, Sendable {
        /// A path, an id or `rev:…`; only the last names the same bytes for ever.
        public var path: String

        /// Takes over the path.
        public init(path: String) {
            self.path = path
        }
    }

    /// Which folder to pack.
    public struct DownloadZipArg: Codable, Hashable, Sendable {
        /// A path or an id.
        public var path: String

        /// Takes over the path.
        public init(path: String) {
            self.path = path
        }
    }

    /// What was packed.
    public struct DownloadZipResult: Codable, Hashable, Sendable {
        /// The folder.
        public var metadata: FolderMetadata
    }

    /// Which file to link to.
    public struct GetTemporaryLinkArg: Codable, Hashable, Sendable {
        /// A path, an id or `rev:…`.
        public var path: String

        /// Takes over the path.
        public init(path: String) {
            self.path = path
        }
    }

    /// A link to a file's content that needs no token.
    public struct GetTemporaryLinkResult: Codable, Hashable, Sendable {
        /// The file.
        public var metadata: FileMetadata
        /// The link; it works for four hours.
        public var link: String
    }

    /// What identifies the file whose revisions are listed.
    public enum ListRevisionsMode: VoidUnion {
        case path
        case id
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> { ["path": .path, "id": .id] }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Which file's revisions to list.
    public struct ListRevisionsArg: Codable, Hashable, Sendable {
        /// A path or an id.
        public var path: String
        /// Whether to follow the path or the id.
        public var mode: ListRevisionsMode
        /// At most so many revisions, 1 to 100.
        public var limit: UInt64
        /// List only revisions before this one; in path mode only.
        public var beforeRev: Rev?

        /// Takes over all fields; the defaults are the server's.
        public init(
            path: String, mode: ListRevisionsMode = .path, limit: UInt64 = 10,
            beforeRev: Rev? = nil
        ) {
            self.path = path
            self.mode = mode
            self.limit = limit
            self.beforeRev = beforeRev
        }

        enum CodingKeys: String, CodingKey {
            case path
            case mode
            case limit
            case beforeRev = "before_rev"
        }

        /// Reads the fields; all but the path have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                path: try reader.decode(String.self, forKey: .path),
                mode: try reader.decode(.mode, default: .path),
                limit: try reader.decode(.limit, default: 10),
                beforeRev: try reader.decodeIfPresent(Rev.self, forKey: .beforeRev))
        }
    }

    /// Revisions of a file, newest first.
    public struct ListRevisionsResult: Codable, Hashable, Sendable {
        /// True when the file was deleted or moved since.
        public var isDeleted: Bool
        /// When it was deleted.
        public var serverDeleted: Timestamp?
        /// The revisions.
        public var entries: [FileMetadata]
        /// True when older ones exist.
        public var hasMore: Bool

        enum CodingKeys: String, CodingKey {
            case isDeleted = "is_deleted"
            case serverDeleted = "server_deleted"
            case entries
            case hasMore = "has_more"
        }

        /// Reads the fields; servers before paging send no `has_more`.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            isDeleted = try reader.decode(Bool.self, forKey: .isDeleted)
            serverDeleted = try reader.decodeIfPresent(Timestamp.self, forKey: .serverDeleted)
            entries = try reader.decode([FileMetadata].self, forKey: .entries)
            hasMore = try reader.decode(.hasMore, default: false)
        }
    }

    /// Which revision to make current again.
    public struct RestoreArg: Codable, Hashable, Sendable {
        /// Where to save it.
        public var path: String
        /// The revision.
        public var rev: Rev

        /// Takes over all fields.
        public init(path: String, rev: Rev) {
            self.path = path
            self.rev = rev
        }
    }
}
