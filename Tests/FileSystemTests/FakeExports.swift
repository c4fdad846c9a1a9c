// The exports of a cloud that tests play.

import Core
import RemoteStore
import Synchronization

/// A cloud whose documents have the exports that a test gives them.
final class FakeExports: RemoteExporting {
    struct State {
        /// The revision and the bytes of each document, by id.
        var exports: [FileID: (Revision, [UInt8])] = [:]
        var failure: RemoteError?
        var requests = 0
        /// Requests wait until it is opened.
        var gate: [CheckedContinuation<Void, Never>]?
    }

    let state = Mutex(State())

    var requests: Int { state.withLock { $0.requests } }

    func document(at path: RemotePath) async throws(RemoteError) -> RemoteDocument {
        throw .notFound
    }

    func openExport(
        of id: FileID, as format: String?
    ) async throws(RemoteError) -> (export: RemoteExport, bytes: any RemoteByteStream) {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.requests += 1
                guard state.gate != nil else { return true }
                state.gate?.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
        if Task.isCancelled { throw .cancelled }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        guard let (revision, bytes) = state.withLock({ $0.exports[id] }) else { throw .notFound }
        let export = RemoteExport(
            name: "x.md", size: Int64(bytes.count), hash: nil, revision: revision)
        return (export, Pieces(bytes))
    }

    func openGate() {
        let waiting = state.withLock { state in
            defer { state.gate = nil }
            return state.gate ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    private actor Pieces: RemoteByteStream {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        func next() async throws(RemoteError) -> [UInt8]? {
            let piece = rest.prefix(3)
            rest = rest.dropFirst(3)
            return piece.isEmpty ? nil : Array(piece)
        }
    }
}
