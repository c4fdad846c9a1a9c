// Disk space that a file beside the database holds, so that the database can go on when the disk
// is full. Without it, unsent content that has taken the last byte could never be sent: each step
// has rows to write. Not responsible for when a transaction needs it
// (`MetadataStore+Failure.swift`).

import Dispatch
import GRDB
import Glibc
import LocalFiles
import Saturating
import Synchronization

/// A part of the disk that is allocated in advance, and released in pieces when the disk is full.
///
/// While some of it is released, the space is for changes that make the queue shorter: content and
/// new entries are refused. It is allocated again as soon as the disk has room. Free space that is
/// only watched would be no reserve, because other programs do not watch it.
package final class SpaceReserve: Sendable {
    /// The effect of a change on the space that rows and files take.
    package enum Use: Hashable, Sendable {
        /// It takes more: content, new entries.
        case growth
        /// It changes rows that are there.
        case change
        /// It makes room, or records acknowledged content.
        case release
    }

    /// The space of a disk in bytes.
    package typealias Space = (free: Int64, total: Int64)

    /// Bytes of the reserve: the log of SQLite before it begins anew, twice, because readers may
    /// keep it from doing so.
    private static let largest: Int64 = 8 << 20
    /// The divisor of the size of a small disk that gives its reserve.
    private static let part: Int64 = 6
    /// Pieces in which it is released, so that another program that fills the disk in between does
    /// not get all of it.
    private static let pieces: Int64 = 8
    /// Seconds between two tries to allocate it, if there seems to be room: a quota may refuse.
    private static let pause: Int64 = 1
    /// Seconds until a disk has freed the space of deleted files: a transaction of Btrfs.
    private static let freeing: Int64 = 30
    /// Seconds until a released reserve is tried again unasked.
    private static let patience = 5

    private struct State {
        /// Bytes that are allocated.
        var left: Int64
        /// When an allocation has failed, in seconds of the monotonic clock.
        var failed: Int64?
        /// Whether it will be tried again unasked.
        var isFollowed = false
        /// When cached content has given way to no effect, in seconds of the monotonic clock.
        var gaveWayInVain: Int64?
        /// Frees space of content that can be fetched again.
        var makeRoom: (@Sendable (Int64) -> Bool)?
    }

    private let path: String
    private let folder: String
    private let spaceOfFolder: @Sendable (String) -> Space?
    /// Allocates a file up to a size; returns an error of the system, or 0.
    private let allocateFile: @Sendable (_ descriptor: Int32, _ size: Int64) -> Int32
    /// Its size in bytes.
    private let size: Int64
    /// Whether all of it is allocated. Each write of users reads it, so it is no part of the state.
    private let held = Atomic<Bool>(false)
    /// Lock: a leaf; held over calls on the file.
    private let state: Mutex<State>
    /// Lock: above `state`; held while cached content gives way to other such content, so that
    /// threads that find the same shortage do not each evict a part.
    private let givingWay = Mutex(())
    private let queue = DispatchQueue(label: "dbxfs.store.reserve")

    /// Takes over the space that an earlier process has allocated, and releases a piece if a start
    /// needs one. `begin` allocates the rest.
    package convenience init(beside database: String) {
        self.init(beside: database, largest: Self.largest) { Self.space(at: $0) }
    }

    /// The same with so many bytes at most, and other ways to learn the space of a folder's disk
    /// and to allocate it.
    package init(
        beside database: String, largest: Int64,
        allocate: (@Sendable (_ descriptor: Int32, _ size: Int64) -> Int32)? = nil,
        space: @escaping @Sendable (_ folder: String) -> Space?
    ) {
        allocateFile = allocate ?? { posix_fallocate($0, 0, off_t(clamping: $1)) }
        path = database + "-reserve"
        folder = folderPath(of: database)
        spaceOfFolder = space
        size = max(0, min(largest, (space(folder)?.total ?? 0).divided(by: Self.part)))
        var status = stat()
        // A copy of the file may have its size and nothing else.
        let left = lstat(path, &status) == 0 ? Int64(clamping: status.st_blocks) *| 512 : 0
        state = Mutex(State(left: min(left, size, Int64(clamping: status.st_size))))
        prepare()
    }

    /// The space of the disk now; nil if it cannot be learnt.
    private var space: Space? { spaceOfFolder(folder) }

    /// Whether all of the space is allocated.
    package var isHeld: Bool { held.load(ordering: .relaxed) }

    /// Bytes that are to be allocated when the disk has room: none, unless some are released.
    package var missing: Int64 { isHeld ? 0 : size -| state.withLock { $0.left } }

    /// Has `body` free space of content that can be fetched again, so that unsent content gets it.
    /// It returns whether it has freed any of so many bytes.
    package func observeShortage(_ body: (@Sendable (Int64) -> Bool)?) {
        state.withLock { $0.makeRoom = body }
    }

    /// Whether there is space for a change. Costs a load as long as the disk has room.
    package func admits(_ use: Use) -> Bool {
        if isHeld || use == .release || take() { return true }
        // The rest is for changes that make the queue shorter.
        guard use == .change, let space else { return false }
        return space.free +| state.withLock { $0.left } > size / 2
    }

    /// Whether rows that are awaited may take so many bytes. If all of the queue waits for them,
    /// that is half of the free and the allocated bytes, because only sent changes make room;
    /// otherwise half of the reserve is left for sending.
    package func admits(awaited bytes: Int64, byAll isByAll: Bool) -> Bool {
        guard let space else { return true }
        let rest = space.free +| state.withLock { $0.left }
        return bytes <= (isByAll ? rest / 2 : rest -| size / 2)
    }

    /// Whether there is space for content that can be fetched again. Other such content gives way
    /// to it, so that the disk stays above the low-water mark.
    package var admitsCachedContent: Bool {
        guard isHeld else { return false }
        if shortage() <= 0 { return true }
        return givingWay.withLock { _ in
            let shortage = shortage()
            if shortage <= 0 { return true }
            let (now, last) = (Self.now, state.withLock { $0.gaveWayInVain })
            if let last, now -| last < Self.freeing { return false }
            guard makeRoom(for: shortage) else { return false }
            let isMade = self.shortage() <= 0
            state.withLock { $0.gaveWayInVain = isMade ? nil : now }
            return isMade
        }
    }

    /// Bytes that the disk lacks to the low-water mark once so many more are written; not above 0
    /// if it lacks none. Released space is for users' changes.
    package func shortage(after bytes: Int64 = 0) -> Int64 {
        guard let space else { return 0 }
        return LowWaterMark.shortage(free: space.free -| bytes -| missing, of: space.total)
    }

    /// Frees up to so many bytes that cached content takes. Returns whether there were any.
    package func makeRoom(for bytes: Int64) -> Bool {
        state.withLock { $0.makeRoom }?(bytes) ?? false
    }

    /// Releases a piece before a transaction, if that could take the last of the disk. A
    /// transaction cannot be repeated, because its caller does more than change rows. It is one
    /// piece, also if the disk is still full then: the program that has taken it would take all.
    package func prepare() {
        if let space, space.free < piece / 2 { release() }
    }

    /// Runs work that can be repeated, each time with more of the space, until it fails for another
    /// reason than a full disk.
    package func retrying<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            do {
                return try body()
            } catch {
                guard mayHelp(against: error), release() else { throw error }
            }
        }
    }

    /// Whether an error can come from a full disk. SQLite calls a quota that is used up an error of
    /// input and output, and a log that cannot be created a failure to open it.
    package func mayHelp(against error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
    }

    /// Releases a piece of the space. Returns whether there was any.
    @discardableResult
    package func release() -> Bool {
        let isReleased = state.withLock { state in
            guard state.left > 0 else { return false }
            held.store(false, ordering: .relaxed)
            // Of no use if it cannot be cut.
            let left = max(0, state.left -| max(1, piece))
            state.left = cut(to: left) ? left : 0
            return true
        }
        if isReleased { follow() }
        return isReleased
    }

    /// Allocates the space now, or when the disk has room for it.
    package func begin() {
        if !take() { follow() }
    }

    /// Allocates the space, unless that is done or the disk has no room. Returns whether it is
    /// allocated.
    @discardableResult
    package func take() -> Bool {
        if isHeld { return true }
        if !hasRoom { _ = makeRoom(for: missing +| piece +| piece) }
        guard hasRoom else { return false }
        return state.withLock { state in
            if isHeld { return true }
            let now = Self.now
            if let failed = state.failed, now -| failed < Self.pause { return false }
            guard allocate(besides: state.left) else {
                state.failed = now
                return false
            }
            state.failed = nil
            state.left = size
            held.store(true, ordering: .relaxed)
            return true
        }
    }

    // MARK: Parts

    /// Bytes that are released at once. A disk has too few for a transaction below the half of it:
    /// most transactions write some dozens of KiB.
    private var piece: Int64 { size / Self.pieces }

    /// Whether enough stays free beside the reserve that it is not released again at once.
    private var hasRoom: Bool {
        guard let space else { return true }
        return space.free >= missing +| piece +| piece
    }

    private func follow() {
        let isFollowed = state.withLock { state in
            defer { state.isFollowed = true }
            return state.isFollowed
        }
        if isFollowed { return }
        queue.asyncAfter(deadline: .now() + .seconds(Self.patience)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isFollowed = false }
            begin()
        }
    }

    /// Allocates the space; false, with `left` bytes still allocated, if the disk is full. If it
    /// refuses for another reason, there is no reserve, and all goes as without one.
    private func allocate(besides left: Int64) -> Bool {
        guard size > 0 else { return true }
        let descriptor: Int32
        do throws(RegularFile.Failure) {
            descriptor = try RegularFile.open(path, O_WRONLY | O_CREAT)
        } catch {
            return !Self.isFull(error.errno)
        }
        defer { close(descriptor) }
        let code = allocateFile(descriptor, size)
        if code != 0 { _ = ftruncate(descriptor, off_t(clamping: left)) }
        return !Self.isFull(code)
    }

    private static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

    /// The file stays: another one would need a place in its folder.
    private func cut(to left: Int64) -> Bool {
        guard let descriptor = try? RegularFile.open(path, O_WRONLY) else { return false }
        defer { close(descriptor) }
        return ftruncate(descriptor, off_t(clamping: left)) == 0
    }

    private static func space(at folder: String) -> Space? {
        var disk = statvfs()
        guard statvfs(folder.isEmpty ? "." : folder, &disk) == 0 else { return nil }
        let unit = Int64(clamping: disk.f_frsize)
        return (
            Int64(clamping: disk.f_bavail) *| unit, Int64(clamping: disk.f_blocks) *| unit
        )
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(clamping: time.tv_sec)
    }
}
