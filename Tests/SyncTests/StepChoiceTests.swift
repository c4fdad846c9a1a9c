// Which steps start together: pure decisions, step by step.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync
@testable import Tree

@Suite struct StepChoiceTests {
    private func upload(_ number: UInt64, size: Int64 = 10, base: Bool = false) -> UploadStep {
        let hash = ContentHasher.hash([])
        let staged = StagedContent(
            file: Int64(number), size: size, generation: 1,
            base: base
                ? StagedContent.Base(
                    revision: Revision("000000001"), hash: hash, size: 5, limit: 5) : nil,
            blocks: [])
        return .upload(
            ContentUpload(
                path: RemotePath(rawValue: "/\(number)"), expectation: .absent(strict: true),
                modified: WallTime(seconds: 0), staged: staged))
    }

    private func move(
        _ source: String, _ target: String, isFolder: Bool = false
    ) -> UploadStep {
        .move(
            NodeMove(
                source: RemotePath(rawValue: source), target: RemotePath(rawValue: target),
                id: nil, isFolder: isFolder))
    }

    private func choice(
        busy: Set<InodeID> = [], batching: Set<StepBatch.Kind> = [], room: Int = 8
    ) -> StepChoice {
        StepChoice(busy: busy, batching: batching, room: room)
    }

    @Test("a few small contents go side by side, more of them together")
    func smallest() {
        var choice = choice()
        for number in 1..<UInt64(StepChoice.smallestBatch) {
            let mayGoOn1 = choice.add(upload(number), for: InodeID(number), attempts: 0)
            #expect(mayGoOn1)
        }
        #expect(choice.batches.isEmpty)
        #expect(choice.singles.count == StepChoice.smallestBatch - 1)
        let mayGoOn2 = choice.add(upload(9), for: InodeID(9), attempts: 0)
        #expect(mayGoOn2)
        #expect(choice.batches.map(\.items.count) == [StepChoice.smallestBatch])
        #expect(choice.singles.isEmpty)
    }

    @Test("no more tasks start than there is room for, however few contents a batch has")
    func room() {
        for count in 0...UInt64(8) {
            var choice = choice()
            for number in 0..<count {
                _ = choice.add(upload(number, base: true), for: InodeID(number), attempts: 0)
            }
            for number in 100..<UInt64(100 + StepChoice.smallestBatch - 1) {
                _ = choice.add(upload(number), for: InodeID(number), attempts: 0)
            }
            let started = choice.singles.count + choice.batches.count
            #expect(started <= 8)
            let isTight = Int(count) + StepChoice.smallestBatch - 1 > 8
            #expect(choice.batches.map(\.items.count) == (isTight && count < 8 ? [3] : []))
            #expect(choice.singles.count == (isTight ? Int(count) : Int(count) + 3))
        }
    }

    @Test("what failed in company, is large or lies over a base goes alone")
    func alone() {
        var choice = choice()
        let mayGoOn1 = choice.add(upload(1), for: InodeID(1), attempts: 1)
        #expect(mayGoOn1)
        let mayGoOn2 = choice.add(
            upload(2, size: Int64(ContentHasher.blockSize) + 1), for: InodeID(2), attempts: 0)
        #expect(mayGoOn2)
        let mayGoOn3 = choice.add(upload(3, base: true), for: InodeID(3), attempts: 0)
        #expect(mayGoOn3)
        for number in 4..<UInt64(10) {
            let mayGoOn4 = choice.add(upload(number), for: InodeID(number), attempts: 0)
            #expect(mayGoOn4)
        }
        #expect(Set(choice.singles.map(\.inode)) == [InodeID(1), InodeID(2), InodeID(3)])
        #expect(choice.batches.map(\.items.count) == [6])
    }

    @Test("a batch has limits of entries and of bytes")
    func limits() {
        var many = choice()
        for number in 0..<UInt64(StepChoice.batchLimit + 10) {
            let mayGoOn = many.add(
                .makeFolder(at: RemotePath(rawValue: "/\(number)")), for: InodeID(number),
                attempts: 0)
            #expect(mayGoOn)
        }
        #expect(many.batches.map(\.items.count) == [StepChoice.batchLimit])
        var heavy = choice()
        for number in 0..<UInt64(20) {
            _ = heavy.add(upload(number, size: 4 << 20), for: InodeID(number), attempts: 0)
        }
        #expect(heavy.batches.map(\.bytes) == [StepChoice.batchBytes])
    }

    @Test("while a batch is on its way, its kind gathers")
    func gathering() {
        var choice = choice(busy: [InodeID(50)], batching: [.uploads])
        for number in 0..<UInt64(10) {
            let mayGoOn1 = choice.add(upload(number), for: InodeID(number), attempts: 0)
            #expect(mayGoOn1)
        }
        #expect(choice.isEmpty)
        let mayGoOn2 = choice.add(.makeFolder(at: "/f"), for: InodeID(20), attempts: 0)
        #expect(mayGoOn2)
        #expect(choice.singles.map(\.inode) == [InodeID(20)])
    }

    @Test("what changes paths is alone, and nothing overtakes it")
    func exclusive() {
        let move = move("/a", "/b", isFolder: true)
        var idle = choice()
        let mayGoOn1 = idle.add(move, for: InodeID(1), attempts: 0)
        #expect(!mayGoOn1)
        #expect(idle.singles.map(\.inode) == [InodeID(1)])
        var busy = choice(busy: [InodeID(2)])
        let mayGoOn2 = busy.add(move, for: InodeID(1), attempts: 0)
        #expect(!mayGoOn2)
        #expect(busy.isEmpty)
        // A big file may be on its way for hours, and looks again before it is committed.
        var longRunning = StepChoice(
            busy: [InodeID(2)], longRunning: [InodeID(2)], batching: [], room: 7)
        _ = longRunning.add(move, for: InodeID(1), attempts: 0)
        #expect(longRunning.singles.map(\.inode) == [InodeID(1)])
        var second = choice()
        let mayGoOn3 = second.add(.makeFolder(at: "/f"), for: InodeID(3), attempts: 0)
        #expect(mayGoOn3)
        let mayGoOn4 = second.add(move, for: InodeID(1), attempts: 0)
        #expect(!mayGoOn4)
        #expect(second.singles.map(\.inode) == [InodeID(3)])
    }

    @Test("files move together, and nothing else then")
    func moves() {
        var choice = choice()
        for number in 1..<UInt64(10) {
            let mayGoOn = choice.add(
                move("/\(number)", "/m\(number)"), for: InodeID(number), attempts: 0)
            #expect(mayGoOn)
        }
        for (number, step) in [
            (20, .makeFolder(at: "/f")), (21, upload(21)), (22, move("/a", "/b", isFolder: true)),
        ] as [(UInt64, UploadStep)] {
            let mayGoOn = choice.add(step, for: InodeID(number), attempts: 0)
            #expect(mayGoOn)
        }
        // A step that failed in a batch goes alone.
        _ = choice.add(move("/x", "/y"), for: InodeID(30), attempts: 1)
        #expect(choice.singles.isEmpty)
        #expect(choice.batches.map(\.kind) == [.moves])
        #expect(choice.batches.map(\.items.count) == [9])

        var busy = self.choice(busy: [InodeID(2)])
        let mayGoOn = busy.add(move("/a", "/b"), for: InodeID(1), attempts: 0)
        #expect(!mayGoOn)
        #expect(busy.isEmpty)

        var failed = self.choice()
        _ = failed.add(move("/a", "/b"), for: InodeID(1), attempts: 1)
        #expect(failed.singles.map(\.inode) == [InodeID(1)])
    }

    @Test("a scan of a long journal is cut short, goes on, comes round once and ends")
    func round() {
        func blocked(upTo place: Int64) -> StepChoice {
            var choice = choice()
            while !choice.isCutShort { choice.passOver() }
            choice.lastExamined = place
            return choice
        }
        var exhausted = choice()
        exhausted.isExhausted = true

        var round = JournalRound(start: 700)
        let mayGoOn1 = round.goesOn(after: blocked(upTo: 1200), isSending: true)
        #expect(!mayGoOn1)
        #expect(round.place == 1200)

        var idle = JournalRound(start: 700)
        let mayGoOn2 = idle.goesOn(after: blocked(upTo: 1200), isSending: false)
        #expect(mayGoOn2)
        let mayGoOn3 = idle.goesOn(after: exhausted, isSending: false)
        #expect(mayGoOn3)
        #expect(idle.place == 0)
        let mayGoOn4 = idle.goesOn(after: blocked(upTo: 512), isSending: false)
        #expect(mayGoOn4)
        let mayGoOn5 = idle.goesOn(after: blocked(upTo: 1024), isSending: false)
        #expect(!mayGoOn5)
    }
}
