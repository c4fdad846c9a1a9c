// The events of a test, in order, for the message of a failure: histories under load do not repeat.

import Core
import Foundation
import Logging
import RemoteStore
import RemoteStoreTesting
import Synchronization

/// The lines of one test's story, from all its threads.
final class History: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    var text: String { lines.withLock { $0.joined(separator: "\n") } }
}

/// Notes what the engine logs.
struct HistoryLogHandler: LogHandler {
    let history: History
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(_ history: History) {
        self.history = history
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        history.note("  log: \(event.message) \(event.metadata ?? [:])")
    }
}

/// Notes each call that changes or shows the server, with its outcome.
struct RecordingStore: RemoteStoring {
    let base: any RemoteStoring
    let history: History
    let label: String

    private func perform<Value>(
        _ call: String, _ show: (Value) -> String,
        _ body: () async throws(RemoteError) -> Value
    ) async throws(RemoteError) -> Value {
        history.note("\(label) begins \(call)")
        do throws(RemoteError) {
            let value = try await body()
            history.note("\(label) \(call) → \(show(value))")
            return value
        } catch {
            history.note("\(label) \(call) ✘ \(error)")
            throw error
        }
    }

    func account() async throws(RemoteError) -> RemoteAccount { try await base.account() }

    var root: String { base.root }

    func refreshRoot() async throws(RemoteError) { try await base.refreshRoot() }

    func space() async throws(RemoteError) -> RemoteSpace { try await base.space() }

    func list(_ folder: RemotePath, recursive: Bool) async throws(RemoteError) -> RemotePage {
        try await perform("list \(folder.rawValue)", \.summary) { () async throws(RemoteError) in
            try await base.list(folder, recursive: recursive)
        }
    }

    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        try await perform("list after \(cursor.rawValue)", \.summary) {
            () async throws(RemoteError) in
            try await base.list(after: cursor)
        }
    }

    func latestCursor() async throws(RemoteError) -> Cursor {
        try await perform("latest cursor", \.rawValue) { () async throws(RemoteError) in
            try await base.latestCursor()
        }
    }

    func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        try await perform("wait after \(cursor.rawValue)", { "\($0.hasChanges)" }) {
            () async throws(RemoteError) in
            try await base.waitForChange(after: cursor, timeout: timeout)
        }
    }

    func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        try await perform("entry \(path.rawValue)", { $0?.summary ?? "nothing" }) {
            () async throws(RemoteError) in
            try await base.entry(at: path)
        }
    }

    func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        try await perform("entry \(id.rawValue)", { $0?.summary ?? "nothing" }) {
            () async throws(RemoteError) in
            try await base.entry(of: id)
        }
    }

    func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        try await base.download(revision, range: range)
    }

    func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let call = "upload \(commit.path.rawValue) \(commit.expectation)"
        return try await perform(call, \.summary) { () async throws(RemoteError) in
            try await base.upload(source, commit: commit)
        }
    }

    func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        try await base.startUpload(concurrent: concurrent)
    }

    func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        try await base.append(source, range: range, to: session, closes: closes)
    }

    func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        let call = "finish \(commit.path.rawValue) \(commit.expectation)"
        return try await perform(call, \.summary) { () async throws(RemoteError) in
            try await base.finishUpload(session, size: size, commit: commit)
        }
    }

    func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile] {
        try await perform("revisions \(id.rawValue)", { "\($0.count)" }) {
            () async throws(RemoteError) in
            try await base.revisions(of: id)
        }
    }

    func deletionCursor() async throws(RemoteError) -> Cursor? {
        try await base.deletionCursor()
    }

    func deletedFile(at path: RemotePath) async throws(RemoteError) -> RemoteRevisions? {
        try await base.deletedFile(at: path)
    }

    func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform("restore \(path.rawValue)", \.summary) { () async throws(RemoteError) in
            try await base.restore(path, to: revision)
        }
    }

    func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        try await perform("mkdir \(path.rawValue)", \.summary) { () async throws(RemoteError) in
            try await base.makeFolder(at: path)
        }
    }

    func delete(_ node: RemoteReference, revision: Revision?) async throws(RemoteError) {
        let call = "delete \(node.summary) \(revision?.rawValue ?? "any")"
        try await perform(call, { _ in "done" }) { () async throws(RemoteError) in
            try await base.delete(node, revision: revision)
        }
    }

    func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let call = "move \(node.summary) \(target.rawValue)"
        return try await perform(call, \.summary) { () async throws(RemoteError) in
            try await base.move(node, to: target)
        }
    }

    func setFacts(_ facts: PosixFacts, of node: RemoteReference) async throws(RemoteError) {
        let call = "facts \(node.summary) \(facts.text)"
        try await perform(call, { _ in "done" }) { () async throws(RemoteError) in
            try await base.setFacts(facts, of: node)
        }
    }

    func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        let call = "copy \(source.summary) \(target.rawValue)"
        return try await perform(call, \.summary) { () async throws(RemoteError) in
            try await base.copy(source, to: target)
        }
    }
}

extension RemotePage {
    fileprivate var summary: String {
        "[\(entries.map(\.summary).joined(separator: ", "))]\(hasMore ? " and more" : "")"
    }
}
