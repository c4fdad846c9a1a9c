// Commits upload sessions as files, many per request, and survives lost responses.
//
// A batch whose response is lost may have been stored wholly, partly or not at all. Before it is
// retried, the metadata at each path is read: an equal content hash is this upload, stored.
// An entry that is retried and refused because its session is gone or its path is taken is checked
// once more. A session commits once, so nothing is stored twice.

import ContentHashing

/// An upload session that holds all of a file's content and is closed.
struct PendingCommit: Sendable {
    /// Index of the file in the upload.
    var file: Int
    var session: String
    var size: UInt64
    var hash: ContentHash
    var commit: Files.CommitInfo

    fileprivate var argument: Files.UploadSessionFinishArg {
        .init(cursor: .init(sessionID: session, offset: size), commit: commit)
    }
}

/// One batch of sessions to be committed.
struct BatchCommit: Sendable {
    typealias Outcome = Result<Files.FileMetadata, FileUploadError>

    /// Metadata requests for single files in flight at once.
    private static let concurrentQuestions = 8

    private let calls: Files.Calls
    private let options: CallOptions
    /// Commits without an outcome yet.
    private var open: [PendingCommit]
    /// The error of a batch that may have taken effect.
    private var lost: CallError<NoError>?
    private var outcomes: [(file: Int, outcome: Outcome)] = []
    private var backoff = OperationBackoff()
    /// Halves of a request that the server could not read: one path may spoil it for all.
    private var apart: [[PendingCommit]] = []

    init(_ commits: [PendingCommit], calls: Files.Calls, options: CallOptions) {
        self.calls = calls
        self.options = options
        open = commits
    }

    /// Commits the batch and returns an outcome for each session.
    mutating func run() async -> [(file: Int, outcome: Outcome)] {
        while takeNext() {
            do throws(CallError<NoError>) {
                await settle(with: try await finish())
                guard !open.isEmpty else { continue }
                if await !pause(after: .route(.waitForWriters)) {
                    giveUp(Task.isCancelled ? .cancelled : .commit(.tooManyWriteOperations))
                }
            } catch {
                await react(to: error)
            }
        }
        return outcomes
    }

    /// Whether there is something to commit; a half that was put aside, after all else.
    private mutating func takeNext() -> Bool {
        if open.isEmpty, let half = apart.popLast() { open = half }
        return !open.isEmpty
    }

    private func finish() async throws(CallError<NoError>) -> [Files
        .UploadSessionFinishBatchResultEntry]
    {
        var once = options
        once.isSafeToRepeat = false
        return try await calls.uploadSessionFinishBatchV2(
            entries: open.map(\.argument), options: once
        ).entries
    }

    private mutating func pause(after event: RetryPolicy.Event) async -> Bool {
        await backoff.pause(
            after: event, of: calls.client, maxAttempts: options.maxAttempts,
            deadline: options.deadline)
    }

    // MARK: Answers

    /// Entries refused by write contention stay open.
    private mutating func settle(
        with answers: [Files.UploadSessionFinishBatchResultEntry]
    ) async {
        guard answers.count == open.count else {
            let text = "\(open.count) files were to be stored, \(answers.count) answered"
            return settleAll(.malformedAnswer(text))
        }
        let asked = open
        open = []
        var doubtful: [(commit: PendingCommit, error: Files.UploadSessionFinishError)] = []
        for (commit, answer) in zip(asked, answers) {
            switch answer {
            case .success(let file): settle(commit, commit.stored(file))
            case .failure(let error) where error.remedy == .waitForWritersUnlessBody:
                open.append(commit)
            case .failure(let error) where lost != nil && error.mayFollowLostResponse:
                doubtful.append((commit, error))
            case .failure(let error): settle(commit, .failure(.commit(error)))
            case .unknown(let tag): settle(commit, .failure(.malformedAnswer(tag)))
            }
        }
        let findings = await look(for: doubtful.map(\.commit))
        for ((commit, error), finding) in zip(doubtful, findings) {
            switch finding {
            case .stored(let file): settle(commit, commit.stored(file))
            case .absent where error.isOnlyConflict: settle(commit, .failure(.commit(error)))
            case .absent, .unknown: settle(commit, .failure(.uncertain(lost?.ofCancelledTask)))
            }
        }
    }

    private mutating func react(to error: CallError<NoError>) async {
        guard error.mayHaveTakenEffect else {
            if case .badInput = error.kind, lost == nil, open.count > 1 {
                apart.append(Array(open[(open.count / 2)...]))
                return open.removeSubrange((open.count / 2)...)
            }
            return giveUp(error.kind == .cancelled ? .cancelled : .finish(error))
        }
        lost = error
        guard error.kind != .cancelled, await pause(after: error.kind.retryEvent) else {
            return await settleLast()
        }
        await settleStored()
    }

    /// After the last attempt, only files confirmed by their metadata count as stored.
    private mutating func settleLast() async {
        await settleStored()
        settleAll(.uncertain(lost?.ofCancelledTask))
    }

    private mutating func settleStored() async {
        let asked = open
        open = []
        for (commit, finding) in zip(asked, await look(for: asked)) {
            if case .stored(let file) = finding {
                settle(commit, commit.stored(file))
            } else {
                open.append(commit)
            }
        }
    }

    private mutating func settle(_ commit: PendingCommit, _ outcome: Outcome) {
        outcomes.append((commit.file, outcome))
    }

    /// Settles with an error that means that nothing is stored, unless an earlier request may have
    /// stored it.
    private mutating func giveUp(_ error: FileUploadError) {
        settleAll(lost.map { .uncertain($0.ofCancelledTask) } ?? error)
    }

    private mutating func settleAll(_ error: FileUploadError) {
        for commit in open { settle(commit, .failure(error)) }
        open = []
    }

    // MARK: Questions

    private func look(for commits: [PendingCommit]) async -> [StoredFile] {
        await withTaskGroup(of: (Int, StoredFile).self) { group in
            var findings = [StoredFile](repeating: .unknown, count: commits.count)
            for (index, commit) in commits.enumerated() {
                if index >= Self.concurrentQuestions, let (done, finding) = await group.next() {
                    findings[done] = finding
                }
                group.addTask { [calls, options] in
                    let file = await calls.storedFile(
                        of: commit.commit, commit.hash, options: options)
                    return (index, file)
                }
            }
            for await (done, finding) in group { findings[done] = finding }
            return findings
        }
    }
}

extension PendingCommit {
    /// The server's file, if its content is that of the local file.
    fileprivate func stored(_ file: Files.FileMetadata) -> BatchCommit.Outcome {
        guard file.holds(hash, size: size) else {
            return .failure(.hashMismatch(expected: hash, received: file.contentHash))
        }
        return .success(file)
    }
}

extension Files.UploadSessionFinishError {
    /// Whether the session still exists.
    fileprivate var isOnlyConflict: Bool {
        if case .path = self { true } else { false }
    }
}
