// Checksums of the bytes that were written to a staging file since its last flush. After a flush
// has failed, Linux takes the pages for clean, and a page that leaves memory is read back as the
// disk has it. The checksums tell whether memory still has the written bytes. Not responsible for
// flushing (`DiskFlush`), nor for what the bytes mean (`StagedFile`).

import CXXHash
import Glibc
import LocalFiles
import Saturating
import Synchronization

/// The bytes of a staging file that may be in memory only. All changes of the file go through it,
/// from its beginning or from a successful flush on; for an earlier process's file nothing is
/// known.
final class UnflushedBytes: Sendable {
    /// Bytes with one checksum.
    private struct Part {
        var range: Range<Int64>
        var sum: UInt64
    }

    private struct State {
        /// In order, without overlaps.
        var parts: [Part] = []
        /// Continues the checksum of the part that begins there, which was written last.
        var last: (start: Int64, stream: cxxhash_stream)?
        /// Whether the parts are all unflushed bytes.
        var isComplete: Bool
        /// Number of changes since the file was opened.
        var changes: UInt64 = 0

        /// Gives up: a flush that fails cannot be repeated.
        mutating func lose() {
            (parts, last, isComplete) = ([], nil, false)
        }
    }

    /// The outcome of `writeAnew`.
    enum Outcome {
        /// All unflushed bytes are to be written to the disk again.
        case written
        /// Memory does not have them, or it is not known which they are.
        case lost
        /// The system has refused to read or write them this time.
        case refused
    }

    /// Sequential writes share a checksum up to this size in bytes. Small, because a write over a
    /// part reads it.
    private static let partSize: Int64 = 256 << 10
    /// Number of parts of a file at most, for the sake of memory.
    private static let mostParts = 1 << 14

    /// Lock: inside a staged file's and that of a flush; held over local disk calls, so that
    /// nothing is written between a read and its checksum.
    private let state: Mutex<State>

    /// Begins with an empty file, or with a file of which nothing is known.
    init(isNew: Bool) {
        state = Mutex(State(isComplete: isNew))
    }

    /// Whether the bytes can be written anew after a failed flush.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    // MARK: Changing the file

    /// Writes bytes at an offset. Returns how many the disk has taken, if it refused the others,
    /// and throws if it has taken none.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, to descriptor: Int32
    ) throws(StagingError) -> PartialWrite? {
        try state.withLock { (state) throws(StagingError) in
            state.changes +|= 1
            let range = offset ..<| offset +| Int64(clamping: bytes.count)
            let isOver = Self.cut(range, out: &state, descriptor)
            let done = FileBytes.write(bytes, at: offset, to: descriptor)
            guard done == bytes.count else {
                let code = errno
                // Of bytes that stay as they were, there is no checksum left.
                if isOver { state.lose() }
                guard done > 0 else { throw StagingError(code: code) }
                Self.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(done)), at: offset, &state)
                return PartialWrite(count: done, refusal: StagingError(code: code))
            }
            Self.add(bytes, at: offset, &state)
            return nil
        }
    }

    /// Sets the size of the file.
    func resize(to size: Int64, _ descriptor: Int32) throws(StagingError) {
        try state.withLock { (state) throws(StagingError) in
            state.changes +|= 1
            var status = stat()
            let isKnown = fstat(descriptor, &status) == 0
            guard ftruncate(descriptor, off_t(clamping: size)) == 0 else {
                throw StagingError(code: errno)
            }
            if size == 0 {
                state = State(isComplete: true, changes: state.changes)
            } else if !isKnown || size < Int64(clamping: status.st_size) {
                // The kernel has written zeros behind the new end.
                state.lose()
            }
        }
    }

    /// Changes the file in another way.
    func change<Value: Sendable, Failure>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { (state) throws(Failure) in
            state.changes +|= 1
            state.lose()
            return try body()
        }
    }

    // MARK: Flushing

    /// The number of changes so far, for `noteFlushed`.
    var changes: UInt64 { state.withLock { $0.changes } }

    /// Notes that a flush has succeeded which began after so many changes.
    func noteFlushed(_ changes: UInt64) {
        state.withLock { state in
            // A change during the flush may be on the disk or not: then all bytes stay unflushed
            // ones.
            if state.changes == changes { state = State(isComplete: true, changes: changes) }
        }
    }

    /// Makes the system write all unflushed bytes again, after it has failed to: writes them anew,
    /// if memory has them. The file's time stays.
    func writeAnew(to descriptor: Int32) -> Outcome {
        var position: Int64 = 0
        while true {
            // Writers get their turn in between.
            let outcome: Outcome? = state.withLock { state in
                guard state.isComplete else { return .lost }
                let index = Self.index(in: state.parts, after: position)
                guard index < state.parts.count else { return .written }
                let part = state.parts[index]
                guard let bytes = Self.read(part.range, descriptor) else { return .refused }
                guard Self.sum(bytes[...]) == part.sum else {
                    state.lose()
                    return .lost
                }
                guard Self.putKeepingTime(bytes, at: part.range.lowerBound, descriptor) else {
                    return .refused
                }
                position = part.range.upperBound
                return nil
            }
            if let outcome { return outcome }
        }
    }

    // MARK: Parts

    /// The first part that ends behind an offset.
    private static func index(in parts: [Part], after offset: Int64) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low +| high) / 2
            if parts[middle].range.upperBound <= offset { low = middle +| 1 } else { high = middle }
        }
        return low
    }

    /// Takes a range out of the parts, before other bytes are written there. Returns whether there
    /// was anything of it.
    private static func cut(
        _ range: Range<Int64>, out state: inout State, _ descriptor: Int32
    ) -> Bool {
        let first = index(in: state.parts, after: range.lowerBound)
        let over = Array(state.parts[first...].prefix { $0.range.lowerBound < range.upperBound })
        guard !over.isEmpty else { return false }
        var rest: [Part] = []
        for part in over {
            let pieces = [
                part.range.lowerBound ..<| range.lowerBound,
                range.upperBound ..<| part.range.upperBound,
            ].filter { !$0.isEmpty }
            if pieces.isEmpty { continue }
            guard let bytes = read(part.range, descriptor), sum(bytes[...]) == part.sum else {
                state.lose()
                return true
            }
            for piece in pieces {
                let start = Int(clamping: piece.lowerBound -| part.range.lowerBound)
                rest.append(Part(range: piece, sum: sum(bytes[start...].prefix(piece.count))))
            }
        }
        state.parts.replaceSubrange(first..<first +| over.count, with: rest)
        state.last = nil
        return true
    }

    /// Adds written bytes, in whose place there is no part.
    private static func add(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout State
    ) {
        guard state.isComplete, !bytes.isEmpty else { return }
        let range = offset ..<| offset +| Int64(clamping: bytes.count)
        let index = index(in: state.parts, after: offset)
        if var last = state.last, index > 0 {
            let before = state.parts[index -| 1].range
            if before.lowerBound == last.start, before.upperBound == offset,
                Int64(clamping: before.count) < partSize
            {
                cxxhash_add(&last.stream, bytes.baseAddress, bytes.count)
                state.last = last
                state.parts[index -| 1] = Part(
                    range: last.start..<range.upperBound, sum: cxxhash_sum(&last.stream))
                return
            }
        }
        guard state.parts.count < mostParts else { return state.lose() }
        var stream = cxxhash_begin()
        cxxhash_add(&stream, bytes.baseAddress, bytes.count)
        state.last = (offset, stream)
        state.parts.insert(Part(range: range, sum: cxxhash_sum(&stream)), at: index)
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { cxxhash_64($0.baseAddress, $0.count) }
    }

    // MARK: Bytes

    private static func putKeepingTime(
        _ bytes: [UInt8], at offset: Int64, _ descriptor: Int32
    ) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        let isWritten = bytes.withUnsafeBytes {
            FileBytes.write($0, at: offset, to: descriptor) == $0.count
        }
        // A later time would say that there are bytes that the row does not know.
        let times = [status.st_atim, status.st_mtim]
        return times.withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) } == 0
            && isWritten
    }

    /// All bytes of a range; nil if they cannot be read.
    private static func read(_ range: Range<Int64>, _ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, clamping: range.count)
        let count = bytes.withUnsafeMutableBytes {
            FileBytes.read(into: $0, at: range.lowerBound, from: descriptor)
        }
        return count == bytes.count ? bytes : nil
    }
}
