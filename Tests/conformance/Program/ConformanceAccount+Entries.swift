// Listings, changes and jobs as one line each.

import DropboxAPIComplete

extension ConformanceAccount {
    /// An entry as `file a/b`, `folder a` or `deleted a`.
    func line(_ entry: Files.Metadata) -> String {
        switch entry {
        case .file(let file): "file \(name(file.pathLower))"
        case .folder(let folder): "folder \(name(folder.pathLower))"
        case .deleted(let deleted): "deleted \(name(deleted.pathLower))"
        case .unknown(let tag, _): tag
        }
    }

    /// All entries of a listing, page by page.
    func entries(
        _ name: String = "", recursive: Bool = false, deleted: Bool = false, limit: UInt32? = nil
    ) async throws -> [Files.Metadata] {
        let first = try await files.listFolder(
            path: path(name), recursive: recursive, includeDeleted: deleted, limit: limit)
        return try await rest(first)
    }

    /// A cursor for later changes of a folder.
    func cursor(_ name: String = "", recursive: Bool = true, deleted: Bool = false) async throws
        -> String
    {
        try await given {
            try await $0.files.listFolderGetLatestCursor(
                path: $0.path(name), recursive: recursive, includeDeleted: deleted
            ).cursor
        }
    }

    /// All changes since a cursor.
    func changes(_ cursor: String) async throws -> [Files.Metadata] {
        try await rest(try await files.listFolderContinue(cursor: cursor))
    }

    /// All changes since a cursor, in one line.
    func told(_ cursor: String) async throws -> Observation {
        Self.list(try await changes(cursor).map(line))
    }

    /// Texts in one line.
    static func list(_ texts: [String]) -> Observation {
        texts.isEmpty ? "nothing" : texts.joined(separator: ", ")
    }

    private func rest(_ first: Files.ListFolderResult) async throws -> [Files.Metadata] {
        var page = first
        var entries = page.entries
        while page.hasMore {
            page = try await files.listFolderContinue(cursor: page.cursor)
            entries += page.entries
        }
        return entries
    }

    // MARK: Jobs

    /// The results of a batch of deletions, when its job has ended.
    func results(_ launch: Files.DeleteBatchLaunch) async throws -> [Observation] {
        guard case .asyncJobID(let id) = launch else { return ["complete"] }
        for _ in 0..<100 {
            // A job of the service takes seconds, and each request counts towards the rate limit.
            switch try await files.deleteBatchCheck(asyncJobID: id) {
            case .inProgress: try await Task.sleep(for: .seconds(1))
            case .complete(let result):
                return result.entries.map { entry in
                    switch entry {
                    case .success(let data): line(data.metadata)
                    case .failure(let error): Self.tags(error)
                    case .unknown(let tag): tag
                    }
                }
            case .failed(let error): return ["failed \(error)"]
            case .unknown(let tag): return [tag]
            }
        }
        throw Unprepared(reason: "the job does not end")
    }

    /// The results of a batch of moves or copies, when its job has ended.
    func results(_ launch: Files.RelocationBatchV2Launch, copies: Bool) async throws
        -> [Observation]
    {
        let id: String
        switch launch {
        case .complete(let result): return lines(result)
        case .asyncJobID(let job): id = job
        case .unknown(let tag): return [tag]
        }
        for _ in 0..<100 {
            let status =
                copies
                ? try await files.copyBatchCheckV2(asyncJobID: id)
                : try await files.moveBatchCheckV2(asyncJobID: id)
            // As above.
            switch status {
            case .inProgress: try await Task.sleep(for: .seconds(1))
            case .complete(let result): return lines(result)
            case .unknown(let tag): return [tag]
            }
        }
        throw Unprepared(reason: "the job does not end")
    }

    private func lines(_ result: Files.RelocationBatchV2Result) -> [Observation] {
        result.entries.map { entry in
            switch entry {
            case .success(let metadata): line(metadata)
            case .failure(.relocationError(let error)): "relocation_error/" + error.tagPath
            case .failure(let error): "\(error)"
            case .unknown(let tag): tag
            }
        }
    }

    /// The tags of an error that is a value in a result.
    static func tags(_ error: some RouteError) -> Observation { error.tagPath }
}
