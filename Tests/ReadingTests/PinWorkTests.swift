// The fetches for pins, and their times: rows and times in, decisions out.

import ContentHashing
import Core
@testable import FileSystem
import MetadataStore
import RemoteStore
import Testing

@Suite("What pins ask for")
struct PinWorkTests {
    private func file(
        _ number: UInt64, content: String, size: Int64 = 10, isStaged: Bool = false
    ) -> PinnedFile {
        PinnedFile(
            inode: InodeID(number), size: size, revision: Revision("rev-" + content),
            hash: hash(content), isStaged: isStaged)
    }

    private func hash(_ content: String) -> ContentHash { ContentHasher.hash(Array(content.utf8)) }

    private func scan(
        _ files: [PinnedFile], known: KnownContents = KnownContents(), limit: Int = 100
    ) -> PinScan {
        var scan = PinScan(known: known, limit: limit)
        for file in files { scan.add(file) }
        return scan
    }

    private func work(_ files: [PinnedFile], here: [String] = []) -> PinWork {
        var work = PinWork()
        work.take(scan(files), found: Set(here.map(hash)))
        return work
    }

    private func take(from work: inout PinWork, at now: WallTime) throws -> PinWork.Piece {
        let piece = work.next(at: now)
        return try #require(piece)
    }

    /// The next fetch, which stays in `work`.
    private func next(of work: PinWork, at now: WallTime) -> PinWork.Piece? {
        var copy = work
        return copy.next(at: now)
    }

    private func at(_ seconds: Int64) -> WallTime { WallTime(seconds: 1000 + seconds) }

    // MARK: Looking

    @Test("files with one content are one content, and count as many files")
    func shared() {
        let scan = scan([file(2, content: "a"), file(3, content: "a"), file(4, content: "b")])
        #expect(scan.totals.files == 3 && scan.totals.bytes == 30)
        #expect(scan.totals.contentBytes == 20)
        #expect(scan.unknown.map(\.files) == [2, 1])
        #expect(scan.hashes == [hash("a"), hash("b")])
    }

    @Test("local changes, empty files and cloud documents need no fetching")
    func noFetching() {
        var document = file(4, content: "d")
        document.isDownloadable = false
        var withoutHash = file(5, content: "e")
        withoutHash.hash = nil
        var staged = file(2, content: "a", isStaged: true)
        staged.stagedHash = hash("new")
        let scan = scan([staged, file(3, content: "", size: 0), document, withoutHash])
        #expect(scan.unknown.isEmpty)
        #expect(scan.totals.presentFiles == 2 && scan.totals.unavailableFiles == 2)
        #expect(scan.totals.missingFiles == 0 && scan.totals.missingBytes == 0)
        // The content below the changes, and their results, are not evicted.
        #expect(scan.hashes == [hash("a"), hash("new")])
    }

    @Test("more contents than the limit are left for the next pass, and pinned all the same")
    func cut() {
        let files = (2..<12).map { file($0, content: "\($0)") }
        var work = PinWork()
        work.take(scan(files, limit: 4), found: [])
        #expect(!work.needsScan)
        work.take(scan(files, limit: 4), found: Set((2..<6).map { hash("\($0)") }))
        #expect(work.needsScan)
        let next = scan(files, known: work.known, limit: 100)
        #expect(!next.isCut && next.unknown.count == 6 && next.hashes.count == 10)
        #expect(next.totals.presentFiles == 4)
    }

    // MARK: Fetching

    @Test("each block is asked for once, and the file is here when the disk has all of it")
    func blocks() {
        var work = work([file(2, content: "a", size: 9 << 20), file(3, content: "b")])
        var pieces: [PinWork.Piece] = []
        while let piece = work.next(at: at(0)) { pieces.append(piece) }
        #expect(pieces.map(\.block) == [0, 1, 2, 0])
        var isWhole = pieces[0...1].map { work.ended($0, .kept, at: at(1)) }
        #expect(isWhole == [false, false])
        #expect(work.keptBytes(of: hash("a")) == 8 << 20)
        isWhole = [work.ended(pieces[2], .kept, at: at(1))]
        #expect(isWhole == [true])
        #expect(work.totals.presentFiles == 0)
        work.settled(hash("a"), isHere: true, at: at(1))
        #expect(work.totals.presentFiles == 1 && work.totals.presentBytes == 9 << 20)
        #expect(work.known.present == [hash("a")])
        #expect(!work.isIdle)
    }

    @Test("content that was not whole on the disk is fetched again, later")
    func vanished() throws {
        var work = work([file(2, content: "a")])
        let piece = try take(from: &work, at: at(0))
        let isWhole = work.ended(piece, .kept, at: at(0))
        #expect(isWhole)
        work.settled(hash("a"), isHere: false, at: at(0))
        #expect(next(of: work, at: at(1)) == nil)
        let again = try #require(work.wakeTime(after: at(1)))
        #expect(next(of: work, at: again) == piece)
    }

    @Test("a pass during fetches keeps those under way, and drops content that is no longer pinned")
    func lookMeanwhile() throws {
        let files = [file(2, content: "a", size: 9 << 20), file(3, content: "b")]
        var work = work(files)
        let first = try take(from: &work, at: at(0))
        work.take(scan([files[0]]), found: [])
        let second = try take(from: &work, at: at(0))
        #expect(second.block == 1)
        _ = work.ended(first, .kept, at: at(0))
        #expect(work.keptBytes(of: hash("a")) == 4 << 20)
        work.take(scan([]), found: [])
        #expect(work.isIdle)
        let isWhole = work.ended(second, .kept, at: at(0))
        #expect(!isWhole && work.totals.files == 0)
    }

    @Test("content evicted after its unpinning is fetched when it is pinned again")
    func pinnedAgain() {
        var work = work([file(2, content: "a")], here: ["a"])
        #expect(work.totals.presentFiles == 1)
        work.take(scan([], known: work.known), found: [])
        let again = scan([file(2, content: "a")], known: work.known)
        #expect(again.unknown.count == 1)
    }

    // MARK: Failures

    @Test("while the network fails everything waits, twice as long each time, up to a minute")
    func backoff() throws {
        var work = work([file(2, content: "a"), file(3, content: "b")])
        var now = at(0)
        var waits: [Double] = []
        for _ in 0..<8 {
            let piece = try take(from: &work, at: now)
            _ = work.ended(piece, .failed(.timedOut), at: now)
            #expect(next(of: work, at: now) == nil)
            let next = try #require(work.wakeTime(after: now))
            waits.append(Double(next.nanoseconds - now.nanoseconds) / 1e9)
            now = next
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(work.isStuck && work.problem != nil)
        work.resume()
        let piece = try take(from: &work, at: at(0))
        _ = work.ended(piece, .kept, at: now)
        #expect(!work.isStuck && work.problem == nil)
    }

    @Test("the server's wish is heeded, and pieces that fail together are one failure")
    func rateLimited() throws {
        var work = work([file(2, content: "a"), file(3, content: "b")])
        let pieces = [try take(from: &work, at: at(0)), try take(from: &work, at: at(0))]
        for piece in pieces {
            _ = work.ended(piece, .failed(.rateLimited(retryAfter: 7)), at: at(0))
        }
        #expect(work.wakeTime(after: at(0)) == at(7))
        #expect(next(of: work, at: at(6)) == nil)
        #expect(next(of: work, at: at(7)) != nil)
        #expect(!work.isStuck)
    }

    @Test("a disk that takes nothing more holds up everything, and is named as the reason")
    func diskFull() throws {
        var work = work([file(2, content: "a"), file(3, content: "b")])
        let piece = try take(from: &work, at: at(0))
        _ = work.ended(piece, .notKept, at: at(0))
        #expect(work.problem?.contains("disk") == true)
        #expect(next(of: work, at: at(0)) == nil)
        #expect(next(of: work, at: at(1)) == piece)
    }

    @Test("a content that cannot be had holds up no other one")
    func postponed() throws {
        var work = work([file(2, content: "a"), file(3, content: "b")])
        let piece = try take(from: &work, at: at(0))
        _ = work.ended(piece, .failed(.notFound), name: "/a", at: at(0))
        #expect(work.problem?.hasPrefix("/a: ") == true)
        let other = try take(from: &work, at: at(0))
        #expect(other.content.hash == hash("b"))
        #expect(!work.isStuck)
        _ = work.ended(other, .kept, at: at(1))
        work.settled(hash("b"), isHere: true, at: at(1))
        #expect(work.isStuck)
        #expect(next(of: work, at: at(29)) == nil)
        #expect(next(of: work, at: at(30)) == piece)
    }

    @Test("what the server refuses to hand out is skipped for good, and counted")
    func refused() throws {
        let files = [file(2, content: "a"), file(3, content: "a")]
        var work = work(files)
        let piece = try take(from: &work, at: at(0))
        _ = work.ended(piece, .failed(.notDownloadable), at: at(0))
        #expect(work.isIdle && work.totals.unavailableFiles == 2)
        work.take(scan(files, known: work.known), found: [])
        #expect(work.isIdle && work.totals.unavailableFiles == 2)
    }

    @Test("sizes whose sum overflows are counted up to the largest number")
    func hugeSizes() {
        let files = (0..<3).map { file(UInt64($0 + 2), content: "\($0)", size: .max / 2) }
        let totals = scan(files).totals
        #expect(totals.bytes == .max)
        #expect(totals.contentBytes == .max)
        #expect(totals.missingBytes == .max)
    }
}
