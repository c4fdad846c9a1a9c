// The calls that `CDisk` brings to the disks of a history, by path and by descriptor.

import CDisk
import Glibc

/// The disks of the present history, and the files that are open.
struct Disks {
    /// The calls are plain C functions, which can reach the disks only through a global; all are on
    /// one thread.
    nonisolated(unsafe) static var current = Disks()

    /// An open file or folder of a process.
    fileprivate struct Handle {
        var disk: Disk
        var process: Int
        /// Nil for a folder.
        var file: Disk.File?
        var path: String
        var position = 0
    }

    private var disks: [Disk] = []
    fileprivate var handles: [Int32: Handle] = [:]
    fileprivate var listings: [Int64: [String]] = [:]
    /// Never used twice: what earlier histories held open may be closed late.
    private var lastHandle = CDISK_FIRST

    /// The folder of a disk, as calls name it.
    static func path(of index: Int) -> String { "\(CDISK_ROOT)\(index)" }

    /// Takes the disks of a new history.
    mutating func begin(_ disks: [Disk]) {
        self.disks = disks
        handles = [:]
        listings = [:]
    }

    fileprivate func disk(of path: String) -> Disk? {
        let index = path.utf8.dropFirst(CDISK_ROOT.utf8.count).first.map { Int($0) - 0x30 } ?? -1
        return disks.indices.contains(index) ? disks[index] : nil
    }

    fileprivate mutating func add(_ handle: Handle) -> Int64 {
        lastHandle += 1
        handles[lastHandle] = handle
        return Int64(lastHandle)
    }

    /// The file of a descriptor, unless its process is dead.
    fileprivate func file(_ number: Int32) -> (disk: Disk, file: Disk.File)? {
        guard let handle = handles[number], let file = handle.file,
            handle.disk.isRunning, handle.process == handle.disk.process
        else { return nil }
        return (handle.disk, file)
    }
}

extension disk_status {
    fileprivate init(_ file: Disk.File, on disk: Disk) {
        self.init(
            size: Int64(file.bytes.count), modified: file.modified, device: disk.boot,
            number: file.number, is_folder: 0)
    }
}

private let ioError = -Int64(EIO)

@c(disk_open)
func diskOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int64 {
    let path = String(cString: path)
    guard let disk = Disks.current.disk(of: path) else { return -Int64(ENOENT) }
    if disk.isFolder(path) {
        return Disks.current.add(.init(disk: disk, process: disk.process, path: path))
    }
    switch disk.open(path, flags: flags) {
    case .failure(let failure): return -Int64(failure.code)
    case .success(let file):
        return Disks.current.add(.init(disk: disk, process: disk.process, file: file, path: path))
    }
}

@c(disk_close)
func diskClose(_ number: Int32) { Disks.current.handles[number] = nil }

@c(disk_read)
func diskRead(
    _ number: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int64, _ offset: Int64
) -> Int64 {
    guard let file = Disks.current.file(number)?.file else { return ioError }
    let start = min(Int(offset), file.bytes.count)
    let part = file.bytes[start..<min(start + Int(count), file.bytes.count)]
    UnsafeMutableRawBufferPointer(start: bytes, count: part.count).copyBytes(from: part)
    return Int64(part.count)
}

@c(disk_write)
func diskWrite(
    _ number: Int32, _ bytes: UnsafeRawPointer, _ count: Int64, _ offset: Int64
) -> Int64 {
    guard let (disk, file) = Disks.current.file(number) else { return ioError }
    return disk.write(
        file, UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(offset))
}

@c(disk_read_next)
func diskReadNext(_ number: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int64) -> Int64 {
    let position = Disks.current.handles[number]?.position ?? 0
    let done = diskRead(number, bytes, count, Int64(position))
    Disks.current.handles[number]?.position += Int(max(0, done))
    return done
}

@c(disk_write_next)
func diskWriteNext(_ number: Int32, _ bytes: UnsafeRawPointer, _ count: Int64) -> Int64 {
    let position = Disks.current.handles[number]?.position ?? 0
    let done = diskWrite(number, bytes, count, Int64(position))
    Disks.current.handles[number]?.position += Int(max(0, done))
    return done
}

@c(disk_resize)
func diskResize(_ number: Int32, _ size: Int64) -> Int64 {
    guard let (disk, file) = Disks.current.file(number) else { return ioError }
    return disk.resize(file, to: Int(size))
}

@c(disk_set_time)
func diskSetTime(_ number: Int32, _ modified: Int64) -> Int64 {
    guard let (disk, file) = Disks.current.file(number) else { return ioError }
    return disk.setTime(of: file, to: modified)
}

@c(disk_punch)
func diskPunch(_ number: Int32, _ offset: Int64, _ count: Int64) -> Int64 {
    guard let (disk, file) = Disks.current.file(number) else { return ioError }
    let end = min(Int(offset + count), file.bytes.count)
    guard Int(offset) < end else { return 0 }
    let zeros = [UInt8](repeating: 0, count: end - Int(offset))
    return zeros.withUnsafeBytes { min(0, disk.write(file, $0, at: Int(offset))) }
}

/// All of a file is data: it has no holes.
@c(disk_seek)
func diskSeek(_ number: Int32, _ offset: Int64, _ whence: Int32) -> Int64 {
    guard let file = Disks.current.file(number)?.file else { return ioError }
    let size = Int64(file.bytes.count)
    switch whence {
    case 3: return offset < size ? offset : -Int64(ENXIO)
    case 4: return offset < size ? size : -Int64(ENXIO)
    default: break
    }
    let start = whence == SEEK_END ? size : whence == SEEK_SET ? 0 : nil
    let position = (start ?? Int64(Disks.current.handles[number]?.position ?? 0)) + offset
    Disks.current.handles[number]?.position = Int(position)
    return position
}

@c(disk_flush)
func diskFlush(_ number: Int32, _ dataOnly: Int32) -> Int64 {
    if let (disk, file) = Disks.current.file(number) {
        return disk.flush(file, dataOnly: dataOnly != 0)
    }
    guard let handle = Disks.current.handles[number], handle.file == nil else { return ioError }
    return handle.disk.flush(folder: handle.path)
}

@c(disk_flush_all)
func diskFlushAll(_ number: Int32) -> Int64 {
    Disks.current.handles[number].map { $0.disk.flushAll() } ?? ioError
}

@c(disk_stat_file)
func diskStatFile(_ number: Int32, _ status: UnsafeMutablePointer<disk_status>) -> Int64 {
    guard let (disk, file) = Disks.current.file(number) else { return ioError }
    status.pointee = disk_status(file, on: disk)
    return 0
}

@c(disk_stat)
func diskStat(
    _ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<disk_status>
) -> Int64 {
    let path = String(cString: path)
    guard let disk = Disks.current.disk(of: path) else { return -Int64(ENOENT) }
    if disk.isFolder(path) {
        status.pointee = disk_status(
            size: 0, modified: 0, device: disk.boot, number: 0, is_folder: 1)
        return 0
    }
    guard let file = disk.file(path) else { return -Int64(ENOENT) }
    status.pointee = disk_status(file, on: disk)
    return 0
}

@c(disk_make_folder)
func diskMakeFolder(_ path: UnsafePointer<CChar>) -> Int64 {
    let path = String(cString: path)
    return Disks.current.disk(of: path)?.makeFolder(path) ?? -Int64(ENOENT)
}

@c(disk_unlink)
func diskUnlink(_ path: UnsafePointer<CChar>) -> Int64 {
    let path = String(cString: path)
    return Disks.current.disk(of: path)?.unlink(path) ?? -Int64(ENOENT)
}

@c(disk_rename)
func diskRename(
    _ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>, _ mustBeNew: Int32
) -> Int64 {
    let (path, target) = (String(cString: path), String(cString: target))
    guard let disk = Disks.current.disk(of: path) else { return -Int64(ENOENT) }
    return disk.rename(path, target, mustBeNew: mustBeNew != 0)
}

@c(disk_list)
func diskList(_ path: UnsafePointer<CChar>) -> Int64 {
    let path = String(cString: path)
    guard let disk = Disks.current.disk(of: path), disk.isFolder(path) else {
        return -Int64(ENOENT)
    }
    let number = Int64(Disks.current.listings.count + 1)
    Disks.current.listings[number] = disk.list(path).reversed()
    return number
}

@c(disk_next)
func diskNext(_ listing: Int64, _ name: UnsafeMutablePointer<CChar>) -> Int64 {
    guard let next = Disks.current.listings[listing]?.popLast() else { return 0 }
    strncpy(name, next, 255)
    name[255] = 0
    return 1
}

@c(disk_end_list)
func diskEndList(_ listing: Int64) { Disks.current.listings[listing] = nil }
