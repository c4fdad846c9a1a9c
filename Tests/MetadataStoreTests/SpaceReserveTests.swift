// The space that the database has on a full disk: acknowledged changes stay, removals go on, and
// changes that would take more are refused.

import Core
import Foundation
import GRDB
import Glibc
import Synchronization
import Testing

@testable import MetadataStore

/// The free bytes of a disk, as a test says.
private final class Disk: Sendable {
    let free = Atomic<Int64>(100 << 20)

    func reserve(beside path: String) -> SpaceReserve {
        SpaceReserve(beside: path, largest: 1 << 20) { _ in
            (self.free.load(ordering: .relaxed), 1 << 30)
        }
    }
}

@Suite struct SpaceReserveTests {
    let path = TemporaryStore.path()
    private let disk = Disk()

    private func occupied() -> Int64 {
        var status = stat()
        guard lstat(path + "-reserve", &status) == 0 else { return 0 }
        return Int64(status.st_blocks) * 512
    }

    @Test("the space is allocated until it is released, and again when the disk has room")
    func held() {
        let reserve = disk.reserve(beside: path)
        #expect(!reserve.isHeld && reserve.missing == 1 << 20)
        reserve.begin()
        #expect(reserve.isHeld && reserve.missing == 0 && occupied() >= 1 << 20)
        reserve.prepare()
        #expect(reserve.isHeld)
        disk.free.store(1000, ordering: .relaxed)
        #expect(reserve.release() && !reserve.isHeld)
        #expect(reserve.missing == 1 << 17 && occupied() == 7 << 17)
        // Another program has taken the first piece. It does not get all of them at once.
        reserve.prepare()
        #expect(reserve.missing == 1 << 18 && occupied() == 6 << 17)
        while reserve.release() {}
        #expect(reserve.missing == 1 << 20 && occupied() == 0)
        #expect(!reserve.release() && !reserve.take())
        // Room for the reserve alone would be taken from it at once.
        disk.free.store(1 << 20, ordering: .relaxed)
        #expect(!reserve.take())
        disk.free.store(2 << 20, ordering: .relaxed)
        #expect(reserve.take() && occupied() >= 1 << 20)
    }

    @Test("64 MiB of a disk are kept for users' writes, or a twentieth of a small one")
    func lowWaterMark() {
        let (small, large) = (Int64(100) << 20, Int64.max)
        #expect(LowWaterMark.shortage(free: 4 << 20, of: small) == 1 << 20)
        #expect(LowWaterMark.shortage(free: 6 << 20, of: small) < 0)
        #expect(LowWaterMark.shortage(free: 63 << 20, of: large) == 1 << 20)
        #expect(LowWaterMark.shortage(free: 65 << 20, of: large) < 0)
    }

    @Test("cached content gives way to other content, and to rows, at the low-water mark")
    func cachedContent() {
        let reserve = disk.reserve(beside: path)
        #expect(!reserve.admitsCachedContent)
        reserve.begin()
        #expect(reserve.admitsCachedContent && reserve.shortage() < 0)
        // The disk has 1 GiB, so that the mark is at 51 MiB.
        disk.free.store(50 << 20, ordering: .relaxed)
        #expect(!reserve.admitsCachedContent && reserve.shortage(after: 100) > reserve.shortage())
        let disk = disk
        reserve.observeShortage { bytes in
            disk.free.add(bytes, ordering: .relaxed)
            return true
        }
        #expect(reserve.admitsCachedContent && reserve.shortage() <= 0)
    }

    @Test("cached content gives way once if the disk does not free its space")
    func givingWayInVain() {
        let reserve = disk.reserve(beside: path)
        reserve.begin()
        disk.free.store(50 << 20, ordering: .relaxed)
        let evictions = Mutex(0)
        reserve.observeShortage { _ in
            evictions.withLock { $0 += 1 }
            return true
        }
        for _ in 0..<100 { #expect(!reserve.admitsCachedContent) }
        #expect(evictions.withLock { $0 } == 1)
    }

    @Test("an allocation that a quota refuses leaves the rest allocated")
    func refusedAllocation() {
        let isFull = Atomic<Bool>(false)
        let reserve = SpaceReserve(
            beside: path, largest: 1 << 20,
            allocate: { descriptor, size in
                let code = posix_fallocate(descriptor, 0, off_t(size))
                return isFull.load(ordering: .relaxed) ? ENOSPC : code
            }, space: { _ in (100 << 20, 1 << 30) })
        reserve.begin()
        #expect(reserve.release())
        isFull.store(true, ordering: .relaxed)
        #expect(!reserve.take() && reserve.missing == 1 << 17 && occupied() == 7 << 17)
    }

    @Test("rows for which the queue waits may take a part of the rest")
    func awaitedRows() {
        let reserve = disk.reserve(beside: path)
        reserve.begin()
        disk.free.store(1 << 19, ordering: .relaxed)
        let rest: Int64 = (1 << 20) + (1 << 19)
        #expect(reserve.admits(awaited: rest / 2, byAll: true))
        #expect(!reserve.admits(awaited: rest / 2 + 1, byAll: true))
        #expect(reserve.admits(awaited: 1 << 20, byAll: false))
        #expect(!reserve.admits(awaited: (1 << 20) + 1, byAll: false))
    }

    @Test("a start on a full disk has the space that an earlier process has left, others leave it")
    func start() {
        let earlier = disk.reserve(beside: path)
        earlier.begin()
        #expect(occupied() >= 1 << 20)
        #expect(disk.reserve(beside: path).missing == 0 && occupied() >= 1 << 20)
        disk.free.store(0, ordering: .relaxed)
        #expect(disk.reserve(beside: path).missing == 1 << 17 && occupied() == 7 << 17)
    }

    @Test("work that can be repeated is, with more of the space each time")
    func repeated() throws {
        let reserve = disk.reserve(beside: path)
        reserve.begin()
        var tries = 0
        let missing = try reserve.retrying {
            tries += 1
            if tries < 3 { throw DatabaseError(resultCode: .SQLITE_FULL) }
            return reserve.missing
        }
        #expect(missing == 1 << 18)
        #expect(throws: DatabaseError.self) {
            try reserve.retrying { () throws -> Void in
                throw DatabaseError(resultCode: .SQLITE_FULL)
            }
        }
        #expect(occupied() == 0)
    }

    @Test("on a full disk, only what makes room has all of the space")
    func uses() {
        let reserve = disk.reserve(beside: path)
        reserve.begin()
        disk.free.store(0, ordering: .relaxed)
        #expect(reserve.admits(.growth), "nobody has noticed yet")
        reserve.release()
        #expect(!reserve.admits(.growth) && reserve.admits(.change) && reserve.admits(.release))
        while reserve.release() {}
        disk.free.store(1 << 18, ordering: .relaxed)
        #expect(!reserve.admits(.growth) && !reserve.admits(.change) && reserve.admits(.release))
        disk.free.store(2 << 20, ordering: .relaxed)
        #expect(reserve.admits(.growth) && reserve.isHeld)
    }

    @Test("cached content gives way before anything is refused")
    func cached() {
        let reserve = disk.reserve(beside: path)
        let disk = disk
        disk.free.store(0, ordering: .relaxed)
        reserve.observeShortage { bytes in
            disk.free.add(bytes, ordering: .relaxed)
            return true
        }
        #expect(reserve.admits(.growth) && reserve.makeRoom(for: 1))
        reserve.observeShortage(nil)
        #expect(!reserve.makeRoom(for: 1))
    }

    @Test("where no space can be allocated for another reason, all goes as without a reserve")
    func impossible() throws {
        try FileManager.default.createSymbolicLink(
            atPath: path + "-reserve", withDestinationPath: "/nowhere")
        let reserve = disk.reserve(beside: path)
        reserve.begin()
        #expect(reserve.admits(.growth))
    }

    @Test("a change that the disk has no room for gets the space, and survives")
    func change() throws {
        let reserve = disk.reserve(beside: path)
        let refusals = Atomic<Int>(0)
        let store = try MetadataStore(
            path: path, reserve: reserve, delay: 86_400,
            put: { descriptor, bytes, offset in
                if reserve.isHeld {
                    refusals.add(1, ordering: .relaxed)
                    errno = ENOSPC
                    return -1
                }
                return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
            },
            flush: { _ in 0 })
        #expect(reserve.isHeld)
        disk.free.store(0, ordering: .relaxed)
        for name in ["a", "b"] {
            try store.change(due: { _ in .atOnce }) {
                _ = try $0.insert(.folder, at: place(name), local: LocalFacts())
            }
        }
        #expect(refusals.load(ordering: .relaxed) == 1 && reserve.missing == 1 << 17)
        let crashed = try ChangeGroupTests.store(ChangeGroupTests.crash(path))
        #expect(try crashed.read { try $0.nodeCount() } == 2)
    }

    @Test("a failure that a used-up quota may cause releases the space for the next try")
    func failure() throws {
        let reserve = disk.reserve(beside: path)
        let store = try MetadataStore(path: path, reserve: reserve)
        for code in [ResultCode.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN] {
            #expect(reserve.take())
            #expect(throws: DatabaseError.self) {
                try store.write { _ in throw DatabaseError(resultCode: code) }
            }
            #expect(!reserve.isHeld)
        }
        #expect(reserve.take())
        #expect(throws: DatabaseError.self) {
            try store.write { _ in throw DatabaseError(resultCode: .SQLITE_CONSTRAINT) }
        }
        #expect(reserve.isHeld)
    }

    @Test("a transaction on a disk that is almost full has the space from its beginning")
    func transaction() throws {
        let reserve = disk.reserve(beside: path)
        let store = try MetadataStore(path: path, reserve: reserve)
        disk.free.store(1000, ordering: .relaxed)
        try store.write { _ in #expect(!reserve.isHeld) }
        disk.free.store(100 << 20, ordering: .relaxed)
        try store.close()
        #expect(reserve.isHeld, "for the next start")
    }
}
