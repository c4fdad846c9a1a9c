// The names of a folder as they were at one moment, in the order of their offsets. Immutable, so
// that all readers share it. Not responsible for how many are kept: `DirectoryListings`.

import ContentHashing
import Core
import Glibc
import MetadataStore
import Saturating

/// The names of a folder in one snapshot of the tree; of a large folder, those in a range of
/// offsets.
///
/// The offset of a name follows from the name alone, and names are sorted by offset. So a reader
/// that continues in a newer snapshot, perhaps after entries from the kernel's cache, still gets
/// every name once that existed all the time.
final class DirectoryListing: Sendable {
    /// One name and the offset behind it.
    struct Line {
        var offset: UInt64
        var inode: InodeID
        /// Where the name begins in `names`.
        fileprivate var start: UInt32
        fileprivate var count: UInt8
        var kind: NodeKind

        fileprivate var bytes: Range<Int> {
            let start = Int(clamping: start)
            return start..<max(start, start +| Int(clamping: count))
        }
    }

    /// Number of entries before the first name: "." and "..".
    static let dots: UInt64 = 2

    /// The parent folder, for "..".
    let parent: InodeID
    /// The names with offsets up to this one are left out.
    let start: UInt64
    /// The names with offsets above this one are left out; nil if there are none.
    let end: UInt64?
    /// The names, sorted by offset.
    let lines: [Line]
    /// The bytes of all names. One buffer, which is given back to the system as a whole.
    private let names: [UInt8]

    /// Takes the names with offsets above `start` from those that `forEach` passes on: as many as
    /// fit into about `limit` bytes, but at least one.
    init(
        in parent: InodeID, behind start: UInt64, limit: Int,
        _ forEach: ((FileName, InodeID, NodeKind) -> Void) throws -> Void
    ) rethrows {
        var part = Part(start: start, limit: limit)
        try forEach { name, inode, kind in part.add(name, inode, kind) }
        part.finish()
        self.parent = parent
        self.start = start
        end = part.end
        lines = part.lines
        names = part.names
    }

    /// Memory in bytes, with what keeping it takes.
    var byteCount: Int {
        512 +| lines.count *| MemoryLayout<Line>.stride +| names.count
    }

    private static let pageSize = max(1, Int(clamping: getpagesize()))

    /// Whether the kernel's copy of this listing, if that is all of the folder, fills its last
    /// page: Linux (fs/fuse/readdir.c) keeps an entry in 24 bytes and its name, rounded up to 8,
    /// and none across two pages.
    var fillsKernelPages: Bool {
        guard start == 0, end == nil else { return false }
        var used = 0
        func add(_ nameLength: Int) {
            let size = (24 +| nameLength +| 7) / 8 *| 8
            used = used +| size > Self.pageSize ? size : used +| size
        }
        add(1)
        add(2)
        for line in lines { add(Int(clamping: line.count)) }
        return used == Self.pageSize
    }

    /// Whether a reader at this offset can continue here.
    func covers(_ offset: UInt64) -> Bool {
        offset >= start && end.map { offset < $0 } ?? true
    }

    /// The lines behind an offset.
    func lines(behind offset: UInt64) -> ArraySlice<Line> {
        var low = 0
        var high = lines.count
        while low < high {
            let middle = (low +| high) / 2
            if lines[middle].offset <= offset { low = middle +| 1 } else { high = middle }
        }
        return lines[low...]
    }

    /// The name of a line, in the bytes that users see.
    func name(of line: Line) -> [UInt8] { Array(names[line.bytes]) }

    /// Whether users see this name as that of a line.
    func isName(_ name: FileName, of line: Line) -> Bool {
        let bytes = names[line.bytes]
        return name.own.map { $0.bytes.elementsEqual(bytes) }
            ?? name.string.utf8.elementsEqual(bytes)
    }

    /// The part of a folder's names that a listing takes, while they are read.
    private struct Part {
        let start: UInt64
        let limit: Int
        var end: UInt64?
        var lines: [Line] = []
        var names: [UInt8] = []

        init(start: UInt64, limit: Int) {
            self.start = start
            self.limit = limit
        }

        mutating func add(_ name: FileName, _ inode: InodeID, _ kind: NodeKind) {
            let count = names.count
            // Most names have no bytes of their own: no array is made for them.
            if let own = name.own {
                names.append(contentsOf: own.bytes)
            } else {
                names.append(contentsOf: name.string.utf8)
            }
            let offset = names.withUnsafeBufferPointer {
                Self.offset(of: UnsafeBufferPointer(rebasing: $0[count...]))
            }
            guard offset > start, end.map({ offset <= $0 }) ?? true else {
                names.removeSubrange(count...)
                return
            }
            lines.append(
                Line(
                    offset: offset, inode: inode, start: UInt32(clamping: count),
                    count: UInt8(clamping: names.count -| count), kind: kind))
            // More than the limit, so that sorting is rare.
            if size(of: lines.count, names.count) > limit +| limit / 4 { cut() }
        }

        /// Makes the offsets unique: hashes of two names may be equal.
        mutating func finish() {
            sort()
            for index in lines.indices.dropFirst()
            where lines[index].offset <= lines[index -| 1].offset {
                lines[index].offset = lines[index -| 1].offset +| 1
            }
            if let end, let last = lines.last { self.end = max(end, last.offset) }
            pack(lines.count)
        }

        /// Drops the last names, down to the limit. Names of one hash stay together.
        private mutating func cut() {
            sort()
            var kept = 0
            var bytes = 0
            while kept < lines.count,
                kept == 0 || bytes < limit || lines[kept].offset == lines[kept -| 1].offset
            {
                bytes +|= size(of: 1, Int(clamping: lines[kept].count))
                kept +|= 1
            }
            guard kept < lines.count else { return }
            pack(kept)
            end = lines.last?.offset
        }

        private mutating func sort() {
            let names = names
            lines.sort { left, right in
                if left.offset != right.offset { return left.offset < right.offset }
                return names[left.bytes].lexicographicallyPrecedes(names[right.bytes])
            }
        }

        /// Moves the first lines and their names into buffers of just their size.
        private mutating func pack(_ count: Int) {
            var packed: [Line] = []
            packed.reserveCapacity(count)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(lines.prefix(count).reduce(0) { $0 +| Int(clamping: $1.count) })
            for line in lines.prefix(count) {
                var moved = line
                moved.start = UInt32(clamping: bytes.count)
                bytes.append(contentsOf: names[line.bytes])
                packed.append(moved)
            }
            lines = packed
            names = bytes
        }

        private func size(of lines: Int, _ bytes: Int) -> Int {
            lines *| MemoryLayout<Line>.stride +| bytes
        }

        /// The offset of a name, above those of the dots and positive as a signed number: FNV-1a,
        /// whose low bits are distributed best.
        private static func offset(of name: UnsafeBufferPointer<UInt8>) -> UInt64 {
            max(dots +| 1, FNV1a.hash(name) & 0x3fff_ffff_ffff_ffff)
        }
    }
}
