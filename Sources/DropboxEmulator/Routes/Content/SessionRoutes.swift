// Upload sessions, single and in batches.

extension Routes {
    /// `files/upload_session/start`: begins a session, with its first bytes.
    static func startSession(_ call: Call) async throws -> RouteResponse {
        let (closes, isConcurrent, announced) = try call.arguments {
            reader throws(ArgumentError) -> (Bool, Bool, ContentDigest?) in
            (
                try reader.boolean("close", default: false),
                try reader.isConcurrent("session_type"), try reader.optionalHash("content_hash")
            )
        }
        let space = call.space
        let file = try space.content.makeIncoming()
        defer { space.content.discard(file.path) }
        let received = try await BodyReceiver(file: file).receive(call.body)
        try ContentHashMismatch.check(received, announced)
        if isConcurrent {
            guard received.size == 0 else {
                throw RouteFailure.route(.tag("concurrent_session_data_not_allowed"))
            }
            guard !closes else {
                throw RouteFailure.route(.tag("concurrent_session_close_not_allowed"))
            }
        }
        let session = try space.startSession(isConcurrent: isConcurrent, isClosed: false)
        if !isConcurrent {
            try space.content.keep(file.path, asSession: session)
            try space.apply(
                .append(
                    session: session, offset: 0, length: received.size, closes: closes,
                    digests: []))
            space.hashes.remember(received.hasher, of: session, size: received.size)
        }
        return .json(["session_id": .string(session)])
    }

    /// `files/upload_session/start_batch`: begins several empty sessions.
    static func startSessions(_ call: Call) async throws -> RouteResponse {
        let (isConcurrent, count) = try call.arguments {
            reader throws(ArgumentError) -> (Bool, Int64) in
            (
                try reader.isConcurrent("session_type"),
                try reader.integer("num_sessions", in: 1...1000)
            )
        }
        let ids = try (0..<count).map { _ in
            try call.space.startSession(isConcurrent: isConcurrent, isClosed: false)
        }
        return .json(["session_ids": .array(ids.map { .string($0) })])
    }

    /// `files/upload_session/append_v2`: adds a piece to a session.
    static func append(_ call: Call) async throws -> RouteResponse {
        let (cursor, closes, announced) = try call.arguments {
            reader throws(ArgumentError) -> ((session: String, offset: Int64), Bool, ContentDigest?)
            in
            (
                try reader.sessionCursor("cursor"), try reader.boolean("close", default: false),
                try reader.optionalHash("content_hash")
            )
        }
        _ = try await call.space.append(
            call.body, to: cursor.session, offset: cursor.offset, closes: closes,
            announced: announced)
        return .json(.null)
    }

    /// `files/upload_session/finish`: stores the content of a session as a file.
    static func finish(_ call: Call) async throws -> RouteResponse {
        let (cursor, commit, announced) = try call.arguments {
            reader throws(ArgumentError) in try finishArguments(&reader, base: call.base)
        }
        let space = call.space
        let metadata: FileMetadata
        do {
            let added = try await appendLast(
                call, session: cursor.session, offset: cursor.offset, announced: announced)
            metadata = try await space.finish(
                cursor.session, offset: cursor.offset + added, commit: commit.commit,
                isBatch: false)
        } catch {
            throw finishFailure(error)
        }
        try call.attach(commit.properties, to: metadata.id)
        return .json(call.presented(metadata.json))
    }

    /// Appends the body of a `finish` to its session, if there is one. It stays there even if the
    /// commit fails; the commit is then to be retried without a body.
    private static func appendLast(
        _ call: Call, session: String, offset: Int64, announced: ContentDigest?
    ) async throws -> Int64 {
        let space = call.space
        let isConcurrent = try space.read { state throws(UploadSessionError) in
            guard let session = state.session(session, at: .now()) else { throw .notFound }
            return session.isConcurrent
        }
        let file = try space.content.makeIncoming()
        defer { space.content.discard(file.path) }
        // The body of a finish is usually short: it is received into a separate file, because a
        // closed session and a concurrent one may accept none at all.
        let received = try await BodyReceiver(file: file).receive(call.body)
        try ContentHashMismatch.check(received, announced)
        guard received.size > 0 else { return 0 }
        guard !isConcurrent else {
            throw RouteFailure.route(.tag("concurrent_session_data_not_allowed"))
        }
        try await space.append(received, in: file, to: session, offset: offset, closes: false)
        return received.size
    }

    /// An error of any step of a commit, as a `UploadSessionFinishError`.
    private static func finishFailure(_ error: any Error) -> any Error {
        switch error {
        case let error as UploadSessionError: RouteFailure.route(error.finishJSON)
        case let error as WriteError: RouteFailure.route(.tag("path", error.json))
        default: error
        }
    }

    private static func finishArguments(
        _ reader: inout ArgumentReader, base: NodeID
    ) throws(ArgumentError) -> (
        cursor: (session: String, offset: Int64), commit: CommitArguments, hash: ContentDigest?
    ) {
        let cursor = try reader.sessionCursor("cursor")
        let commit = try CommitArguments(
            try reader.require("commit"), at: reader.at("commit"), base: base)
        return (cursor, commit, try reader.optionalHash("content_hash"))
    }

    // MARK: Batches

    /// `files/upload_session/append_batch`: adds pieces to several sessions.
    static func appendBatch(_ call: Call) async throws -> RouteResponse {
        let (pieces, announced) = try call.arguments {
            reader throws(ArgumentError) -> ([AppendPiece], ContentDigest?) in
            let pieces = try reader.structs("entries", count: 0...call.space.conduct.maximumAppends)
            {
                entry throws(ArgumentError) in try AppendPiece(&entry)
            }
            return (pieces, try reader.optionalHash("content_hash"))
        }
        let space = call.space
        let file = try space.content.makeIncoming()
        defer { space.content.discard(file.path) }
        let received = try await BodyReceiver(file: file).receive(call.body)
        try ContentHashMismatch.check(received, announced)
        guard pieces.reduce(Int64(0), { $0 &+ $1.length }) == received.size else {
            throw RouteFailure.route(.tag("length_mismatch"))
        }
        var start: Int64 = 0
        var results: [JSONValue] = []
        for piece in pieces {
            do {
                try await space.append(piece, from: start, of: file)
                results.append(.tag("success"))
            } catch let error as UploadSessionError {
                results.append(.tag("failure", error.json))
            }
            start += piece.length
        }
        return .json(["entries": .array(results)])
    }

    /// `files/upload_session/finish_batch`: stores several files, as a job.
    static func finishBatch(_ call: Call) async throws -> RouteResponse {
        launch(call, entries: try await finishAll(call), isAsynchronous: true)
    }

    /// `files/upload_session/finish_batch_v2`: stores several files, and waits for them.
    static func finishBatchV2(_ call: Call) async throws -> RouteResponse {
        .json(["entries": .array(try await finishAll(call))])
    }

    private static func finishAll(_ call: Call) async throws -> [JSONValue] {
        let entries = try call.arguments { reader throws(ArgumentError) in
            try reader.structs("entries", count: 0...1000) { entry throws(ArgumentError) in
                try finishArguments(&entry, base: call.base)
            }
        }
        var results: [JSONValue] = []
        for entry in entries {
            do {
                let metadata = try await call.space.finish(
                    entry.cursor.session, offset: entry.cursor.offset,
                    commit: entry.commit.commit, isBatch: true)
                try call.attach(entry.commit.properties, to: metadata.id)
                results.append(.tagged("success", call.presented(metadata.json)))
            } catch {
                results.append(try failure(error))
            }
        }
        return results
    }

    private static func failure(_ error: any Error) throws -> JSONValue {
        switch error {
        case WriteError.tooManyWriteOperations:
            return .tag("failure", .tag("too_many_write_operations"))
        case let error as UploadSessionError: return .tag("failure", error.finishJSON)
        case let error as WriteError: return .tag("failure", .tag("path", error.json))
        case let error as any APIUnion: return .tag("failure", error.json)
        default: throw error
        }
    }
}
