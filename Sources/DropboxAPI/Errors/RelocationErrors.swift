// Error unions of the routes that move and copy.

extension Files {
    /// Why an entry cannot be moved or copied.
    public enum RelocationError: TaggedUnion, RouteError {
        case fromLookup(LookupError)
        case fromWrite(WriteError)
        case to(WriteError)
        case cantCopySharedFolder
        case cantNestSharedFolder
        case cantMoveFolderIntoItself
        /// More than 10,000 entries.
        case tooManyFiles
        case duplicatedOrNestedPaths
        case cantTransferOwnership
        case insufficientQuota
        /// Nobody knows whether it was done: look before sending it again.
        case internalError
        case cantMoveSharedFolder
        case cantMoveIntoVault(MoveTargetError)
        case cantMoveIntoFamily(MoveTargetError)
        case tooManyWriteOperations
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "from_lookup": .fromLookup(try union.value())
                case "from_write": .fromWrite(try union.value())
                case "to": .to(try union.value())
                case "cant_copy_shared_folder": .cantCopySharedFolder
                case "cant_nest_shared_folder": .cantNestSharedFolder
                case "cant_move_folder_into_itself": .cantMoveFolderIntoItself
                case "too_many_files": .tooManyFiles
                case "duplicated_or_nested_paths": .duplicatedOrNestedPaths
                case "cant_transfer_ownership": .cantTransferOwnership
                case "insufficient_quota": .insufficientQuota
                case "internal_error": .internalError
                case "cant_move_shared_folder": .cantMoveSharedFolder
                case "cant_move_into_vault": .cantMoveIntoVault(try union.value())
                case "cant_move_into_family": .cantMoveIntoFamily(try union.value())
                case "too_many_write_operations": .tooManyWriteOperations
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .fromLookup(let payload): try union.write("from_lookup", value: payload)
            case .fromWrite(let payload): try union.write("from_write", value: payload)
            case .to(let payload): try union.write("to", value: payload)
            case .cantCopySharedFolder: try union.write("cant_copy_shared_folder")
            case .cantNestSharedFolder: try union.write("cant_nest_shared_folder")
            case .cantMoveFolderIntoItself: try union.write("cant_move_folder_into_itself")
            case .tooManyFiles: try union.write("too_many_files")
            case .duplicatedOrNestedPaths: try union.write("duplicated_or_nested_paths")
            case .cantTransferOwnership: try union.write("cant_transfer_ownership")
            case .insufficientQuota: try union.write("insufficient_quota")
            case .internalError: try union.write("internal_error")
            case .cantMoveSharedFolder: try union.write("cant_move_shared_folder")
            case .cantMoveIntoVault(let payload):
                try union.write("cant_move_into_vault", value: payload)
            case .cantMoveIntoFamily(let payload):
                try union.write("cant_move_into_family", value: payload)
            case .tooManyWriteOperations: try union.write("too_many_write_operations")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .fromWrite(let error), .to(let error): error.remedy
            case .tooManyWriteOperations: .waitForWriters
            default: .none
            }
        }
    }

    /// Why something cannot be moved into a vault or a family room.
    public enum MoveTargetError: VoidUnion {
        case isSharedFolder
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["is_shared_folder": .isSharedFolder]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Why one move or copy of a batch failed.
    public enum RelocationBatchErrorEntry: TaggedUnion, RouteError {
        case relocationError(RelocationError)
        /// Nobody knows whether it was done: look before sending it again.
        case internalError
        case tooManyWriteOperations
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "relocation_error": .relocationError(try union.value())
                case "internal_error": .internalError
                case "too_many_write_operations": .tooManyWriteOperations
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .relocationError(let payload): try union.write("relocation_error", value: payload)
            case .internalError: try union.write("internal_error")
            case .tooManyWriteOperations: try union.write("too_many_write_operations")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .relocationError(let error): error.remedy
            case .tooManyWriteOperations: .waitForWriters
            default: .none
            }
        }
    }
}
