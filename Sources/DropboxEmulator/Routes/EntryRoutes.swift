// Routes that create, delete, move, copy and restore one entry.

extension Routes {
    /// `files/create_folder_v2`: creates a folder.
    static func createFolder(_ call: Call) async throws -> RouteResponse {
        let (path, autorename) = try call.arguments {
            reader throws(ArgumentError) -> (String, Bool) in
            (
                try reader.path("path", .writePath),
                try reader.boolean("autorename", default: false)
            )
        }
        do {
            let folder = try call.createFolder(path, autorename: autorename)
            return .json(["metadata": folder])
        } catch let error as WriteError {
            throw RouteFailure.route(.tag("path", error.json))
        }
    }

    /// `files/delete_v2`: deletes a file, or a folder with its contents.
    static func delete(_ call: Call) async throws -> RouteResponse {
        let (path, parentRev) = try call.arguments {
            reader throws(ArgumentError) -> (String, String?) in
            try reader.deletion()
        }
        return .json(["metadata": try call.delete(path, parentRev: parentRev)])
    }

    /// `files/move_v2`: moves a file or a folder.
    static func move(_ call: Call) async throws -> RouteResponse {
        try relocate(call, copies: false)
    }

    /// `files/copy_v2`: copies a file or a folder.
    static func copy(_ call: Call) async throws -> RouteResponse {
        try relocate(call, copies: true)
    }

    private static func relocate(_ call: Call, copies: Bool) throws -> RouteResponse {
        let relocation = try call.arguments { reader throws(ArgumentError) -> Relocation in
            _ = try reader.boolean("allow_shared_folder", default: false)
            let autorename = try reader.boolean("autorename", default: false)
            _ = try reader.boolean("allow_ownership_transfer", default: false)
            return try reader.relocation(base: call.base, autorename: autorename, copies: copies)
        }
        return .json(["metadata": try call.relocate(relocation)])
    }

    /// `files/restore`: makes a revision the current one of its file.
    static func restore(_ call: Call) async throws -> RouteResponse {
        let (path, rev) = try call.arguments { reader throws(ArgumentError) -> (String, String) in
            (
                try reader.path("path", .writePath),
                try ArgumentReader.rev(try reader.require("rev"), at: "rev")
            )
        }
        let file = try call.apply(.restore(path: path, rev: rev, base: call.base)) { state, node in
            node.flatMap { state.tree[$0].revision }.map {
                state.tree.fileMetadata(of: $0, from: call.base).json
            }
        }
        return .json(call.presented(file ?? .null))
    }
}

extension ArgumentReader {
    /// Takes the fields of a `DeleteArg`.
    mutating func deletion() throws(ArgumentError) -> (String, String?) {
        (try path("path", .writePathOrID), try optionalRev("parent_rev"))
    }
}

extension Call {
    /// Creates a folder; returns its metadata without a tag.
    func createFolder(_ path: String, autorename: Bool) throws -> JSONValue {
        let folder = try apply(.createFolder(path: path, autorename: autorename, base: base)) {
            state, node in
            node.map { state.tree.folderMetadata(of: $0, from: base).json }
        }
        return presented(folder ?? .null)
    }

    /// Deletes an entry; returns its metadata.
    func delete(_ path: String, parentRev: String?) throws -> JSONValue {
        let entry = try apply(.delete(path: path, parentRev: parentRev, base: base)) {
            state, node in
            node.map { state.tree.metadata(of: $0, from: base).json }
        }
        return presented(entry ?? .null)
    }

    /// Moves or copies an entry; returns its metadata at the target.
    func relocate(_ relocation: Relocation) throws -> JSONValue {
        let entry = try apply(.relocate(relocation)) { state, node in
            node.map { state.tree.metadata(of: $0, from: base).json }
        }
        return presented(entry ?? .null)
    }
}
