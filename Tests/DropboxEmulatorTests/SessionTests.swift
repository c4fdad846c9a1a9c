// Upload sessions as pure states.

import Testing

@testable import DropboxEmulator

@Suite("Upload sessions")
struct SessionTests {
    private static let block = UploadSession.blockSize
    private let digest = BlockHasher.contentHash(of: [])

    private func session(concurrent: Bool) -> UploadSession {
        UploadSession(isConcurrent: concurrent, isClosed: false, startedAt: APITime(seconds: 0))
    }

    @Test("a sequential session takes data at its end only, until it is closed")
    func sequential() throws {
        var session = session(concurrent: false)
        try session.append(offset: 0, length: 5, closes: false, digests: [])
        #expect(throws: UploadSessionError.incorrectOffset(correct: 5)) {
            try session.append(offset: 0, length: 5, closes: false, digests: [])
        }
        try session.append(offset: 5, length: 0, closes: true, digests: [])
        #expect(throws: UploadSessionError.closed) {
            try session.append(offset: 5, length: 1, closes: false, digests: [])
        }
        try session.checkFinish(offset: 5, isBatch: true)
        #expect(throws: UploadSessionError.incorrectOffset(correct: 5)) {
            try session.checkFinish(offset: 4, isBatch: false)
        }
    }

    @Test("a batch commits only closed sessions")
    func notClosed() throws {
        let session = session(concurrent: false)
        #expect(throws: UploadSessionError.notClosed) {
            try session.checkFinish(offset: 0, isBatch: true)
        }
        try session.checkFinish(offset: 0, isBatch: false)
    }

    @Test("a concurrent session takes whole blocks in any order, even after its last piece")
    func concurrent() throws {
        var session = session(concurrent: true)
        try session.append(
            offset: 2 * Self.block, length: 7, closes: true, digests: [digest])
        #expect(throws: UploadSessionError.concurrentMissingData) {
            try session.checkFinish(offset: 2 * Self.block + 7, isBatch: false)
        }
        try session.append(
            offset: 0, length: 2 * Self.block, closes: false, digests: [digest, digest])
        try session.checkFinish(offset: 2 * Self.block + 7, isBatch: true)
        #expect(throws: UploadSessionError.closed) {
            try session.append(
                offset: 3 * Self.block, length: Self.block, closes: false, digests: [digest])
        }
    }

    @Test("a concurrent session insists on its unit, and on being closed")
    func concurrentErrors() throws {
        let session = session(concurrent: true)
        #expect(throws: UploadSessionError.concurrentInvalidOffset) {
            try session.checkAppend(offset: 5, length: Self.block, closes: false)
        }
        #expect(throws: UploadSessionError.concurrentInvalidDataSize) {
            try session.checkAppend(offset: 0, length: 5, closes: false)
        }
        try session.checkAppend(offset: 0, length: 5, closes: true)
        #expect(throws: UploadSessionError.concurrentNotClosed) {
            try session.checkFinish(offset: 0, isBatch: false)
        }
    }

    @Test("a session is no larger than a file can be")
    func tooLarge() throws {
        let session = session(concurrent: true)
        let last = UploadSession.maximumSize - Self.block
        try session.checkAppend(offset: last, length: Self.block, closes: true)
        #expect(throws: UploadSessionError.tooLarge) {
            try session.checkAppend(offset: last, length: Self.block + 1, closes: true)
        }
    }

    @Test("a session can be used for seven days")
    func expiry() throws {
        var state = SpaceState(tree: AccountTree(namespace: 1, quota: 1))
        try state.apply(
            .startSession(id: "s", isConcurrent: false, isClosed: false),
            at: APITime(seconds: 100))
        let append = Operation.append(
            session: "s", offset: 0, length: 0, closes: false, digests: [])
        try state.apply(append, at: APITime(seconds: 100 + 604_800))
        #expect(throws: UploadSessionError.notFound) {
            try state.apply(append, at: APITime(seconds: 101 + 604_800))
        }
    }

    @Test("the hash of a stream does not depend on how it is cut")
    func hashing() {
        let bytes = [UInt8](repeating: 7, count: BlockHasher.blockSize + 1000)
        var whole = BlockHasher()
        bytes.withUnsafeBytes { whole.update($0) }
        var pieces = BlockHasher()
        for start in stride(from: 0, to: bytes.count, by: 1_000_003) {
            bytes[start..<min(bytes.count, start + 1_000_003)].withUnsafeBytes {
                pieces.update($0)
            }
        }
        #expect(whole.contentHash == pieces.contentHash)
        // Computed with Python's hashlib.
        #expect(
            whole.contentHash.hex
                == "045387200f8ae9a4fa057a56add15051d763bcd4dc05d372f16d27ed4218cb0a")
        #expect(ContentDigest(hex: whole.contentHash.hex) == whole.contentHash)
    }

    @Test("generated content is the same from any offset")
    func generated() {
        var whole = [UInt8](repeating: 0, count: 100)
        whole.withUnsafeMutableBytes { GeneratedContent.fill($0, seed: 3, at: 0) }
        for offset in [1, 7, 8, 50] {
            var part = [UInt8](repeating: 0, count: 30)
            part.withUnsafeMutableBytes { GeneratedContent.fill($0, seed: 3, at: Int64(offset)) }
            #expect(part == Array(whole[offset..<offset + 30]))
        }
    }
}
