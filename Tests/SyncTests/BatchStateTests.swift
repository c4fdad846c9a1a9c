// The values that keep the state of a batch and of a listing: pure, without a store.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import Sync
@testable import Tree

@Suite struct BatchStateTests {
    private func folder(_ name: String) throws -> RemoteEntry {
        RemoteEntry(
            foldedPath: RemotePath(rawValue: "/\(name)"), name: try FileName(name),
            kind: .folder(RemoteFolder(id: FileID("id:\(name)"))))
    }

    @Test("a batch tells which entries are after the present one")
    func positions() throws {
        let deletion = RemoteEntry(
            foldedPath: RemotePath(rawValue: "/a"), name: try FileName("a"), kind: .deleted)
        let entries = [try folder("a"), try folder("b"), deletion]
        var batch = DeltaBatch(entries, isFeed: true)
        let (first, second) = (FileID("id:a"), FileID("id:b"))
        batch.advance(to: 0, entries[0])
        #expect(batch.isDeletedLater && batch.isToldLater(second) && !batch.isToldLater(first))
        batch.advance(to: 1, entries[1])
        #expect(!batch.isDeletedLater && !batch.isToldLater(second))
        #expect(batch.has(first) && !batch.has(FileID("id:c")))
        batch.forgetNodes()
        #expect(!batch.has(first))
    }

    @Test("restored folders are taken once, inner ones first")
    func restored() {
        var batch = DeltaBatch()
        batch.noteRestored(InodeID(2))
        batch.noteRestored(InodeID(3))
        let taken = batch.takeRestored()
        #expect(taken == [InodeID(3), InodeID(2)])
        let rest = batch.takeRestored()
        #expect(rest.isEmpty)
    }

    @Test("the changes of a part come behind the earlier ones, and a listing is announced once")
    func parts() {
        let (one, two) = (InodeID(2), InodeID(3))
        var collected = CollectedChanges()
        collected.append(.content(one))
        collected.appendListing(of: .root)
        var earlier: [TreeChange] = []
        collected.exchangeChanges(with: &earlier)
        #expect(collected.outcome.changes.isEmpty)
        collected.append(.content(two))
        collected.appendListing(of: .root)
        collected.append(to: &earlier)
        #expect(collected.outcome.changes == [.content(one), .listing(.root), .content(two)])
    }

    @Test("the third refusal of a full listing in a row is one too many")
    func refusals() {
        var listing = ListingProgress()
        var answers = [listing.noteRefusal(), listing.noteRefusal()]
        listing.notePage(entries: 1, newlySeen: 1, isLast: false)
        for _ in 0..<4 { answers.append(listing.noteRefusal()) }
        #expect(answers == [false, false, false, false, true, false])
    }

    @Test("pages without entries are followed by pauses, and one with new entries by none")
    func emptyPages() {
        var listing = ListingProgress()
        for _ in 0..<10 { listing.notePage(entries: 0, newlySeen: 0, isLast: false) }
        #expect(!listing.isMovingOn && listing.pause(atMost: 30) > 1)
        listing.notePage(entries: 2, newlySeen: 1, isLast: false)
        #expect(listing.isMovingOn && listing.pause(atMost: 30) == 0)
    }

    @Test("each entry may be told once more without a pause, as after a change, but not for ever")
    func repeatedPages() {
        var listing = ListingProgress()
        for _ in 0..<10 { listing.notePage(entries: 2000, newlySeen: 2000, isLast: false) }
        for _ in 0..<10 {
            listing.notePage(entries: 2000, newlySeen: 0, isLast: false)
            #expect(listing.isMovingOn)
        }
        listing.notePage(entries: 2000, newlySeen: 0, isLast: false)
        #expect(!listing.isMovingOn)
        listing.notePage(entries: 2000, newlySeen: 0, isLast: true)
        listing.notePage(entries: 2000, newlySeen: 0, isLast: false)
        #expect(listing.isMovingOn)
    }
}
