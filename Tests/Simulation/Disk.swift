// The disk of one machine, in memory: the seed decides which unflushed bytes a power cut leaves.
// Not responsible for the database, which `Machine` has, nor for how calls reach it.

import CDisk
import Core
import Glibc

/// Files in folders. A call returns a negative errno when it fails.
///
/// A file is flushed by itself and its name with its folder. A folder lasts from the moment it is
/// made.
final class Disk {
    /// Bytes that reach the disk together. A token has several such pages.
    fileprivate static let pageSize = 4

    /// A file, with or without a name.
    final class File {
        /// A change since the last flush.
        struct Change {
            var modified: Int64
            /// Where bytes were written, or the new size.
            var offset: Int
            /// Nil for a change of the size.
            var bytes: [UInt8]?
        }

        let number: Int64
        var bytes: [UInt8] = []
        var modified: Int64
        var flushed: (bytes: [UInt8], modified: Int64)
        var changes: [Change] = []

        init(number: Int64, modified: Int64) {
            (self.number, self.modified) = (number, modified)
            flushed = ([], modified)
        }
    }

    /// A change of names since the last flush of its folder.
    private enum NameChange {
        case link(String, File)
        case unlink(String)
        case rename(String, String, File)

        var paths: [String] {
            switch self {
            case .link(let path, _), .unlink(let path): [path]
            case .rename(let path, let target, _): [path, target]
            }
        }

        func apply(to names: inout [String: File]) {
            switch self {
            case .link(let path, let file): names[path] = file
            case .unlink(let path): names[path] = nil
            case .rename(let path, let target, let file):
                names[path] = nil
                names[target] = file
            }
        }
    }

    private let scheduler: Scheduler
    private var names: [String: File] = [:]
    private var flushedNames: [String: File] = [:]
    private var nameChanges: [NameChange] = []
    private var folders: Set<String> = []
    private var lastNumber: Int64 = 0
    /// Whether a power cut may come: otherwise nothing is remembered for it.
    var remembers = false
    /// The offset from the clock of the history: the machine's date is set now and then.
    var dateOffset: Int64 = 0
    /// Nothing that needs room is taken.
    var isFull = false
    /// Tells apart the times between two power cuts, as `st_dev`.
    private(set) var boot: Int64 = 0xABC00
    /// Calls from before are a dead process's.
    private(set) var process = 0
    private(set) var isRunning = false
    /// The process ends in the call after so many that change something.
    var callsLeft: Int?
    /// Called with each kind of fault.
    var count: (String) -> Void = { _ in }
    /// Called when the process ends in a call.
    var onEnd: () -> Void = {}

    /// Creates a disk with an empty folder.
    init(_ scheduler: Scheduler, root: String) {
        self.scheduler = scheduler
        folders = [root]
    }

    /// A process begins to use the disk.
    func beginProcess() {
        process += 1
        isRunning = true
    }

    /// No later write of the process reaches the disk.
    func endProcess() {
        isRunning = false
        callsLeft = nil
    }

    /// Whether a call that changes something is carried out; the process may end in it.
    func admits() -> Bool {
        guard isRunning else { return false }
        guard let left = callsLeft else { return true }
        guard left <= 0 else {
            callsLeft = left - 1
            return true
        }
        endProcess()
        count("ends within a call")
        onEnd()
        return false
    }

    /// The machine's date, in nanoseconds since 1970.
    var date: Int64 { scheduler.now + dateOffset }
    private var changeCount: Int64 = 0

    /// The time of the next change: later than that of any before, unless the date was set back.
    private func nextTime() -> Int64 {
        changeCount += 1
        return date + changeCount
    }

    /// Whether a write that needs room fails.
    private func lacksRoom() -> Bool {
        guard isFull, scheduler.draw(4) != 0 else { return false }
        count("calls that a full disk refused")
        return true
    }

    // MARK: Names

    private static func folder(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
    }

    func makeFolder(_ path: String) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        if lacksRoom() { return -Int64(ENOSPC) }
        return folders.insert(path).inserted ? 0 : -Int64(EEXIST)
    }

    func isFolder(_ path: String) -> Bool { folders.contains(path) }

    func file(_ path: String) -> File? { names[path] }

    /// The names in a folder, in order.
    func list(_ folder: String) -> [String] {
        let prefix = folder + "/"
        return names.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            .sorted()
    }

    /// Opens a file, or makes it.
    func open(_ path: String, flags: Int32) -> Result<File, Failure> {
        if let file = names[path] {
            if flags & O_CREAT != 0, flags & O_EXCL != 0 { return .failure(Failure(EEXIST)) }
            if flags & O_TRUNC != 0, !file.bytes.isEmpty {
                let outcome = resize(file, to: 0)
                if outcome < 0 { return .failure(Failure(Int32(-outcome))) }
            }
            return isRunning ? .success(file) : .failure(Failure(EIO))
        }
        guard flags & O_CREAT != 0 else { return .failure(Failure(ENOENT)) }
        guard admits() else { return .failure(Failure(EIO)) }
        guard folders.contains(Self.folder(of: path)) else { return .failure(Failure(ENOENT)) }
        if lacksRoom() { return .failure(Failure(ENOSPC)) }
        lastNumber += 1
        let file = File(number: lastNumber, modified: nextTime())
        change(.link(path, file))
        return .success(file)
    }

    struct Failure: Error {
        var code: Int32
        init(_ code: Int32) { self.code = code }
    }

    func unlink(_ path: String) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        guard names[path] != nil else { return -Int64(ENOENT) }
        change(.unlink(path))
        return 0
    }

    func rename(_ path: String, _ target: String, mustBeNew: Bool) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        guard let file = names[path] else { return -Int64(ENOENT) }
        if mustBeNew, names[target] != nil { return -Int64(EEXIST) }
        change(.rename(path, target, file))
        return 0
    }

    private func change(_ change: NameChange) {
        change.apply(to: &names)
        if remembers { nameChanges.append(change) }
    }

    // MARK: Content

    func write(_ file: File, _ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        var count = bytes.count
        if offset + count > file.bytes.count, lacksRoom() {
            // A part may fit.
            count = scheduler.draw(count + 1)
            if count == 0 { return -Int64(ENOSPC) }
        }
        let written = Array(bytes.prefix(count))
        file.put(written, at: offset)
        note(File.Change(modified: nextTime(), offset: offset, bytes: written), in: file)
        return Int64(count)
    }

    func resize(_ file: File, to size: Int) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        file.resize(size)
        note(File.Change(modified: nextTime(), offset: size), in: file)
        return 0
    }

    /// Sets the time of a file. It reaches the disk with the changes before, whose time it takes
    /// back, and the process does not end in between: on a real disk, that is a moment.
    func setTime(of file: File, to modified: Int64) -> Int64 {
        guard isRunning else { return -Int64(EIO) }
        file.modified = modified
        for index in file.changes.indices where file.changes[index].modified > modified {
            file.changes[index].modified = modified
        }
        return 0
    }

    private func note(_ change: File.Change, in file: File) {
        file.modified = change.modified
        if remembers { file.changes.append(change) }
    }

    // MARK: Flushing

    func flush(_ file: File, dataOnly: Bool) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        guard remembers else { return 0 }
        // The time is no part of the data, and may be an older one.
        let modified = dataOnly && scheduler.draw(2) == 0 ? file.flushed.modified : file.modified
        file.flushed = (file.bytes, modified)
        file.changes = []
        return 0
    }

    func flush(folder: String) -> Int64 {
        guard admits() else { return -Int64(EIO) }
        nameChanges.removeAll { change in
            guard change.paths.contains(where: { Self.folder(of: $0) == folder }) else {
                return false
            }
            change.apply(to: &flushedNames)
            return true
        }
        return 0
    }

    func flushAll() -> Int64 {
        guard admits() else { return -Int64(EIO) }
        guard remembers else { return 0 }
        for file in names.values {
            file.flushed = (file.bytes, file.modified)
            file.changes = []
        }
        flushedNames = names
        nameChanges = []
        return 0
    }

    /// Loses unflushed bytes, but for those that the disk had written by itself.
    func cutPower() {
        let luck = Luck(scheduler)
        for change in nameChanges {
            if luck.holds() { change.apply(to: &flushedNames) } else { count("lost names") }
        }
        nameChanges = []
        names = flushedNames
        for file in names.values.sorted(by: { $0.number < $1.number }) {
            let before = file.bytes
            file.lose(luck)
            if file.bytes != before { count("files that lost bytes") }
        }
        boot += 1
    }
}

/// The share of unflushed bytes that is on the disk all the same.
struct Luck {
    private let percent: Int
    private let scheduler: Scheduler

    /// Nothing, half of it, most of it, or all.
    init(_ scheduler: Scheduler) {
        percent = [0, 50, 85, 100][scheduler.draw(4)]
        self.scheduler = scheduler
    }

    func holds() -> Bool { scheduler.draw(100) < percent }

    /// How many of a sequence hold of which none holds without its predecessors.
    func prefix(of count: Int) -> Int {
        switch percent {
        case 0: 0
        case 100: count
        default: scheduler.draw(count + 1)
        }
    }
}

extension Disk.File {
    func put(_ new: [UInt8], at offset: Int) {
        if bytes.count < offset + new.count { resize(offset + new.count) }
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
    }

    func resize(_ size: Int) {
        if size < bytes.count {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }

    /// Size and time are those of some moment since the flush. Of the pages written until then,
    /// some have come, and in place of the others are older bytes, or zeros. Pages do not wait for
    /// the time of their change: later writes over bytes that the file had may have come as well.
    fileprivate func lose(_ luck: Luck) {
        let kept = luck.prefix(of: changes.count)
        (bytes, modified) = flushed
        for change in changes.prefix(kept) {
            modified = change.modified
            guard let written = change.bytes else {
                resize(change.offset)
                continue
            }
            if bytes.count < change.offset + written.count { resize(change.offset + written.count) }
            put(written, at: change.offset, luck)
        }
        var limit = bytes.count
        for change in changes.dropFirst(kept) {
            guard let written = change.bytes else {
                limit = min(limit, change.offset)
                continue
            }
            put(Array(written.prefix(max(0, limit - change.offset))), at: change.offset, luck)
        }
        flushed = (bytes, modified)
        changes = []
    }

    /// Writes the pages that have reached the disk.
    private func put(_ written: [UInt8], at offset: Int, _ luck: Luck) {
        var start = 0
        while start < written.count {
            let page = (offset + start) / Disk.pageSize
            let end = min(written.count, (page + 1) * Disk.pageSize - offset)
            if luck.holds() { put(Array(written[start..<end]), at: offset + start) }
            start = end
        }
    }
}
