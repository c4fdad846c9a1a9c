// Arguments and results of moving and copying, one by one and in batches.

extension Files {
    /// What to move or copy, and where to.
    public struct RelocationPath: Codable, Hashable, Sendable {
        /// A path or an id.
        public var fromPath: String
        /// The new path.
        public var toPath: String

        /// Takes over all fields.
        public init(fromPath: String, toPath: String) {
            self.fromPath = fromPath
            self.toPath = toPath
        }

        enum CodingKeys: String, CodingKey {
            case fromPath = "from_path"
            case toPath = "to_path"
        }
    }

    /// One move or copy.
    public struct RelocationArg: Codable, Hashable, Sendable {
        /// A path or an id.
        public var fromPath: String
        /// The new path; missing parents are created.
        public var toPath: String
        /// Let the server pick another name on conflict.
        public var autorename: Bool
        /// Allow a move that gives the content to another owner.
        public var allowOwnershipTransfer: Bool

        /// Takes over all fields; the defaults are the server's.
        public init(
            fromPath: String, toPath: String, autorename: Bool = false,
            allowOwnershipTransfer: Bool = false
        ) {
            self.fromPath = fromPath
            self.toPath = toPath
            self.autorename = autorename
            self.allowOwnershipTransfer = allowOwnershipTransfer
        }

        enum CodingKeys: String, CodingKey {
            case fromPath = "from_path"
            case toPath = "to_path"
            case autorename
            case allowOwnershipTransfer = "allow_ownership_transfer"
        }

        /// Reads the fields; the flags default to false.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            fromPath = try reader.decode(String.self, forKey: .fromPath)
            toPath = try reader.decode(String.self, forKey: .toPath)
            autorename = try reader.decode(.autorename, default: false)
            allowOwnershipTransfer = try reader.decode(.allowOwnershipTransfer, default: false)
        }
    }

    /// A moved or copied entry.
    public struct RelocationResult: Codable, Hashable, Sendable {
        /// The entry at its new place.
        public var metadata: Metadata
    }

    /// Several copies.
    public struct CopyBatchArg: Codable, Hashable, Sendable {
        /// The copies, at most 1,000.
        public var entries: [RelocationPath]
        /// Let the server pick other names on conflict.
        public var autorename: Bool

        /// Takes over all fields; the default is the server's.
        public init(entries: [RelocationPath], autorename: Bool = false) {
            self.entries = entries
            self.autorename = autorename
        }

        /// Reads the fields; `autorename` defaults to false.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            entries = try reader.decode([RelocationPath].self, forKey: .entries)
            autorename = try reader.decode(.autorename, default: false)
        }
    }

    /// Several moves.
    public struct MoveBatchArg: Codable, Hashable, Sendable {
        /// The moves, at most 1,000.
        public var entries: [RelocationPath]
        /// Let the server pick other names on conflict.
        public var autorename: Bool
        /// Allow moves that give content to another owner.
        public var allowOwnershipTransfer: Bool

        /// Takes over all fields; the defaults are the server's.
        public init(
            entries: [RelocationPath], autorename: Bool = false,
            allowOwnershipTransfer: Bool = false
        ) {
            self.entries = entries
            self.autorename = autorename
            self.allowOwnershipTransfer = allowOwnershipTransfer
        }

        enum CodingKeys: String, CodingKey {
            case entries
            case autorename
            case allowOwnershipTransfer = "allow_ownership_transfer"
        }

        /// Reads the fields; the flags default to false.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            entries = try reader.decode([RelocationPath].self, forKey: .entries)
            autorename = try reader.decode(.autorename, default: false)
            allowOwnershipTransfer = try reader.decode(.allowOwnershipTransfer, default: false)
        }
    }

    /// What became of each move or copy of a batch.
    public struct RelocationBatchV2Result: Codable, Hashable, Sendable {
        /// One result per entry, in the same order.
        public var entries: [RelocationBatchResultEntry]
    }

    /// What became of one move or copy of a batch.
    public enum RelocationBatchResultEntry: TaggedUnion {
        case success(Metadata)
        case failure(RelocationBatchErrorEntry)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "success": .success(try union.value())
                case "failure": .failure(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .success(let metadata): try union.write("success", value: metadata)
            case .failure(let error): try union.write("failure", value: error)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
