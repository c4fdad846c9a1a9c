// When watchers are told of other clients' changes: batches, an unmount that is tried and
// withdrawn, and the end.

import Core
import Testing
import Tree

@testable import FileSystem

/// A queue in a reference: `#expect` takes no calls that change a value.
private final class Owner {
    private var queue = SignalQueue()

    func add(_ changes: [TreeChange]) -> Bool { queue.add(changes) }
    func take() -> GatheredChanges? { queue.take() }
    func finish(_ outcome: SignalQueue.Outcome) -> Bool { queue.finish(outcome) }
    func hold() { queue.hold() }
    func release() -> Bool { queue.release() }
    func end() { queue.end() }
}

@Suite struct SignalQueueTests {
    private let first = [TreeChange.content(InodeID(2)), .attributes(InodeID(3))]
    private let second = [TreeChange.content(InodeID(4))]

    private func gathered(_ changes: [TreeChange]) -> GatheredChanges {
        var gathered = GatheredChanges()
        gathered.add(changes)
        return gathered
    }

    /// A queue of which a batch with the first changes was taken.
    private func raising() -> Owner {
        let queue = Owner()
        #expect(queue.add(first))
        #expect(queue.take() == gathered(first))
        return queue
    }

    @Test("changes gather for one batch, and those that come while it is raised for the next one")
    func batches() {
        let queue = Owner()
        #expect(!queue.add([]))
        #expect(queue.add(first))
        #expect(!queue.add(second))
        #expect(queue.take() == gathered(first + second))
        #expect(!queue.add(second))
        #expect(queue.take() == nil)
        #expect(queue.finish(.raised))
        #expect(queue.take() == gathered(second))
        #expect(!queue.finish(.raised))
        #expect(queue.add(first))
    }

    @Test("a batch that is cut by an unmount is raised after the withdrawal, with later changes")
    func cut() {
        let queue = raising()
        queue.hold()
        #expect(!queue.add(second))
        // Not while the unmount is tried.
        #expect(!queue.finish(.incomplete))
        #expect(queue.take() == nil)
        #expect(queue.release())
        #expect(queue.take() == gathered(first + second))
        #expect(!queue.finish(.raised))
    }

    @Test("so is one whose helper ends only after the withdrawal")
    func cutLate() {
        let queue = raising()
        queue.hold()
        #expect(!queue.release())
        #expect(queue.finish(.incomplete))
        #expect(queue.take() == gathered(first))
        // It was cut the first time alone.
        #expect(!queue.finish(.incomplete))
    }

    @Test("a batch that was raised in spite of the unmount is not raised again")
    func raisedWhileHeld() {
        let queue = raising()
        queue.hold()
        #expect(!queue.finish(.raised))
        #expect(!queue.release())
        #expect(queue.add(second))
        #expect(queue.take() == gathered(second))
    }

    @Test("a helper that fails by itself is not run again for its batch")
    func failed() {
        let queue = raising()
        #expect(!queue.add(second))
        #expect(queue.finish(.incomplete))
        #expect(queue.take() == gathered(second))
    }

    @Test("a batch that the kernel is not ready for is taken again, before later changes")
    func postponed() {
        let queue = raising()
        #expect(!queue.add(second))
        #expect(queue.finish(.postponed))
        #expect(queue.take() == gathered(first + second))
    }

    @Test("changes during an unmount that is tried wait for the withdrawal")
    func held() {
        let queue = Owner()
        queue.hold()
        #expect(!queue.add(first))
        #expect(queue.release())
        // A second unmount comes before the batch is taken, and its withdrawal.
        queue.hold()
        #expect(queue.take() == nil)
        #expect(queue.release())
        #expect(!queue.release())
        #expect(queue.take() == gathered(first))
    }

    @Test("after the end there is no batch, also not the one that was cut")
    func end() {
        let queue = raising()
        queue.hold()
        queue.end()
        #expect(!queue.finish(.incomplete))
        #expect(!queue.release())
        #expect(!queue.add(second))
        #expect(queue.take() == nil)
    }

    @Test("of many changes, folders and nodes are kept, also if their batch is cut")
    func many() throws {
        let name = name("a")
        let most = (0..<UInt64(GatheredChanges.most)).map { TreeChange.content(InodeID($0 + 100)) }
        let more = [
            TreeChange.entry(parent: InodeID(2), name: name), .attributes(InodeID(3)),
            .deletedEntry(parent: InodeID(4), child: InodeID(5), name: name),
            .listing(InodeID(6)),
        ]
        let queue = Owner()
        #expect(queue.add(most))
        #expect(!queue.add(more))
        let batch = try #require(queue.take())
        // By itself: a failure would print each of them.
        let hasMost = batch.changes == most
        #expect(hasMost)
        #expect(batch.folders == [InodeID(2), InodeID(4)])
        #expect(batch.nodes == [InodeID(3)])
        queue.hold()
        #expect(!queue.add([.content(InodeID(7))]))
        #expect(!queue.finish(.incomplete))
        #expect(queue.release())
        let next = try #require(queue.take())
        let keepsMost = next.changes == most
        #expect(keepsMost)
        #expect(next.folders == batch.folders)
        #expect(next.nodes == [InodeID(3), InodeID(7)])
    }
}
