// Arguments and results of listing a folder, following its changes and asking for one entry.

extension Files {
    /// Which folder to list, and how.
    public struct ListFolderArg: Codable, Hashable, Sendable {
        /// The folder: "" for the root, a path, or an id.
        public var path: String
        /// List the whole subtree.
        public var recursive: Bool
        /// Include the marks of deleted entries.
        public var includeDeleted: Bool
        /// Tell for each file whether members were invited to it.
        public var includeHasExplicitSharedMembers: Bool
        /// Include what lies under mounted shared folders.
        public var includeMountedFolders: Bool
        /// Include documents that can only be exported.
        public var includeNonDownloadableFiles: Bool
        /// Entries per page, 1 to 2,000, approximately; nil leaves it to the server.
        public var limit: UInt32?

        /// Takes over all fields; the defaults are the server's.
        public init(
            path: String, recursive: Bool = false, includeDeleted: Bool = false,
            includeHasExplicitSharedMembers: Bool = false, includeMountedFolders: Bool = true,
            includeNonDownloadableFiles: Bool = true, limit: UInt32? = nil
        ) {
            self.path = path
            self.recursive = recursive
            self.includeDeleted = includeDeleted
            self.includeHasExplicitSharedMembers = includeHasExplicitSharedMembers
            self.includeMountedFolders = includeMountedFolders
            self.includeNonDownloadableFiles = includeNonDownloadableFiles
            self.limit = limit
        }

        enum CodingKeys: String, CodingKey {
            case path
            case recursive
            case includeDeleted = "include_deleted"
            case includeHasExplicitSharedMembers = "include_has_explicit_shared_members"
            case includeMountedFolders = "include_mounted_folders"
            case includeNonDownloadableFiles = "include_non_downloadable_files"
            case limit
        }

        /// Reads the fields; all but the path have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                path: try reader.decode(String.self, forKey: .path),
                recursive: try reader.decode(.recursive, default: false),
                includeDeleted: try reader.decode(.includeDeleted, default: false),
                includeHasExplicitSharedMembers: try reader.decode(
                    .includeHasExplicitSharedMembers, default: false),
                includeMountedFolders: try reader.decode(.includeMountedFolders, default: true),
                includeNonDownloadableFiles: try reader.decode(
                    .includeNonDownloadableFiles, default: true),
                limit: try reader.decodeIfPresent(UInt32.self, forKey: .limit))
        }
    }

    /// One page of a listing or of changes.
    public struct ListFolderResult: Codable, Hashable, Sendable {
        /// The entries, to be applied in this order.
        public var entries: [Metadata]
        /// Where the next page or the next changes start.
        public var cursor: Cursor
        /// True when another page is ready now.
        public var hasMore: Bool

        enum CodingKeys: String, CodingKey {
            case entries
            case cursor
            case hasMore = "has_more"
        }
    }

    /// Where to go on listing.
    public struct ListFolderContinueArg: Codable, Hashable, Sendable {
        /// The cursor of the last page.
        public var cursor: Cursor

        /// Takes over the cursor.
        public init(cursor: Cursor) {
            self.cursor = cursor
        }
    }

    /// The position after everything that exists now.
    public struct ListFolderGetLatestCursorResult: Codable, Hashable, Sendable {
        /// Where the next changes start.
        public var cursor: Cursor
    }

    /// Which folder's changes to wait for, and how long.
    public struct ListFolderLongpollArg: Codable, Hashable, Sendable {
        /// The newest cursor known.
        public var cursor: Cursor
        /// Seconds to wait, 30 to 480; the server adds up to 90 seconds of its own.
        public var timeout: UInt64

        /// Takes over all fields.
        public init(cursor: Cursor, timeout: UInt64 = 30) {
            self.cursor = cursor
            self.timeout = timeout
        }

        /// Reads the fields; the timeout defaults to 30 seconds.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                cursor: try reader.decode(String.self, forKey: .cursor),
                timeout: try reader.decode(.timeout, default: 30))
        }
    }

    /// Whether something changed.
    public struct ListFolderLongpollResult: Codable, Hashable, Sendable {
        /// True when `list_folder/continue` has something new.
        public var changes: Bool
        /// Seconds to wait before the next longpoll.
        public var backoff: UInt64?
    }

    /// Which entry to describe.
    public struct GetMetadataArg: Codable, Hashable, Sendable {
        /// A path (not the root), an id or `rev:…`.
        public var path: String
        /// Include facts of photos and videos.
        public var includeMediaInfo: Bool
        /// Answer with the mark of a deleted entry instead of `not_found`.
        public var includeDeleted: Bool
        /// Tell whether members were invited to the file.
        public var includeHasExplicitSharedMembers: Bool

        /// Takes over all fields; the defaults are the server's.
        public init(
            path: String, includeMediaInfo: Bool = false, includeDeleted: Bool = false,
            includeHasExplicitSharedMembers: Bool = false
        ) {
            self.path = path
            self.includeMediaInfo = includeMediaInfo
            self.includeDeleted = includeDeleted
            self.includeHasExplicitSharedMembers = includeHasExplicitSharedMembers
        }

        enum CodingKeys: String, CodingKey {
            case path
            case includeMediaInfo = "include_media_info"
            case includeDeleted = "include_deleted"
            case includeHasExplicitSharedMembers = "include_has_explicit_shared_members"
        }

        /// Reads the fields; all but the path have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                path: try reader.decode(String.self, forKey: .path),
                includeMediaInfo: try reader.decode(.includeMediaInfo, default: false),
                includeDeleted: try reader.decode(.includeDeleted, default: false),
                includeHasExplicitSharedMembers: try reader.decode(
                    .includeHasExplicitSharedMembers, default: false))
        }
    }
}
