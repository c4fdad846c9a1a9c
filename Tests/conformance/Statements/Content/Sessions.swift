// Upload sessions whose bytes come in order, one after the other.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#uploads"

    static let sessions: [Statement] = [
        .init(
            "session-pieces", "Pieces of a sequential session may have any size.",
            .recording("upload_session_append_v2/success"), rule: place, expects: "123456789Hello"
        ) { box in
            let id = try await started(box, "123456789")
            try await append(box, id, 9, "Hello")
            return try await finish(box, id, 14)
        },
        .init(
            "session-offset", "An append at a wrong offset is told the right one.",
            .recording("upload_session_append_v2/offset_error"),
            rule: "docs/sync.md#lost-responses",
            expects: "incorrect_offset 9"
        ) { box in
            let id = try await started(box, "123456789")
            do {
                try await append(box, id, 42, "Hello")
                return "appended"
            } catch let error as CallError<Files.UploadSessionAppendError> {
                guard case .incorrectOffset(let right) = error.routeError else { throw error }
                return "incorrect_offset \(right.correctOffset)"
            }
        },
        .init(
            "session-append-twice", "A repeated append is refused by its offset.",
            .files("UploadSessionLookupError"), rule: "docs/sync.md#lost-responses",
            expects: "incorrect_offset"
        ) { box in
            let id = try await started(box, "one")
            try await box.given { try await append($0, id, 3, "two") }
            try await append(box, id, 3, "two")
            return "appended"
        },
        .init(
            "session-unknown", "A session that there is not is not found.",
            .recording("upload_session_append_v2/not_found"), rule: place, expects: "not_found"
        ) { box in
            try await append(box, "INVALID_CURSOR", 0, "Hello")
            return "appended"
        },
        .init(
            "session-closed", "Nothing is appended to a session that is closed.",
            .files("UploadSessionLookupError"), rule: place, expects: "closed"
        ) { box in
            let id = try await started(box, "one", close: true)
            try await append(box, id, 3, "two")
            return "appended"
        },
        .init(
            "session-finish-open", "A sequential session is finished without being closed.",
            .recording("upload_session_finish/success"), rule: place, expects: "one"
        ) { try await finish($0, try await started($0, "one"), 3) },
        .init(
            "session-finish-closed", "A sequential session that is closed is finished, too.",
            .files("UploadSessionStartArg"), rule: place, expects: "one"
        ) { try await finish($0, try await started($0, "one", close: true), 3) },
        .init(
            "session-finish-with-data", "A finish takes the last bytes.",
            .files("upload_session/finish"), rule: place, expects: "onetwo"
        ) { try await finish($0, try await started($0, "one"), 3, "two") },
        .init(
            "session-of-nothing", "A session without bytes becomes an empty file.",
            .recording("chunked_uploader/success_with_empty_string"), rule: place, expects: ""
        ) { try await finish($0, try await started($0, ""), 0) },
        .init(
            "session-finish-offset", "A finish at a wrong offset is refused.",
            .issue("kunalvarma05/dropbox-php-sdk", 2), rule: "docs/sync.md#lost-responses",
            expects: "lookup_failed/incorrect_offset"
        ) { try await finish($0, try await started($0, "one"), 2) },
        .init(
            "session-finish-conflict", "A finish can conflict as an upload does.",
            .files("UploadSessionFinishError"), rule: "docs/semantics.md#conflicts",
            expects: "path/conflict/file"
        ) { box in
            try await box.file("a", "other")
            return try await finish(box, try await started(box, "one"), 3)
        },
        .init(
            "session-after-conflict",
            "After a finish that conflicted the session has its last bytes.",
            .files("UploadSessionFinishError"), rule: "docs/sync.md#lost-responses",
            expects: "onetwo"
        ) { box in
            let id = try await conflicted(box)
            return try await finish(box, id, 6, at: "b")
        },
        .init(
            "session-after-conflict-again",
            "The same finish, sent again, is refused by its offset.",
            .files("UploadSessionFinishError"), rule: "docs/sync.md#lost-responses",
            expects: "lookup_failed/incorrect_offset"
        ) { box in
            let id = try await conflicted(box)
            return try await finish(box, id, 3, "two", at: "b")
        },
        .init(
            "session-finish-twice", "A session is gone once it is finished.", .assumption,
            rule: "docs/sync.md#lost-responses", expects: "lookup_failed/not_found"
        ) { box in
            let id = try await started(box, "one")
            _ = try await box.given { try await finish($0, id, 3) }
            return try await finish(box, id, 3, at: "b")
        },
        .init(
            "session-start-hash", "The hash of a start is compared with its bytes.",
            .files("UploadSessionStartArg"), rule: place, expects: "content_hash_mismatch"
        ) { box in
            _ = try await box.files.uploadSessionStart(contentHash: wrongHash, body: BytesBody([1]))
            return "started"
        },
        .init(
            "session-append-hash", "The hash of an append is compared with its bytes.",
            .files("UploadSessionAppendArg"), rule: place, expects: "content_hash_mismatch"
        ) { box in
            let id = try await started(box, "one")
            try await box.files.uploadSessionAppendV2(
                cursor: .init(sessionID: id, offset: 3), contentHash: wrongHash,
                body: BytesBody([1]))
            return "appended"
        },
        .init(
            "session-append-hash-refused", "An append that was refused for its hash left nothing.",
            .files("UploadSessionAppendArg"), rule: place, expects: "onetwo"
        ) { box in
            let id = try await started(box, "one")
            _ = try? await box.files.uploadSessionAppendV2(
                cursor: .init(sessionID: id, offset: 3), contentHash: wrongHash,
                body: BytesBody([1]))
            try await append(box, id, 3, "two")
            return try await finish(box, id, 6)
        },
        .init(
            "session-finish-hash", "The hash of a finish is compared with its bytes.",
            .files("UploadSessionFinishArg"), rule: place, expects: "content_hash_mismatch"
        ) { box in
            let id = try await started(box, "one")
            _ = try await box.files.uploadSessionFinish(
                cursor: .init(sessionID: id, offset: 3), commit: .init(path: box.path("a")),
                contentHash: wrongHash, body: BytesBody([1]))
            return "finished"
        },
    ]

    static let wrongHash = ContentHash(hex: String(repeating: "0", count: 64))

    /// A session that is there before the question.
    static func started(
        _ box: ConformanceAccount, _ text: String, close: Bool = false
    ) async throws -> String {
        try await box.given {
            try await $0.files.uploadSessionStart(close: close, body: BytesBody(Array(text.utf8)))
                .sessionID
        }
    }

    private static func append(
        _ box: ConformanceAccount, _ id: String, _ offset: UInt64, _ text: String
    ) async throws {
        try await box.files.uploadSessionAppendV2(
            cursor: .init(sessionID: id, offset: offset), body: BytesBody(Array(text.utf8)))
    }

    /// Finishes a session; returns the file's content.
    private static func finish(
        _ box: ConformanceAccount, _ id: String, _ offset: UInt64, _ text: String = "",
        at name: String = "a"
    ) async throws -> Observation {
        _ = try await box.files.uploadSessionFinish(
            cursor: .init(sessionID: id, offset: offset), commit: .init(path: box.path(name)),
            body: BytesBody(Array(text.utf8)))
        return try await box.text(name)
    }

    /// A session whose finish, with the last three bytes, has met a file.
    private static func conflicted(_ box: ConformanceAccount) async throws -> String {
        try await box.file("a", "other")
        let id = try await started(box, "one")
        do {
            _ = try await finish(box, id, 3, "two")
        } catch is CallError<Files.UploadSessionFinishError> {
            return id
        }
        throw Unprepared(reason: "the first finish did not conflict")
    }
}
