// Upload sessions whose pieces come in any order.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#uploads"
    private static let block: UInt64 = 4 << 20

    static let concurrentSessions: [Statement] = [
        .init(
            "concurrent-start-with-data", "A concurrent session starts without bytes.",
            .files("UploadSessionStartError"), rule: place,
            expects: "concurrent_session_data_not_allowed"
        ) { box in
            _ = try await box.files.uploadSessionStart(
                sessionType: .concurrent, body: BytesBody([1]))
            return "started"
        },
        .init(
            "concurrent-start-closed", "A concurrent session is not closed at its start.",
            .files("UploadSessionStartError"), rule: place,
            expects: "concurrent_session_close_not_allowed"
        ) { box in
            _ = try await box.files.uploadSessionStart(
                close: true, sessionType: .concurrent, body: BytesBody([]))
            return "started"
        },
        .init(
            "concurrent-any-order", "Pieces of a concurrent session come in any order.",
            .files("upload_session/start"), rule: place, expects: "4194309 bytes"
        ) { box in
            let id = try await started(box)
            try await append(box, id, block, 5, close: true)
            try await append(box, id, 0, block)
            return try await finish(box, id, block + 5)
        },
        .init(
            "concurrent-offset", "Pieces begin at multiples of 4 MiB.",
            .files("UploadSessionLookupError"), rule: place,
            expects: "concurrent_session_invalid_offset"
        ) { box in
            let id = try await started(box)
            try await append(box, id, 5, 5, close: true)
            return "appended"
        },
        .init(
            "concurrent-size", "Pieces have multiples of 4 MiB, but for the one that closes.",
            .files("UploadSessionLookupError"), rule: place,
            expects: "concurrent_session_invalid_data_size"
        ) { box in
            let id = try await started(box)
            try await append(box, id, 0, 5)
            return "appended"
        },
        .init(
            "concurrent-missing-piece", "A session with a gap is not finished.",
            .files("UploadSessionFinishError"), rule: place,
            expects: "concurrent_session_missing_data"
        ) { box in
            let id = try await started(box)
            try await box.given { try await append($0, id, block, 5, close: true) }
            return try await finish(box, id, block + 5)
        },
        .init(
            "concurrent-not-closed", "A concurrent session is finished only when it is closed.",
            .files("UploadSessionFinishError"), rule: place,
            expects: "concurrent_session_not_closed"
        ) { box in
            let id = try await started(box)
            try await box.given { try await append($0, id, 0, block) }
            return try await finish(box, id, block)
        },
        .init(
            "concurrent-finish-with-data", "The finish of a concurrent session takes no bytes.",
            .files("UploadSessionFinishError"), rule: place,
            expects: "concurrent_session_data_not_allowed"
        ) { box in
            let id = try await started(box)
            try await box.given { try await append($0, id, 0, 5, close: true) }
            return try await finish(box, id, 5, data: [1])
        },
        .init(
            "concurrent-piece-after-close",
            "A piece that comes after the closing one is taken if it lies before its end.",
            .assumption, rule: place, expects: "appended"
        ) { box in
            let id = try await started(box)
            try await box.given { try await append($0, id, block, 5, close: true) }
            try await append(box, id, 0, block)
            return "appended"
        },
        .init(
            "concurrent-same-piece", "A piece that is sent again replaces the same bytes.",
            .assumption, rule: "docs/sync.md#lost-responses", expects: "4194309 bytes"
        ) { box in
            let id = try await started(box)
            try await append(box, id, 0, block)
            try await append(box, id, 0, block)
            try await append(box, id, block, 5, close: true)
            return try await finish(box, id, block + 5)
        },
        .init(
            "concurrent-too-large", "A file has at most 2^41 - 2^22 bytes.",
            .files("UploadSessionLookupError"), rule: place, expects: "too_large"
        ) { box in
            let id = try await started(box)
            try await append(box, id, 1 << 41, 5, close: true)
            return "appended"
        },
        .init(
            "concurrent-in-batch", "Concurrent sessions are started many at a time.",
            .files("UploadSessionStartBatchArg"), rule: place, expects: "3 sessions"
        ) { box in
            let sessions = try await box.files.uploadSessionStartBatch(
                numSessions: 3, sessionType: .concurrent
            ).sessionIDs
            return "\(Set(sessions).count) sessions"
        },
    ]

    private static func started(_ box: ConformanceAccount) async throws -> String {
        try await box.given {
            try await $0.files.uploadSessionStart(sessionType: .concurrent, body: BytesBody([]))
                .sessionID
        }
    }

    private static func append(
        _ box: ConformanceAccount, _ id: String, _ offset: UInt64, _ length: UInt64,
        close: Bool = false
    ) async throws {
        try await box.files.uploadSessionAppendV2(
            cursor: .init(sessionID: id, offset: offset), close: close,
            body: BytesBody([UInt8](repeating: 7, count: Int(length))))
    }

    /// Finishes a session; returns the file's size.
    private static func finish(
        _ box: ConformanceAccount, _ id: String, _ size: UInt64, data: [UInt8] = []
    ) async throws -> Observation {
        let file = try await box.files.uploadSessionFinish(
            cursor: .init(sessionID: id, offset: size), commit: .init(path: box.path("a")),
            body: BytesBody(data))
        return "\(file.size) bytes"
    }
}
