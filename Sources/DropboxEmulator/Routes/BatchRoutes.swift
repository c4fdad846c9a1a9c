// Batch routes, with a separate result for each entry.

extension Routes {
    /// The route for the status of jobs that a function launched.
    static func job(of function: String) -> Route {
        Route(scope: Scope.writeContent) { call in
            let id = try call.arguments { reader throws(ArgumentError) in
                try reader.string("async_job_id", length: 1...Int.max)
            }
            guard let status = call.emulator.jobs.poll(id, of: function) else {
                throw RouteFailure.route(.tag("invalid_async_job_id"))
            }
            return .json(status)
        }
    }

    /// Responds with a result, or with a job that holds it.
    static func launch(
        _ call: Call, entries: [JSONValue], isAsynchronous: Bool
    ) -> RouteResponse {
        let result: JSONValue = ["entries": .array(entries)]
        guard isAsynchronous else { return .json(.tagged("complete", result)) }
        let id = call.emulator.jobs.add(
            call.function, result: result, polls: call.emulator.settings.jobPolls)
        return .json(.tag("async_job_id", .string(id)))
    }

    /// `files/create_folder_batch`: creates several folders.
    static func createFolderBatch(_ call: Call) async throws -> RouteResponse {
        let (paths, autorename, isForced) = try call.arguments {
            reader throws(ArgumentError) -> ([String], Bool, Bool) in
            (
                try reader.list("paths", count: 0...10_000) { value, place throws(ArgumentError) in
                    try ArgumentReader.path(value, .writePath, at: place)
                },
                try reader.boolean("autorename", default: false),
                try reader.boolean("force_async", default: false)
            )
        }
        var seen: [String: JSONValue] = [:]
        let entries = try paths.map { path -> JSONValue in
            // "Duplicate path arguments in the batch are considered only once."
            if let known = seen[path] { return known }
            let entry: JSONValue
            do {
                let folder = try call.createFolder(path, autorename: autorename)
                entry = .tagged("success", ["metadata": folder])
            } catch let error as WriteError {
                entry = .tag("failure", .tag("path", error.json))
            }
            seen[path] = entry
            return entry
        }
        let isLarge = paths.count > call.emulator.settings.synchronousBatch
        return launch(call, entries: entries, isAsynchronous: isForced || isLarge)
    }

    /// `files/delete_batch`, which is always asynchronous.
    static func deleteBatch(_ call: Call) async throws -> RouteResponse {
        let deletions = try call.arguments { reader throws(ArgumentError) in
            try reader.structs("entries", count: 0...1000) { entry throws(ArgumentError) in
                try entry.deletion()
            }
        }
        let entries = try deletions.map { path, parentRev -> JSONValue in
            do {
                let entry = try call.delete(path, parentRev: parentRev)
                return .tagged("success", ["metadata": entry])
            } catch let error as DeleteError {
                return .tag("failure", error.json)
            }
        }
        return launch(call, entries: entries, isAsynchronous: true)
    }

    /// `files/move_batch_v2`: moves files and folders.
    static func moveBatch(_ call: Call) async throws -> RouteResponse {
        try relocationBatch(call, copies: false)
    }

    /// `files/copy_batch_v2`: copies files and folders.
    static func copyBatch(_ call: Call) async throws -> RouteResponse {
        try relocationBatch(call, copies: true)
    }

    private static func relocationBatch(_ call: Call, copies: Bool) throws -> RouteResponse {
        let relocations = try call.arguments { reader throws(ArgumentError) -> [Relocation] in
            let autorename = try reader.boolean("autorename", default: false)
            if !copies { _ = try reader.boolean("allow_ownership_transfer", default: false) }
            return try reader.structs("entries", count: 1...1000) { entry throws(ArgumentError) in
                try entry.relocation(base: call.base, autorename: autorename, copies: copies)
            }
        }
        let entries = try relocations.map { relocation -> JSONValue in
            do {
                return .tag("success", try call.relocate(relocation))
            } catch RelocationError.to(.tooManyWriteOperations) {
                return .tag("failure", .tag("too_many_write_operations"))
            } catch let error as RelocationError {
                return .tag("failure", .tag("relocation_error", error.json))
            }
        }
        let isLarge = relocations.count > call.emulator.settings.synchronousBatch
        // A batch with a single copy was recorded to be a job (github.com/Jesus/dropbox_api).
        return launch(call, entries: entries, isAsynchronous: copies || isLarge)
    }
}
