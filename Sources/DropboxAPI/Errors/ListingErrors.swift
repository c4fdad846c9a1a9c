// Error unions of the routes that list, describe, read and restore.

extension Files {
    /// Why a folder cannot be listed.
    public enum ListFolderError: TaggedUnion, RouteError {
        case path(LookupError)
        case templateError(FileProperties.PropertiesError)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                case "template_error": .templateError(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .templateError(let payload): try union.write("template_error", value: payload)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why a listing or the following of changes cannot go on.
    public enum ListFolderContinueError: TaggedUnion, RouteError {
        case path(LookupError)
        /// The cursor is no longer valid: list again and compare.
        case reset
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                case "reset": .reset
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .reset: try union.write("reset")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why changes cannot be waited for.
    public enum ListFolderLongpollError: VoidUnion, RouteError {
        /// The cursor is no longer valid: list again and compare.
        case reset
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["reset": .reset]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Why an entry cannot be described.
    public enum GetMetadataError: TaggedUnion, RouteError {
        case path(LookupError)
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
    }

    /// Why a file cannot be read.
    public enum DownloadError: TaggedUnion, RouteError {
        case path(LookupError)
        /// A document of a cloud editor: it can only be exported.
        case unsupportedFile
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                case "unsupported_file": .unsupportedFile
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .unsupportedFile: try union.write("unsupported_file")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why a folder cannot be packed.
    public enum DownloadZipError: TaggedUnion, RouteError {
        case path(LookupError)
        case tooLarge
        case tooManyFiles
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                case "too_large": .tooLarge
                case "too_many_files": .tooManyFiles
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .tooLarge: try union.write("too_large")
            case .tooManyFiles: try union.write("too_many_files")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why a file cannot be linked to.
    public enum GetTemporaryLinkError: TaggedUnion, RouteError {
        case path(LookupError)
        case emailNotVerified
        case unsupportedFile
        case notAllowed
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                case "email_not_verified": .emailNotVerified
                case "unsupported_file": .unsupportedFile
                case "not_allowed": .notAllowed
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .emailNotVerified: try union.write("email_not_verified")
            case .unsupportedFile: try union.write("unsupported_file")
            case .notAllowed: try union.write("not_allowed")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why revisions cannot be listed.
    public enum ListRevisionsError: TaggedUnion, RouteError {
        case path(LookupError)
        case invalidBeforeRev
        case beforeRevNotSupported
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path": .path(try union.value())
                case "invalid_before_rev": .invalidBeforeRev
                case "before_rev_not_supported": .beforeRevNotSupported
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", value: payload)
            case .invalidBeforeRev: try union.write("invalid_before_rev")
            case .beforeRevNotSupported: try union.write("before_rev_not_supported")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why a revision cannot be restored.
    public enum RestoreError: TaggedUnion, RouteError {
        case pathLookup(LookupError)
        case pathWrite(WriteError)
        case invalidRevision
        case inProgress
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "path_lookup": .pathLookup(try union.value())
                case "path_write": .pathWrite(try union.value())
                case "invalid_revision": .invalidRevision
                case "in_progress": .inProgress
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .pathLookup(let payload): try union.write("path_lookup", value: payload)
            case .pathWrite(let payload): try union.write("path_write", value: payload)
            case .invalidRevision: try union.write("invalid_revision")
            case .inProgress: try union.write("in_progress")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .pathWrite(let error): error.remedy
            default: .none
            }
        }
    }
}
