// A cloud with nothing but content, that does what a test tells it to: cuts, damages, refuses, and
// holds bytes back until they are let go.

import ContentHashing
import Core
import RemoteStore
import Synchronization
import TestSupport

/// Content with a seed; no two chunks are alike.
struct Sample: Sendable {
    let bytes: [UInt8]
    let content: FileVersion

    init(size: Int, seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var chunk: [UInt8] = []
        while chunk.count < 65536 {
            withUnsafeBytes(of: generator.next()) { chunk.append(contentsOf: $0) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 65536)
        while bytes.count < size {
            withUnsafeBytes(of: UInt64(bytes.count) &+ seed) {
                chunk.replaceSubrange(0..<8, with: $0)
            }
            bytes += chunk
        }
        bytes.removeLast(bytes.count - size)
        self.bytes = bytes
        content = FileVersion(
            revision: Revision("rev\(seed)"), hash: ContentHasher.hash(bytes), size: Int64(size))
    }

    subscript(_ range: Range<Int64>) -> [UInt8] {
        Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}

/// The fault of one download.
enum Fault: Sendable {
    /// The call fails with an error.
    case refuse(RemoteError)
    /// The body ends early with an error.
    case cut(after: Int, RemoteError)
    /// The body ends early in silence.
    case endEarly(after: Int)
    /// A bit of the body is wrong.
    case flip(Int)
    /// More comes than was asked for.
    case excess
    /// The body never gets a byte.
    case silence
}

/// Lets bytes through up to a mark. Everything, unless it was closed.
final class Gate: Sendable {
    private struct State {
        var mark = Int64.max
        var heedsCancellation = true
        var waiters: [Int: (offset: Int64, continuation: CheckedContinuation<Void, Never>)] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Lets through what lies before an offset, and holds the rest.
    func open(to mark: Int64) {
        let woken = state.withLock { state in
            state.mark = mark
            let ready = state.waiters.filter { $0.value.offset < mark }
            for ticket in ready.keys { state.waiters[ticket] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// From now on, bytes that are held stay held when their task is cancelled: it ends late.
    func ignoreCancellation() {
        state.withLock { $0.heedsCancellation = false }
    }

    /// Waits until the byte at an offset may pass, or until the task is cancelled.
    func pass(_ offset: Int64) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if offset < state.mark { return true }
                    if state.heedsCancellation && Task.isCancelled { return true }
                    state.waiters[ticket] = (offset, continuation)
                    return false
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.heedsCancellation ? state.waiters.removeValue(forKey: ticket) : nil
            }
            waiter?.continuation.resume()
        }
    }
}

/// A cloud that holds samples in memory.
final class FakeStore: RemoteStoring {
    private struct State {
        var samples: [Revision: Sample] = [:]
        var requests: [(revision: Revision, range: Range<Int64>)] = []
        var cancelled = 0
        var running = 0
        var mostRunning = 0
        var fault: @Sendable (_ number: Int, _ range: Range<Int64>) -> Fault? = { _, _ in nil }
    }

    let gate = Gate()
    private let state = Mutex(State())

    init(_ samples: [Sample]) {
        state.withLock { state in
            for sample in samples { state.samples[sample.content.revision] = sample }
        }
    }

    /// Decides what goes wrong, by the number of the request (from 0) and its range.
    func onRequest(_ fault: @escaping @Sendable (Int, Range<Int64>) -> Fault?) {
        state.withLock { $0.fault = fault }
    }

    var requests: [Range<Int64>] { state.withLock { $0.requests.map(\.range) } }
    var requestedBytes: Int64 { requests.reduce(0) { $0 + Int64($1.count) } }
    var cancelledCount: Int { state.withLock { $0.cancelled } }
    var runningCount: Int { state.withLock { $0.running } }
    var mostRunning: Int { state.withLock { $0.mostRunning } }

    func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        let (sample, fault) = state.withLock { state in
            let number = state.requests.count
            state.requests.append((revision, range))
            return (state.samples[revision], state.fault(number, range))
        }
        if Task.isCancelled { throw .cancelled }
        if case .refuse(let error) = fault { throw error }
        guard let sample, range.upperBound <= sample.content.size, !range.isEmpty else {
            throw .notFound
        }
        change(running: 1)
        return FakeStream(store: self, sample: sample, range: range, fault: fault)
    }

    func change(running: Int) {
        state.withLock { state in
            state.running += running
            state.mostRunning = max(state.mostRunning, state.running)
        }
    }

    func noteCancelled() {
        state.withLock { $0.cancelled += 1 }
    }
}

/// A body in pieces of 64 KiB.
private actor FakeStream: RemoteByteStream {
    private let store: FakeStore
    private let body: [UInt8]
    private let start: Int64
    private let failure: RemoteError?
    private var isSilent = false
    private var position = 0
    /// Whether the body counts no longer as running.
    private var hasEnded = false

    init(store: FakeStore, sample: Sample, range: Range<Int64>, fault: Fault?) {
        self.store = store
        start = range.lowerBound
        var body = sample[range]
        var failure: RemoteError?
        switch fault {
        case .cut(let count, let error):
            body.removeLast(max(0, body.count - count))
            failure = error
        case .endEarly(let count):
            body.removeLast(max(0, body.count - count))
        case .flip(let place): body[place % body.count] ^= 0x10
        case .excess: body.append(7)
        case .silence: isSilent = true
        case .refuse, nil: break
        }
        self.body = body
        self.failure = failure
    }

    /// A body that is left before its end runs until then.
    deinit {
        if !hasEnded { store.change(running: -1) }
    }

    /// Counts the end before its reader learns of it: the stream itself may outlive that for a
    /// moment.
    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        store.change(running: -1)
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        guard position < body.count else {
            end()
            if let failure { throw failure }
            return nil
        }
        let end = min(position + 65536, body.count)
        if isSilent { await waitForCancellation() }
        await store.gate.pass(start + Int64(position))
        if Task.isCancelled {
            store.noteCancelled()
            throw .cancelled
        }
        defer { position = end }
        return Array(body[position..<end])
    }
}

/// The calls that a store of content only does not answer.
extension FakeStore {
    var root: String { "fake" }

    func refreshRoot() async throws(RemoteError) {}

    func account() async throws(RemoteError) -> RemoteAccount { throw .forbidden("content only") }
    func space() async throws(RemoteError) -> RemoteSpace { throw .forbidden("content only") }
    func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage { throw .forbidden("content only") }
    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        throw .forbidden("content only")
    }
    func latestCursor() async throws(RemoteError) -> Cursor {
        throw .forbidden("content only")
    }
    func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange { throw .forbidden("content only") }
    func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        throw .forbidden("content only")
    }
    func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        throw .forbidden("content only")
    }
    func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry { throw .forbidden("content only") }
    func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        throw .forbidden("content only")
    }
    func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) { throw .forbidden("content only") }
    func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry { throw .forbidden("content only") }
    func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        throw .forbidden("content only")
    }
    func delete(_ node: RemoteReference, revision: Revision?) async throws(RemoteError) {
        throw .forbidden("content only")
    }
    func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry { throw .forbidden("content only") }
    func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry { throw .forbidden("content only") }
}
