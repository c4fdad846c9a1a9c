// Error unions of the routes that create folders and delete entries, and of jobs.

extension Files {
    /// Why a folder cannot be created, alone or in a batch.
    public enum CreateFolderError: TaggedUnion, RouteError {
        case path(WriteError)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .path(let error): error.remedy
            default: .none
            }
        }
    }

    /// Why a whole batch of folders failed.
    public enum CreateFolderBatchError: VoidUnion {
        case tooManyFiles
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["too_many_files": .tooManyFiles]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Why an entry cannot be deleted.
    public enum DeleteError: TaggedUnion, RouteError {
        case pathLookup(LookupError)
        case pathWrite(WriteError)
        case tooManyWriteOperations
        case tooManyFiles
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path_lookup": .pathLookup(try union.value())
                case "path_write": .pathWrite(try union.value())
                case "too_many_write_operations": .tooManyWriteOperations
                case "too_many_files": .tooManyFiles
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .pathLookup(let payload): try union.write("path_lookup", value: payload)
            case .pathWrite(let payload): try union.write("path_write", value: payload)
            case .tooManyWriteOperations: try union.write("too_many_write_operations")
            case .tooManyFiles: try union.write("too_many_files")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .pathWrite(let error): error.remedy
            case .tooManyWriteOperations: .waitForWriters
            default: .none
            }
        }
    }

    /// Why a whole batch of deletions failed.
    public enum DeleteBatchError: VoidUnion {
        case tooManyWriteOperations
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["too_many_write_operations": .tooManyWriteOperations]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }
}

extension Async {
    /// Why a job cannot be asked about.
    public enum PollError: VoidUnion, RouteError {
        case invalidAsyncJobId
        case internalError
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["invalid_async_job_id": .invalidAsyncJobId, "internal_error": .internalError]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }
}

extension Check {
    /// Why there is no echo.
    public enum EchoError: VoidUnion, RouteError {
        case userRequested
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["user_requested": .userRequested]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }
}
