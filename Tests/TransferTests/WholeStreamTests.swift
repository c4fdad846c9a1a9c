// Sequences of bytes in one call: elements of any kind are one file, and a sequence that fails, or
// is cut off, is none.

import ContentHashing
import DropboxAPI
import DropboxEmulator
import Foundation
import Synchronization
import Testing

private let whole = "files/upload"
private let start = "files/upload_session/start"
private let append = "files/upload_session/append_v2"
private let finish = "files/upload_session/finish"
/// The smallest piece that there is.
private let piece = ContentHasher.blockSize

/// Elements, and then the end or an error.
private struct Emitted<Element>: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var rest: IndexingIterator<[Element]>
        fileprivate let failure: (any Error)?

        mutating func next() async throws -> Element? {
            if let element = rest.next() { return element }
            if let failure { throw failure }
            return nil
        }
    }

    private let elements: [Element]
    private let failure: (any Error)?

    init(_ elements: [Element], failure: (any Error)? = nil) {
        self.elements = elements
        self.failure = failure
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(rest: elements.makeIterator(), failure: failure)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct WholeStreamTests {
    private struct Broken: Error {}

    private let options = FileTransferOptions(pieceSize: piece)

    /// Slices of a length that divides nothing.
    private func slices(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: 999_983)
            .map { bytes[$0..<min($0 + 999_983, bytes.count)] }
    }

    // MARK: Elements

    @Test(
        "elements of any kind are one file; one piece takes one request",
        arguments: [0, 1, piece, 2 * piece + 7])
    func elements(size: Int) async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let bytes = pattern(size, seed: size)
            let slices = slices(bytes)
            let files = client.files
            let stored = [
                try await files.upload(Emitted(bytes), to: "/bytes", options: options),
                try await files.upload(Emitted(slices), to: "/slices", options: options),
                try await files.upload(
                    Emitted(slices.map { Array($0) }), to: "/arrays", options: options),
                try await files.upload(
                    Emitted(slices.map { Data($0) }), to: "/data", options: options),
                try await files.upload(
                    Emitted(slices.map { AnySequence($0) }), to: "/sequences", options: options),
                try await files.upload(Emitted([bytes]), to: "/chunk", options: options),
            ]
            let hash: ContentHash? = ContentHasher.hash(bytes)
            let names = ["/bytes", "/slices", "/arrays", "/data", "/sequences", "/chunk"]
            for (file, name) in zip(stored, names) {
                #expect(file.pathDisplay == name)
                #expect(file.size == UInt64(size) && file.contentHash == hash)
            }
            let there = try await account.hashes()
            #expect(there == Dictionary(uniqueKeysWithValues: names.map { ($0, hash) }))
            let count = names.count
            #expect(
                transport.meter.requests
                    == (size <= piece
                        ? [whole: count] : [start: count, append: 3 * count, finish: count]))
            await client.shutDown()
        }
    }

    @Test("a stream replaces a file and keeps the settings of its commit; empty chunks are nothing")
    func settings() async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted()
            try await account.put("/f", [9])
            let chunks = Emitted<[UInt8]>([[], [1], [], [2, 3], []])
            let replaced = try await client.files.upload(chunks, to: "/f", mode: .overwrite)
            #expect(replaced.contentHash == ContentHasher.hash([1, 2, 3]))
            let time = Timestamp(secondsSince1970: 1_000_000_000)
            let commit = Files.CommitInfo(path: "/f", autorename: true, clientModified: time)
            let bytes = try await client.files.upload(Emitted<UInt8>([4]), as: commit)
            #expect(bytes.name == "f (1)" && bytes.clientModified == time)
            let large = try await client.files.upload(
                Emitted(slices(pattern(piece + 1))), as: commit, options: options)
            #expect(large.name == "f (2)" && large.clientModified == time)
            await client.shutDown()
        }
    }

    // MARK: Failures

    @Test(
        "a sequence that throws half-way stores nothing, and its error is the cause",
        arguments: [0, 3, piece, 3 * piece + 1])
    func broken(size: Int) async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            try await account.put("/old", [9])
            for path in ["/new", "/old"] {
                let chunks = Emitted(slices(pattern(size)), failure: Broken())
                let error = await #expect(throws: FileTransferError.self) {
                    try await client.files.upload(
                        chunks, to: path, mode: .overwrite, options: options)
                }
                guard case .source(let cause)? = error else { throw error ?? .cancelled }
                #expect(cause is Broken)
                #expect(error?.mayHaveTakenEffect == false)
            }
            #expect(transport.meter.requests[whole] == nil)
            #expect(transport.meter.requests[finish] == nil)
            #expect(try await account.hashes() == ["/old": ContentHasher.hash([9])])
            await client.shutDown()
        }
    }

    @Test(
        "a path that cannot be costs no request, and a taken one is told in words",
        arguments: [3, piece + 1])
    func refusals(size: Int) async throws {
        try await TestAccount.with { account in
            let (transport, client) = try account.scripted()
            let chunks = slices(pattern(size))
            let malformed = await #expect(throws: FileTransferError.self) {
                // Its error would come first, if it were read.
                try await client.files.upload(
                    Emitted(chunks, failure: Broken()), to: "no slash", options: options)
            }
            #expect(malformed?.localizedDescription == "The path is not one that Dropbox can have.")
            #expect(transport.meter.total == 0)
            try await account.put("/f", [9])
            let conflict = await #expect(throws: FileTransferError.self) {
                try await client.files.upload(Emitted(chunks), to: "/f", options: options)
            }
            #expect(conflict?.localizedDescription == "A file with this name exists already.")
            #expect(try await account.hashes() == ["/f": ContentHasher.hash([9])])
            await client.shutDown()
        }
    }

    @Test(
        "a stream whose last answer is lost is looked for at its path",
        arguments: [3, piece + 1], [true, false])
    func lostAnswer(size: Int, isStored: Bool) async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted { request, _ in
                guard [whole, finish].contains(request.label) else { return .pass }
                return isStored ? .loseAnswer : .loseRequest
            }
            let bytes = pattern(size)
            let chunks = Emitted(slices(bytes))
            if isStored {
                let file = try await client.files.upload(chunks, to: "/f", options: options)
                #expect(file.contentHash == ContentHasher.hash(bytes))
                #expect(try await account.hashes() == ["/f": ContentHasher.hash(bytes)])
            } else {
                let error = await #expect(throws: FileTransferError.self) {
                    try await client.files.upload(chunks, to: "/f", options: options)
                }
                guard case .uncertain? = error else { throw error ?? .cancelled }
                #expect(error?.mayHaveTakenEffect == true)
                #expect(try await account.hashes().isEmpty)
            }
            await client.shutDown()
        }
    }

    @Test("another hash in the answer is damage", arguments: [3, piece + 1])
    func damaged(size: Int) async throws {
        try await TestAccount.with { account in
            try account.server.addFault(["route": "files/upload*", "kind": "wrong_hash"])
            let (_, client) = try account.scripted()
            let bytes = pattern(size)
            let error = await #expect(throws: FileTransferError.self) {
                try await client.files.upload(Emitted(slices(bytes)), to: "/f", options: options)
            }
            guard case .hashMismatch(let expected, let received)? = error else {
                throw error ?? .cancelled
            }
            #expect(expected == ContentHasher.hash(bytes) && received != expected)
            await client.shutDown()
        }
    }

    // MARK: Progress and the end

    @Test(
        "progress rises to the last byte; the whole is known only of one piece",
        arguments: [3, 2 * piece + 1])
    func progress(size: Int) async throws {
        try await TestAccount.with { account in
            let (_, client) = try account.scripted()
            let seen = Mutex<[TransferProgress]>([])
            var options = FileTransferOptions.progress { step in seen.withLock { $0.append(step) } }
            options.pieceSize = piece
            _ = try await client.files.upload(
                Emitted(slices(pattern(size))), to: "/f", options: options)
            let steps = seen.withLock { $0 }
            #expect(steps.map(\.bytesDone) == steps.map(\.bytesDone).sorted())
            #expect(steps.last?.bytesDone == UInt64(size))
            if size <= piece {
                #expect(steps.last?.fraction == 1)
            } else {
                #expect(steps.count == 3 && steps.allSatisfy { $0.bytesTotal == nil })
            }
            await client.shutDown()
        }
    }

    @Test("a stream that a cancelled task cuts off is no file", arguments: [1, 2 * piece + 1])
    func cancelled(size: Int) async throws {
        try await TestAccount.with { account in
            let (begun, request) = AsyncStream.makeStream(of: Void.self)
            let (transport, client) = try account.scripted { _, _ in
                request.yield()
                return .pass
            }
            // It never ends; to its reader in a cancelled task it does.
            let (stream, source) = AsyncStream.makeStream(of: [UInt8].self)
            source.yield(pattern(size))
            let options = options
            let upload = Task {
                try await client.files.upload(stream, to: "/f", options: options)
            }
            // Until the second of its pieces leaves; a single one does not.
            if size > piece {
                var requests = begun.makeAsyncIterator()
                for _ in 1...3 { await requests.next() }
            }
            upload.cancel()
            await #expect {
                try await upload.value
            } throws: { error in
                (error as? FileTransferError)?.isCancellation ?? false
            }
            #expect(transport.meter.requests[finish] == nil)
            if size <= piece { #expect(transport.meter.total == 0) }
            #expect(try await account.hashes().isEmpty)
            source.finish()
            await client.shutDown()
        }
    }
}
