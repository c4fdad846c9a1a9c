// The state of a piece, from its refusal.

import Foundation
import Testing

@testable import DropboxAPI

@Suite struct PieceFateTests {
    private func fate(sessionEnd: UInt64, _ range: Range<UInt64>) throws -> PieceFate {
        let json = Data("{\"correct_offset\": \(sessionEnd)}".utf8)
        let offset = try JSONDecoder().decode(Files.UploadSessionOffsetError.self, from: json)
        let fate = PieceFate(Files.UploadSessionAppendError.incorrectOffset(offset), range: range)
        let inBatch = PieceFate(
            Files.UploadSessionAppendBatchEntryError.incorrectOffset(offset), range: range)
        #expect(fate == inBatch)
        return fate
    }

    @Test("a piece that the server has is told from one of which it lacks the rest")
    func offsets() throws {
        #expect(try fate(sessionEnd: 20, 10..<20) == .arrived)
        #expect(try fate(sessionEnd: 21, 10..<20) == .overtaken)
        #expect(try fate(sessionEnd: 15, 10..<20) == .partly(missing: 15..<20))
        #expect(try fate(sessionEnd: 10, 10..<20) == .refused)
        #expect(try fate(sessionEnd: 5, 10..<20) == .refused)
        #expect(try fate(sessionEnd: .max, 10..<20) == .refused)
        #expect(try fate(sessionEnd: 20, 20..<20) == .arrived)
        #expect(try fate(sessionEnd: 21, 20..<20) == .overtaken)
    }

    @Test(
        "a closed session is told apart; an unknown one is a refusal, and so is any other failure")
    func others() {
        #expect(PieceFate(Files.UploadSessionAppendError.closed, range: 0..<1) == .closed)
        #expect(PieceFate(Files.UploadSessionAppendError.notFound, range: 0..<1) == .refused)
        #expect(PieceFate(Files.UploadSessionAppendBatchEntryError.closed, range: 0..<1) == .closed)
        #expect(
            PieceFate(Files.UploadSessionAppendBatchEntryError.notFound, range: 0..<1) == .refused)
        #expect(PieceFate(nil, range: 0..<1) == .refused)
    }

    @Test("contents share requests in their order, as many as fit, and a large one has its own")
    func parcels() {
        let sizes = [1, 2, 9, 3, 0, 4]
        let contents = sizes.map { [UInt8](repeating: 7, count: $0) }
        let parcels = UploadParcel.filled(
            with: contents, sessions: sizes.map { "s\($0)" }, atMost: 6)
        #expect(parcels.map(\.size) == [3, 9, 3, 4])
        #expect(parcels.flatMap(\.parts).map(\.session) == sizes.map { "s\($0)" })
        let many = UploadParcel.filled(
            with: Array(repeating: [1], count: 251), sessions: Array(repeating: "s", count: 251),
            atMost: 1 << 20)
        #expect(many.map(\.parts.count) == [250, 1])
        #expect(UploadParcel.filled(with: [], sessions: [], atMost: 6).isEmpty)
    }
}
