// The unions that nearly every error of the files namespace is made of: a path that cannot be read,
// and a path that cannot be written.

extension Files {
    /// Why a path does not lead to what was expected.
    public enum LookupError: TaggedUnion, RouteError {
        /// The path has a form that the server does not accept.
        case malformedPath(String?)
        case notFound
        case notFile
        case notFolder
        /// The content may not be transferred, for legal reasons for example.
        case restrictedContent
        case unsupportedContentType
        /// Someone else holds the lock.
        case locked
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "malformed_path": .malformedPath(try union.valueIfPresent())
                case "not_found": .notFound
                case "not_file": .notFile
                case "not_folder": .notFolder
                case "restricted_content": .restrictedContent
                case "unsupported_content_type": .unsupportedContentType
                case "locked": .locked
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .malformedPath(let text): try union.write("malformed_path", value: text)
            case .notFound: try union.write("not_found")
            case .notFile: try union.write("not_file")
            case .notFolder: try union.write("not_folder")
            case .restrictedContent: try union.write("restricted_content")
            case .unsupportedContentType: try union.write("unsupported_content_type")
            case .locked: try union.write("locked")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// What is in the way of a write.
    public enum WriteConflictError: VoidUnion {
        case file
        case folder
        /// A file stands where a parent folder would have to be.
        case fileAncestor
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["file": .file, "folder": .folder, "file_ancestor": .fileAncestor]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Why a path cannot be written.
    public enum WriteError: TaggedUnion, RouteError {
        /// The path has a form that the server does not accept.
        case malformedPath(String?)
        case conflict(WriteConflictError)
        case noWritePermission
        /// The quota is used up.
        case insufficientSpace
        /// The server does not store files of this name.
        case disallowedName
        /// Team folders cannot be moved or deleted this way.
        case teamFolder
        case operationSuppressed
        /// Others are writing to the same namespace: try again.
        case tooManyWriteOperations
        /// An administrator of the team forbids it.
        case accessRestricted
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "malformed_path": .malformedPath(try union.valueIfPresent())
                case "conflict": .conflict(try union.value())
                case "no_write_permission": .noWritePermission
                case "insufficient_space": .insufficientSpace
                case "disallowed_name": .disallowedName
                case "team_folder": .teamFolder
                case "operation_suppressed": .operationSuppressed
                case "too_many_write_operations": .tooManyWriteOperations
                case "access_restricted": .accessRestricted
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .malformedPath(let text): try union.write("malformed_path", value: text)
            case .conflict(let conflict): try union.write("conflict", value: conflict)
            case .noWritePermission: try union.write("no_write_permission")
            case .insufficientSpace: try union.write("insufficient_space")
            case .disallowedName: try union.write("disallowed_name")
            case .teamFolder: try union.write("team_folder")
            case .operationSuppressed: try union.write("operation_suppressed")
            case .tooManyWriteOperations: try union.write("too_many_write_operations")
            case .accessRestricted: try union.write("access_restricted")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass.
        public var remedy: RouteErrorRemedy {
            self == .tooManyWriteOperations ? .waitForWriters : .none
        }
    }
}

extension FileProperties {
    /// What is wrong with custom properties.
    public enum PropertiesError: TaggedUnion {
        case templateNotFound(TemplateID)
        case restrictedContent
        case path(Files.LookupError)
        case unsupportedFolder
        case propertyFieldTooLarge
        case doesNotFitTemplate
        case duplicatePropertyGroups
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "template_not_found": .templateNotFound(try union.value())
                case "restricted_content": .restrictedContent
                case "path": .path(try union.value())
                case "unsupported_folder": .unsupportedFolder
                case "property_field_too_large": .propertyFieldTooLarge
                case "does_not_fit_template": .doesNotFitTemplate
                case "duplicate_property_groups": .duplicatePropertyGroups
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .templateNotFound(let id): try union.write("template_not_found", value: id)
            case .restrictedContent: try union.write("restricted_content")
            case .path(let error): try union.write("path", value: error)
            case .unsupportedFolder: try union.write("unsupported_folder")
            case .propertyFieldTooLarge: try union.write("property_field_too_large")
            case .doesNotFitTemplate: try union.write("does_not_fit_template")
            case .duplicatePropertyGroups: try union.write("duplicate_property_groups")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
