// The error unions of the specification, as far as the model uses them. Not responsible for HTTP
// status codes (`RouteFailure`).

/// A union value of the API: the body of a 409.
protocol APIUnion: Error, Sendable {
    /// The union in the API's JSON.
    var json: JSONValue { get }
}

/// Why no entry was found at a path: `files.LookupError`.
enum LookupError: APIUnion, Equatable {
    case malformedPath
    case notFound
    case notFile
    case notFolder
    case restrictedContent
    case unsupportedContentType
    case locked

    var json: JSONValue {
        switch self {
        case .malformedPath: .tag("malformed_path")
        case .notFound: .tag("not_found")
        case .notFile: .tag("not_file")
        case .notFolder: .tag("not_folder")
        case .restrictedContent: .tag("restricted_content")
        case .unsupportedContentType: .tag("unsupported_content_type")
        case .locked: .tag("locked")
        }
    }
}

/// The entry in the way of a write: `files.WriteConflictError`.
enum WriteConflict: String, Sendable {
    case file
    case folder
    case fileAncestor = "file_ancestor"
}

/// Why a write was refused: `files.WriteError`.
enum WriteError: APIUnion, Equatable {
    case malformedPath
    case conflict(WriteConflict)
    case noWritePermission
    case insufficientSpace
    case disallowedName
    case operationSuppressed
    case tooManyWriteOperations

    var json: JSONValue {
        switch self {
        case .malformedPath: .tag("malformed_path")
        case .conflict(let conflict): .tag("conflict", .tag(conflict.rawValue))
        case .noWritePermission: .tag("no_write_permission")
        case .insufficientSpace: .tag("insufficient_space")
        case .disallowedName: .tag("disallowed_name")
        case .operationSuppressed: .tag("operation_suppressed")
        case .tooManyWriteOperations: .tag("too_many_write_operations")
        }
    }
}

/// Why a deletion was refused: `files.DeleteError`.
enum DeleteError: APIUnion, Equatable {
    case pathLookup(LookupError)
    case pathWrite(WriteError)
    case tooManyWriteOperations

    var json: JSONValue {
        switch self {
        case .pathLookup(let error): .tag("path_lookup", error.json)
        case .pathWrite(let error): .tag("path_write", error.json)
        case .tooManyWriteOperations: .tag("too_many_write_operations")
        }
    }
}

/// Why a move or a copy was refused: `files.RelocationError`.
enum RelocationError: APIUnion, Equatable {
    case fromLookup(LookupError)
    case fromWrite(WriteError)
    case to(WriteError)
    case cantMoveFolderIntoItself
    case tooManyFiles
    case duplicatedOrNestedPaths
    case insufficientQuota

    var json: JSONValue {
        switch self {
        case .fromLookup(let error): .tag("from_lookup", error.json)
        case .fromWrite(let error): .tag("from_write", error.json)
        case .to(let error): .tag("to", error.json)
        case .cantMoveFolderIntoItself: .tag("cant_move_folder_into_itself")
        case .tooManyFiles: .tag("too_many_files")
        case .duplicatedOrNestedPaths: .tag("duplicated_or_nested_paths")
        case .insufficientQuota: .tag("insufficient_quota")
        }
    }
}

/// Why a revision was not restored: `files.RestoreError`.
enum RestoreError: APIUnion, Equatable {
    case pathLookup(LookupError)
    case pathWrite(WriteError)
    case invalidRevision

    var json: JSONValue {
        switch self {
        case .pathLookup(let error): .tag("path_lookup", error.json)
        case .pathWrite(let error): .tag("path_write", error.json)
        case .invalidRevision: .tag("invalid_revision")
        }
    }
}

extension JSONValue {
    /// The chain of tags of a union value, as `error_summary` shows it.
    var tagPath: [String] {
        guard let tag = self[".tag"]?.string else { return [] }
        var inner = self[tag]?.tagPath ?? []
        if inner.isEmpty, let reason = self["reason"] { inner = reason.tagPath }
        return [tag] + inner
    }
}
