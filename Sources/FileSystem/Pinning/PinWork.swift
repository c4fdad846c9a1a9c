// Which blocks are fetched for pins, in which order, and the effect of failures. Pure: events and
// times in, decisions out.

import BlockCache
import ContentHashing
import Core
import DequeModule
import RemoteStore
import Saturating

/// The pinned contents that are not cached.
struct PinWork: Sendable {
    /// A block to fetch.
    struct Piece: Hashable, Sendable {
        var content: FileVersion
        var block: Int
        /// A file with this content.
        var inode: InodeID
    }

    /// How the fetch of a piece ended.
    enum Ending: Hashable, Sendable {
        /// The block is in the cache.
        case kept
        /// The server or the network refused.
        case failed(RemoteError)
        /// The disk of the cache did not take the block.
        case notKept
    }

    /// The consequence of an error.
    enum Reaction: Hashable {
        /// Pauses the fetches of all contents.
        case pause
        /// Postpones this content; others may work.
        case postpone
        /// Gives this content up for good.
        case refuse
    }

    private struct Missing {
        var wanted: WantedContent
        var next = 0
        /// Blocks that failed and are retried.
        var again: [Int] = []
        var running = 0
        var kept = 0
        var failures = 0

        var blockCount: Int {
            Int(
                clamping: (wanted.content.size +| DiskBlockCache.blockSize -| 1)
                    / DiskBlockCache.blockSize)
        }
        var isWhole: Bool { kept == blockCount }
        var keptBytes: Int64 {
            min(Int64(clamping: kept) *| DiskBlockCache.blockSize, wanted.content.size)
        }

        mutating func take() -> Int? {
            if let block = again.popLast() { return block }
            guard next < blockCount else { return nil }
            defer { next +|= 1 }
            return next
        }
    }

    /// Seconds to wait after consecutive failures: of all fetches, and of one content.
    private static let pauses = (first: 1.0, longest: 60.0)
    private static let postponements = (first: 30.0, longest: 3600.0)

    /// The totals as of now.
    private(set) var totals = PinTotals()
    private(set) var known = KnownContents()
    /// The last error since the last successful fetch.
    private(set) var problem: String?
    private var missing: [ContentHash: Missing] = [:]
    private var ready: Deque<ContentHash> = []
    /// The missing contents that failed, and when each is retried.
    private var postponed: [ContentHash: WallTime] = [:]
    private var isCut = false
    private var failures = 0
    private var pausedUntil = WallTime(nanoseconds: 0)

    /// Whether no content is missing.
    var isIdle: Bool { missing.isEmpty }
    /// Whether another scan is due, because the last one was cut off.
    var needsScan: Bool { isCut && missing.count == postponed.count }
    /// Whether every missing content has failed.
    var isStuck: Bool {
        !missing.isEmpty && (postponed.count == missing.count || failures > 3)
    }
    /// Contents with a running fetch, and the bytes that are cached.
    var running: [(wanted: WantedContent, kept: Int64)] {
        missing.values.filter { $0.running > 0 }.map { ($0.wanted, $0.keptBytes) }
    }

    /// Bytes of a missing content that were fetched so far.
    func keptBytes(of hash: ContentHash) -> Int64 { missing[hash]?.keptBytes ?? 0 }

    // MARK: Wanted content

    /// Takes the result of a scan, and those of its unknown contents that the disk has.
    mutating func take(_ scan: PinScan, found: Set<ContentHash>) {
        totals = scan.totals
        isCut = scan.isCut
        known.present.formIntersection(scan.hashes)
        var wanted: [ContentHash: Missing] = [:]
        ready = []
        for item in scan.unknown {
            let hash = item.content.hash
            if found.contains(hash) || known.present.contains(hash) {
                notePresent(item)
                continue
            }
            var entry = missing[hash] ?? Missing(wanted: item)
            entry.wanted = item
            wanted[hash] = entry
            if postponed[hash] == nil { ready.append(hash) }
        }
        missing = wanted
        postponed = postponed.filter { wanted[$0.key] != nil }
        if missing.isEmpty { problem = nil }
    }

    /// Drops the known contents, so that the next scan checks the disk.
    mutating func forgetPresent() {
        known.present = []
    }

    private mutating func notePresent(_ item: WantedContent) {
        known.present.insert(item.content.hash)
        totals.presentFiles +|= item.files
        totals.presentBytes +|= Int64(clamping: item.files) *| item.content.size
    }

    // MARK: Fetching

    /// The next piece; nil if none can be fetched now.
    mutating func next(at now: WallTime) -> Piece? {
        guard now >= pausedUntil else { return nil }
        for (hash, time) in postponed where time <= now {
            postponed[hash] = nil
            ready.append(hash)
        }
        while let hash = ready.first {
            if postponed[hash] == nil, let block = missing[hash]?.take(),
                let wanted = missing[hash]?.wanted
            {
                missing[hash]?.running +|= 1
                return Piece(content: wanted.content, block: block, inode: wanted.inode)
            }
            ready.removeFirst()
        }
        return nil
    }

    /// When the next postponed piece is due; nil if none is.
    func wakeTime(after now: WallTime) -> WallTime? {
        guard !missing.isEmpty else { return nil }
        return [Array(postponed.values), [pausedUntil]].joined().filter { $0 > now }.min()
    }

    /// Ends the pause, because the network is back.
    mutating func resume() {
        pausedUntil = WallTime(nanoseconds: 0)
        failures = 0
    }

    /// Ends a piece. `name` is the file's name in messages. Returns whether all of the content was
    /// fetched, so that the disk is to be checked for it.
    mutating func ended(
        _ piece: Piece, _ ending: Ending, name: String = "", at now: WallTime
    ) -> Bool {
        let hash = piece.content.hash
        guard var entry = missing[hash] else { return false }
        entry.running -|= 1
        switch ending {
        case .kept:
            entry.kept +|= 1
            failures = 0
            problem = nil
        case .failed(let error):
            entry.again.append(piece.block)
            react(to: error, &entry, name, now)
        case .notKept:
            entry.again.append(piece.block)
            pause(because: "the disk of the cache does not take it: free some space", at: now)
        }
        missing[hash] = known.refused.contains(hash) ? nil : entry
        if !entry.again.isEmpty { ready.prepend(hash) }
        return entry.isWhole
    }

    /// Takes the result of that check.
    mutating func settled(_ hash: ContentHash, isHere: Bool, at now: WallTime) {
        guard var entry = missing[hash] else { return }
        if isHere {
            missing[hash] = nil
            return notePresent(entry.wanted)
        }
        // The bytes were wrong, or were removed.
        entry.next = 0
        entry.kept = 0
        postpone(&entry, at: now)
        missing[hash] = entry
    }

    // MARK: Failures

    static func reaction(to error: RemoteError) -> Reaction {
        switch error {
        case .offline, .unreachable, .timedOut, .rateLimited, .unauthorized, .busy, .server,
            .unsent, .rootChanged, .rootMissing, .insufficientSpace, .contentUnreadable, .cancelled:
            .pause
        case .notDownloadable: .refuse
        case .forbidden, .notFound, .notAFolder, .notAFile, .conflict, .tooLarge, .tooManyEntries,
            .disallowedName, .protected, .cursorReset, .contentMismatch, .sessionLost, .malformed:
            .postpone
        }
    }

    private mutating func react(
        to error: RemoteError, _ entry: inout Missing, _ name: String, _ now: WallTime
    ) {
        if error == .cancelled { return }
        switch Self.reaction(to: error) {
        case .pause:
            let wish = if case .rateLimited(let seconds) = error { seconds } else { 0.0 }
            pause(because: Self.text(of: error), atLeast: wish, at: now)
        case .postpone:
            postpone(&entry, at: now)
            problem = "\(name): \(Self.text(of: error))"
        case .refuse:
            known.refused.insert(entry.wanted.content.hash)
            totals.unavailableFiles +|= entry.wanted.files
            totals.unavailableBytes +|= Int64(clamping: entry.wanted.files)
                *| entry.wanted.content.size
        }
    }

    private mutating func pause(
        because reason: String, atLeast wish: Double = 0, at now: WallTime
    ) {
        // Pieces that fail together count as one failure.
        guard now >= pausedUntil else { return }
        failures +|= 1
        let seconds = max(wish, Self.delay(Self.pauses, after: failures))
        pausedUntil = now.adding(seconds: seconds)
        problem = reason
    }

    private mutating func postpone(_ entry: inout Missing, at now: WallTime) {
        entry.failures +|= 1
        let seconds = Self.delay(Self.postponements, after: entry.failures)
        postponed[entry.wanted.content.hash] = now.adding(seconds: seconds)
    }

    private static func delay(_ range: (first: Double, longest: Double), after failures: Int)
        -> Double
    {
        min(
            range.longest,
            Double(sign: .plus, exponent: max(0, min(failures -| 1, 16)), significand: range.first))
    }

    private static func text(of error: RemoteError) -> String {
        switch error {
        case .offline(let detail), .unreachable(let detail), .unauthorized(let detail),
            .forbidden(let detail), .malformed(let detail), .server(let detail),
            .unsent(let detail), .protected(let detail), .contentUnreadable(let detail):
            detail
        case .timedOut: "Dropbox did not answer in time"
        case .rateLimited: "Dropbox asked to wait: too many requests"
        case .notFound: "Dropbox no longer has this version"
        default: "\(error)"
        }
    }
}
