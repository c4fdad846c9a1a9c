// How a file is committed: where, over what, with which times.

public import ContentHashing

extension Files {
    /// What counts as a conflict when a file is written.
    public enum WriteMode: TaggedUnion {
        /// Never replace a file.
        case add
        /// Replace whatever file is there. Loses another client's change; prefer `update`.
        case overwrite
        /// Replace the file only if it still has this revision.
        case update(Rev)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "add": .add
                case "overwrite": .overwrite
                case "update": .update(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .add: try union.write("add")
            case .overwrite: try union.write("overwrite")
            case .update(let rev): try union.write("update", value: rev)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Where and how a file is committed.
    public struct CommitInfo: Codable, Hashable, Sendable {
        /// A path, or an id to follow a file that another client renamed.
        public var path: String
        /// What counts as a conflict.
        public var mode: WriteMode
        /// Let the server pick another name on conflict.
        public var autorename: Bool
        /// The modification time to store.
        public var clientModified: Timestamp?
        /// Do not notify the user's desktops.
        public var mute: Bool
        /// Custom properties.
        public var propertyGroups: [FileProperties.PropertyGroup]?
        /// Make identical content and deleted targets conflicts, too.
        public var strictConflict: Bool

        /// Takes over all fields; the defaults are the server's.
        public init(
            path: String, mode: WriteMode = .add, autorename: Bool = false,
            clientModified: Timestamp? = nil, mute: Bool = false,
            propertyGroups: [FileProperties.PropertyGroup]? = nil, strictConflict: Bool = false
        ) {
            self.path = path
            self.mode = mode
            self.autorename = autorename
            self.clientModified = clientModified
            self.mute = mute
            self.propertyGroups = propertyGroups
            self.strictConflict = strictConflict
        }

        enum CodingKeys: String, CodingKey {
            case path
            case mode
            case autorename
            case clientModified = "client_modified"
            case mute
            case propertyGroups = "property_groups"
            case strictConflict = "strict_conflict"
        }

        /// Reads the fields; all but the path have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                path: try reader.decode(String.self, forKey: .path),
                mode: try reader.decode(.mode, default: .add),
                autorename: try reader.decode(.autorename, default: false),
                clientModified: try reader.decodeIfPresent(
                    Timestamp.self, forKey: .clientModified),
                mute: try reader.decode(.mute, default: false),
                propertyGroups: try reader.decodeIfPresent(
                    [FileProperties.PropertyGroup].self, forKey: .propertyGroups),
                strictConflict: try reader.decode(.strictConflict, default: false))
        }
    }

    /// A file written in one request of at most 150 MiB.
    public struct UploadArg: Codable, Hashable, Sendable {
        /// Where and how to commit.
        public var commit: CommitInfo
        /// Hash of the body; the server refuses a body that arrives different.
        public var contentHash: ContentHash?

        /// Takes over all fields.
        public init(commit: CommitInfo, contentHash: ContentHash? = nil) {
            self.commit = commit
            self.contentHash = contentHash
        }

        /// Reads the commit's fields and the hash from one object.
        public init(from decoder: any Decoder) throws {
            commit = try CommitInfo(from: decoder)
            contentHash = try decoder.container(keyedBy: ContentHashKey.self)
                .decodeContentHash(.contentHash)
        }

        /// Writes the commit's fields and the hash into one object.
        public func encode(to encoder: any Encoder) throws {
            try commit.encode(to: encoder)
            var writer = encoder.container(keyedBy: ContentHashKey.self)
            try writer.encodeIfPresent(contentHash?.hex, forKey: .contentHash)
        }
    }
}

/// The key of a body's hash in the arguments of uploads.
enum ContentHashKey: String, CodingKey {
    case contentHash = "content_hash"
}
