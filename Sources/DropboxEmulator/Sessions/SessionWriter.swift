// Appends data to upload sessions and commits complete ones: combines the pure session state, the
// files on disk and the running hashes.

import Glibc

extension Space {
    /// Starts a session without data.
    func startSession(isConcurrent: Bool, isClosed: Bool) throws -> String {
        let id = AccountRegistry.secret("pid_upload_session:AB")
        try apply(.startSession(id: id, isConcurrent: isConcurrent, isClosed: isClosed))
        return id
    }

    /// Throws unless a session accepts the data.
    func checkAppend(
        _ session: String, offset: Int64, length: Int64, closes: Bool
    ) throws {
        try read { state throws(UploadSessionError) in
            guard let session = state.session(session, at: .now()) else { throw .notFound }
            try session.checkAppend(offset: offset, length: length, closes: closes)
        }
    }

    /// Appends a request's body to a session.
    ///
    /// The body is written directly to the session's file; only if another request is writing to
    /// the sequential session at the same time is it received into a separate file first.
    func append(
        _ body: IncomingBody, to session: String, offset: Int64, closes: Bool,
        announced: ContentDigest?
    ) async throws -> Int64 {
        // Without an announced length, the rules can only be checked at the end.
        let length = min(body.announcedLength ?? 0, UploadSession.maximumSize)
        try checkAppend(
            session, offset: offset, length: length,
            closes: closes || body.announcedLength == nil)
        let isConcurrent = read { $0.sessions[session]?.isConcurrent == true }
        if isConcurrent {
            let file = try BlockingFile(writing: content.sessionPath(session))
            let received = try await BodyReceiver(file: file, start: offset).receive(body)
            try ContentHashMismatch.check(received, announced)
            try apply(
                .append(
                    session: session, offset: offset, length: received.size, closes: closes,
                    digests: received.hasher.allDigests))
            return received.size
        }
        guard hashes.claim(session) else {
            return try await appendAside(
                body, to: session, offset: offset, closes: closes, announced: announced)
        }
        defer { hashes.release(session) }
        let file = try BlockingFile(writing: content.sessionPath(session))
        let hasher = try await sequentialHasher(session, size: offset)
        let received = try await BodyReceiver(file: file, start: offset, sessionHasher: hasher)
            .receive(body)
        try ContentHashMismatch.check(received, announced)
        try note(received.size, hasher: received.sessionHasher, session, offset, closes)
        return received.size
    }

    private func appendAside(
        _ body: IncomingBody, to session: String, offset: Int64, closes: Bool,
        announced: ContentDigest?
    ) async throws -> Int64 {
        let aside = try content.makeIncoming()
        defer { content.discard(aside.path) }
        let received = try await BodyReceiver(file: aside).receive(body)
        try ContentHashMismatch.check(received, announced)
        try await appendSequential(
            aside, from: 0, count: received.size, to: session, offset: offset, closes: closes)
        return received.size
    }

    /// Appends a part of a file to a sequential session.
    func appendSequential(
        _ source: BlockingFile, from start: Int64, count: Int64, to session: String, offset: Int64,
        closes: Bool
    ) async throws {
        guard hashes.claim(session) else {
            let size = read { $0.sessions[session]?.size ?? 0 }
            throw UploadSessionError.incorrectOffset(correct: size)
        }
        defer { hashes.release(session) }
        try checkAppend(session, offset: offset, length: count, closes: closes)
        try await appendFile(source, from: start, count: count, to: session, offset: offset)
        let known = try await sequentialHasher(session, size: offset)
        let hasher = try await rehash(
            content.sessionPath(session), from: offset, to: offset + count, with: known)
        try note(count, hasher: hasher, session, offset, closes)
    }

    /// Copies a part of a file into a session's file.
    func appendFile(
        _ source: BlockingFile, from start: Int64, count: Int64, to session: String, offset: Int64
    ) async throws {
        let path = content.sessionPath(session)
        try await onDiskThread {
            let file = try BlockingFile(writing: path)
            var done: Int64 = 0
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while done < count {
                let part = Int(min(count - done, Int64(buffer.count)))
                try buffer.withUnsafeMutableBytes { bytes in
                    let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[..<part])
                    let read = try source.read(into: piece, at: start + done)
                    try file.write(
                        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<read]),
                        at: offset + done)
                }
                done += Int64(part)
            }
        }
    }

    /// Records data that is in a sequential session's file.
    private func note(
        _ size: Int64, hasher: BlockHasher?, _ session: String, _ offset: Int64, _ closes: Bool
    ) throws {
        try apply(
            .append(session: session, offset: offset, length: size, closes: closes, digests: []))
        if let hasher { hashes.remember(hasher, of: session, size: offset + size) }
    }

    // MARK: Hashes

    /// The hash state of a sequential session's first bytes.
    private func sequentialHasher(_ session: String, size: Int64) async throws -> BlockHasher {
        if let known = hashes.hasher(of: session, size: size) { return known }
        return try await rehash(
            content.sessionPath(session), from: 0, to: size, with: BlockHasher())
    }

    /// Continues a hash over a part of a file.
    func rehash(
        _ path: String, from start: Int64, to end: Int64, with hasher: BlockHasher
    ) async throws -> BlockHasher {
        try await onDiskThread {
            guard start < end else { return hasher }
            var hasher = hasher
            let file = try BlockingFile(reading: path)
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            var offset = start
            while offset < end {
                let part = Int(min(end - offset, Int64(buffer.count)))
                let count = try buffer.withUnsafeMutableBytes { bytes in
                    let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[..<part])
                    let count = try file.read(into: piece, at: offset)
                    hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
                    return count
                }
                guard count > 0 else { break }
                offset += Int64(count)
            }
            return hasher
        }
    }

    // MARK: Finishing

    /// Commits a complete session. If the commit fails, the session keeps its data.
    func finish(
        _ session: String, offset: Int64, commit: Commit, isBatch: Bool
    ) async throws -> FileMetadata {
        let state = try read { state throws(UploadSessionError) in
            guard let session = state.session(session, at: .now()) else { throw .notFound }
            try session.checkFinish(offset: offset, isBatch: isBatch)
            return session
        }
        let hash: ContentDigest
        if let known = state.concurrentHash {
            hash = known
        } else {
            hash = try await sequentialHasher(session, size: state.size).contentHash
        }
        let content = Content(hash: hash, size: state.size, source: .stored)
        let metadata = try commitFile(
            self.content.sessionPath(session), content: content, commit: commit)
        if conduct.sessionsOutliveFinish {
            // Its file is the content's from now on: nothing may be added.
            if !state.isClosed {
                try apply(
                    .append(
                        session: session, offset: state.size, length: 0, closes: true, digests: []))
            }
            return metadata
        }
        try apply(.endSession(id: session))
        hashes.forget(session)
        self.content.discard(self.content.sessionPath(session))
        return metadata
    }

    /// Commits the bytes of a file, which stays where it is.
    ///
    /// The content is published before the tree refers to it, and withdrawn if the tree refuses the
    /// commit.
    func commitFile(
        _ path: String, content: Content, commit: Commit
    ) throws -> FileMetadata {
        let isNew = content.size > 0 ? try self.content.publish(path, as: content.hash) : false
        let operation = Operation.commit(commit, content)
        do {
            try OperationRefusals.check(operation)
            let metadata = try apply(operation) { state, node -> FileMetadata? in
                node.flatMap { state.tree[$0].revision }.map {
                    state.tree.fileMetadata(of: $0, from: commit.base)
                }
            }
            guard let metadata else { throw WriteError.conflict(.folder) }
            return metadata
        } catch {
            if isNew, !tree({ $0.contents.holds(content.hash) }) {
                self.content.withdraw(content.hash)
            }
            throw error
        }
    }
}
