// Arguments and results of creating folders and deleting entries, one by one and in batches.

extension Files {
    /// Which folder to create.
    public struct CreateFolderArg: Codable, Hashable, Sendable {
        /// Its path; missing parents are created.
        public var path: String
        /// Let the server pick another name on conflict.
        public var autorename: Bool

        /// Takes over all fields; the default is the server's.
        public init(path: String, autorename: Bool = false) {
            self.path = path
            self.autorename = autorename
        }

        /// Reads the fields; `autorename` defaults to false.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            path = try reader.decode(String.self, forKey: .path)
            autorename = try reader.decode(.autorename, default: false)
        }
    }

    /// A created folder.
    public struct CreateFolderResult: Codable, Hashable, Sendable {
        /// The folder.
        public var metadata: FolderMetadata
    }

    /// Which folders to create.
    public struct CreateFolderBatchArg: Codable, Hashable, Sendable {
        /// Their paths, at most 10,000.
        public var paths: [String]
        /// Let the server pick other names on conflict.
        public var autorename: Bool
        /// Run as a job even if the batch is small.
        public var forceAsync: Bool

        /// Takes over all fields; the defaults are the server's.
        public init(paths: [String], autorename: Bool = false, forceAsync: Bool = false) {
            self.paths = paths
            self.autorename = autorename
            self.forceAsync = forceAsync
        }

        enum CodingKeys: String, CodingKey {
            case paths
            case autorename
            case forceAsync = "force_async"
        }

        /// Reads the fields; all but the paths have defaults.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            paths = try reader.decode([String].self, forKey: .paths)
            autorename = try reader.decode(.autorename, default: false)
            forceAsync = try reader.decode(.forceAsync, default: false)
        }
    }

    /// What became of each folder of a batch.
    public struct CreateFolderBatchResult: Codable, Hashable, Sendable {
        /// One result per path, in the same order.
        public var entries: [CreateFolderBatchResultEntry]
    }

    /// What became of one folder of a batch.
    public enum CreateFolderBatchResultEntry: TaggedUnion {
        case success(CreateFolderResult)
        case failure(CreateFolderError)
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
            case .success(let value): try union.write("success", fields: value)
            case .failure(let error): try union.write("failure", value: error)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Which entry to delete, with everything in it.
    public struct DeleteArg: Codable, Hashable, Sendable {
        /// A path or an id.
        public var path: String
        /// Delete only if the file has this revision; not for folders.
        public var parentRev: Rev?

        /// Takes over all fields.
        public init(path: String, parentRev: Rev? = nil) {
            self.path = path
            self.parentRev = parentRev
        }

        enum CodingKeys: String, CodingKey {
            case path
            case parentRev = "parent_rev"
        }
    }

    /// A deleted entry.
    public struct DeleteResult: Codable, Hashable, Sendable {
        /// The entry as it was before.
        public var metadata: Metadata
    }

    /// Which entries to delete.
    public struct DeleteBatchArg: Codable, Hashable, Sendable {
        /// The entries, at most 1,000.
        public var entries: [DeleteArg]

        /// Takes over the entries.
        public init(entries: [DeleteArg]) {
            self.entries = entries
        }
    }

    /// What became of each deletion of a batch.
    public struct DeleteBatchResult: Codable, Hashable, Sendable {
        /// One result per entry, in the same order.
        public var entries: [DeleteBatchResultEntry]
    }

    /// What became of one deletion of a batch.
    public enum DeleteBatchResultEntry: TaggedUnion {
        case success(DeleteResult)
        case failure(DeleteError)
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
            case .success(let value): try union.write("success", fields: value)
            case .failure(let error): try union.write("failure", value: error)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
