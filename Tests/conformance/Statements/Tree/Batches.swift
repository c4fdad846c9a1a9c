// Calls with many entries: their limits, their results, their jobs.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#uploads"

    static let batches: [Statement] = [
        .init(
            "delete-batch-of-one", "A batch of deletions is a job, also of a single one.",
            .recording("delete_batch/single_entry_success"), rule: place, expects: "job"
        ) { box in
            try await box.file("a")
            let launch = try await box.files.deleteBatch(entries: [.init(path: box.path("a"))])
            if case .asyncJobID = launch { return "job" }
            return "complete"
        },
        .init(
            "delete-batch-results", "Each deletion of a batch has its own result.",
            .recording("delete_batch_check/mixed_entries"), rule: place,
            expects: "file a, path_write/conflict/file, path_lookup/not_found"
        ) { box in
            try await box.file("a")
            try await box.file("b")
            let launch = try await box.files.deleteBatch(entries: [
                .init(path: box.path("a")),
                .init(path: box.path("b"), parentRev: "0123456789abcdef"),
                .init(path: box.path("c")),
            ])
            return ConformanceAccount.list(try await box.results(launch))
        },
        .init(
            "delete-batch-limit", "A batch has at most 1,000 deletions.", .files("DeleteBatchArg"),
            rule: place, expects: "400"
        ) { box in
            let entry = Files.DeleteArg(path: box.path("a"))
            _ = try await box.files.deleteBatch(entries: .init(repeating: entry, count: 1001))
            return "taken"
        },
        .init(
            "delete-batch-job", "A job that there is not is named so.",
            .recording("delete_batch_check/invalid_async_job_id"), rule: place,
            expects: "invalid_async_job_id"
        ) { box in "\(try await box.files.deleteBatchCheck(asyncJobID: unknownJob))" },
        .init(
            "copy-batch-job", "A job of copies that there is not is named so.",
            .recording("copy_batch_check/invalid_async_job_id"), rule: place,
            expects: "invalid_async_job_id"
        ) { box in "\(try await box.files.copyBatchCheckV2(asyncJobID: unknownJob))" },
        .init(
            "folder-batch-job", "A job of folders that there is not is named so.",
            .recording("create_folder_batch_check/invalid_async_job_id"), rule: place,
            expects: "invalid_async_job_id"
        ) { box in "\(try await box.files.createFolderBatchCheck(asyncJobID: unknownJob))" },
        .init(
            "move-batch-results", "Each move of a batch has its own result.",
            .files("move_batch:2"), rule: place,
            expects: "file c, relocation_error/from_lookup/not_found"
        ) { box in
            try await box.file("a")
            let launch = try await box.files.moveBatchV2(entries: [
                .init(fromPath: box.path("a"), toPath: box.path("c")),
                .init(fromPath: box.path("b"), toPath: box.path("d")),
            ])
            return ConformanceAccount.list(try await box.results(launch, copies: false))
        },
        .init(
            "move-batch-in-order", "The moves of a batch are made one after the other.",
            .assumption, rule: "docs/sync.md#order", expects: "file b, file c"
        ) { box in
            try await box.file("a")
            let launch = try await box.files.moveBatchV2(entries: [
                .init(fromPath: box.path("a"), toPath: box.path("b")),
                .init(fromPath: box.path("b"), toPath: box.path("c")),
            ])
            return ConformanceAccount.list(try await box.results(launch, copies: false))
        },
        .init(
            "copy-batch-of-one", "A batch of copies is a job, also of a single one.",
            .recording("copy_batch/success"), rule: place, expects: "job"
        ) { box in
            try await box.file("a")
            let launch = try await box.files.copyBatchV2(entries: [
                .init(fromPath: box.path("a"), toPath: box.path("b"))
            ])
            if case .asyncJobID = launch { return "job" }
            return "complete"
        },
        .init(
            "copy-batch-results", "Each copy of a batch has its own result.",
            .recording("copy_batch_check/complete"), rule: place,
            expects: "folder e, file c, relocation_error/to/conflict/file"
        ) { box in
            try await box.file("a", "one")
            try await box.file("b", "two")
            try await box.makeFolder("d")
            let launch = try await box.files.copyBatchV2(entries: [
                .init(fromPath: box.path("d"), toPath: box.path("e")),
                .init(fromPath: box.path("a"), toPath: box.path("c")),
                .init(fromPath: box.path("a"), toPath: box.path("b")),
            ])
            return ConformanceAccount.list(try await box.results(launch, copies: true))
        },
        .init(
            "move-batch-of-none", "A batch of moves is not empty.",
            .files("RelocationBatchArgBase"), rule: place, expects: "400"
        ) { box in
            _ = try await box.files.moveBatchV2(entries: [])
            return "taken"
        },
        .init(
            "move-batch-limit", "A batch has at most 1,000 moves.",
            .files("RelocationBatchArgBase"), rule: place, expects: "400"
        ) { box in
            let entry = Files.RelocationPath(fromPath: box.path("a"), toPath: box.path("b"))
            _ = try await box.files.moveBatchV2(entries: .init(repeating: entry, count: 1001))
            return "taken"
        },
        .init(
            "copy-batch-limit", "A batch has at most 1,000 copies.",
            .files("RelocationBatchArgBase"), rule: place, expects: "400"
        ) { box in
            let entry = Files.RelocationPath(fromPath: box.path("a"), toPath: box.path("b"))
            _ = try await box.files.copyBatchV2(entries: .init(repeating: entry, count: 1001))
            return "taken"
        },
        .init(
            "folder-batch", "A small batch of folders is answered at once.",
            .recording("create_folder_batch/synchronous_result_success"), rule: place,
            expects: "d, e"
        ) { try await folders($0, ["d", "e"]) },
        .init(
            "folder-batch-forced", "A batch of folders is a job on demand.",
            .recording("create_folder_batch/force_async_true"), rule: place, expects: "job"
        ) { try await folders($0, ["d", "e"], forceAsync: true) },
        .init(
            "folder-batch-of-100", "A batch of 100 folders is a job.",
            .recording("create_folder_batch/large_entries"), rule: place, expects: "job"
        ) { try await folders($0, (0..<100).map { "d\($0)" }) },
        .init(
            "folder-batch-conflict", "Each folder of a batch has its own result.",
            .recording("create_folder_batch/conflict_error"), rule: place,
            expects: "path/conflict/folder, e"
        ) { box in
            try await box.makeFolder("d")
            return try await folders(box, ["d", "e"])
        },
        .init(
            "folder-batch-duplicates", "A path that is twice in a batch is made once.",
            .recording("create_folder_batch/autorename_true"), rule: place,
            expects: "d (1), d (1)"
        ) { box in
            try await box.makeFolder("d")
            return try await folders(box, ["d", "d"], autorename: true)
        },
        .init(
            "folder-batch-limit", "A batch has at most 10,000 folders.",
            .files("CreateFolderBatchArg"), rule: place, expects: "400"
        ) { try await folders($0, .init(repeating: "d", count: 10_001)) },
        .init(
            "start-batch-limit", "At most 1,000 sessions are started at once.",
            .files("UploadSessionStartBatchArg"), rule: place, expects: "400"
        ) { "\(try await $0.files.uploadSessionStartBatch(numSessions: 1001).sessionIDs.count)" },
        .init(
            "append-batch", "Pieces of several sessions share a body.",
            .files("upload_session/append_batch"), rule: place, expects: "success, incorrect_offset"
        ) { box in
            let ids = [try await started(box, ""), try await started(box, "")]
            return try await appended(
                box,
                [
                    .init(cursor: .init(sessionID: ids[0], offset: 0), length: 3),
                    .init(cursor: .init(sessionID: ids[1], offset: 9), length: 3),
                ], "onetwo")
        },
        .init(
            "append-batch-length", "The lengths of the pieces have to make up the body.",
            .files("UploadSessionAppendBatchError"), rule: place, expects: "length_mismatch"
        ) { box in
            let id = try await started(box, "")
            return try await appended(
                box, [.init(cursor: .init(sessionID: id, offset: 0), length: 3)], "four")
        },
        .init(
            "append-batch-of-501", "A batch may have more than 500 pieces.",
            .files("UploadSessionAppendBatchArg"), rule: place, expects: "taken"
        ) { try await many($0, 501) },
        .init(
            "append-batch-limit", "A batch has at most 1,000 pieces.",
            .files("UploadSessionAppendBatchArg"), rule: place, expects: "400"
        ) { try await many($0, 1001) },
        .init(
            "finish-batch-results", "Each commit of a batch has its own result.",
            .files("upload_session/finish_batch:2"), rule: place,
            expects: "file a, path/conflict/file, lookup_failed/not_closed, lookup_failed/not_found"
        ) { box in
            try await box.file("b", "other")
            let ids = [
                try await started(box, "one", close: true),
                try await started(box, "two", close: true), try await started(box, "six"),
                "INVALID_CURSOR",
            ]
            return try await finished(box, zip(ids, ["a", "b", "c", "d"]).map { $0 })
        },
        .init(
            "finish-batch-limit", "A batch has at most 1,000 commits.",
            .files("UploadSessionFinishBatchArg"), rule: place, expects: "400"
        ) { try await finished($0, .init(repeating: ("INVALID_CURSOR", "a"), count: 1001)) },
    ]

    private static let unknownJob =
        "dbjid:AAA8ixe2PLtuFEtS216inFdIa5J8PM5f8c9IcRimbLVqQ-0-bzq0yFEv1yu4UeCSUyZqQn80SjL5cbY-Ow9RBNQT"

    private static func folders(
        _ box: ConformanceAccount, _ names: [String], autorename: Bool = false,
        forceAsync: Bool = false
    ) async throws -> Observation {
        let launch = try await box.files.createFolderBatch(
            paths: names.map(box.path), autorename: autorename, forceAsync: forceAsync)
        guard case .complete(let result) = launch else { return "job" }
        guard result.entries.count < 10 else { return "\(result.entries.count) at once" }
        return ConformanceAccount.list(
            result.entries.map { entry in
                switch entry {
                case .success(let made): made.metadata.name
                case .failure(.path(let error)): "path/" + tags(error)
                case .failure(let error): "\(error)"
                case .unknown(let tag): tag
                }
            })
    }

    private static func appended(
        _ box: ConformanceAccount, _ entries: [Files.UploadSessionAppendBatchArgEntry],
        _ text: String
    ) async throws -> Observation {
        let result = try await box.files.uploadSessionAppendBatch(
            entries: entries, body: BytesBody(Array(text.utf8)))
        return ConformanceAccount.list(
            result.entries.map { entry in
                switch entry {
                case .success: "success"
                case .failure(let error): tags(error)
                case .unknown(let tag): tag
                }
            })
    }

    /// Appends one byte to each of many sessions.
    private static func many(
        _ box: ConformanceAccount, _ count: Int
    ) async throws -> Observation {
        let argument = (0..<count).map { _ in
            #"{"cursor":{"session_id":"x","offset":0},"length":1}"#
        }.joined(separator: ",")
        let reply = try await box.content(
            "files/upload_session/append_batch", #"{"entries":[\#(argument)]}"#,
            text: String(repeating: "x", count: count))
        return reply.status == 200 ? "taken" : "\(reply.status)"
    }

    private static func finished(
        _ box: ConformanceAccount, _ commits: [(session: String, name: String)]
    ) async throws -> Observation {
        let result = try await box.files.uploadSessionFinishBatchV2(
            entries: commits.map { commit in
                .init(
                    cursor: .init(sessionID: commit.session, offset: 3),
                    commit: .init(path: box.path(commit.name)))
            })
        return ConformanceAccount.list(
            result.entries.map { entry in
                switch entry {
                case .success(let file): "file \(box.name(file.pathLower))"
                case .failure(let error): tags(error)
                case .unknown(let tag): tag
                }
            })
    }

    /// The tags of a union, as the server writes them.
    private static func tags(_ error: some Encodable) -> Observation {
        Tags.of(error)
    }
}
