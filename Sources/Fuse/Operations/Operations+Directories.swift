// Callbacks from opendir to releasedir, and the layout of a listing in the kernel's buffer.

import CFuse
import Core
import FileSystem
import Glibc
import Saturating
import SystemPackage

extension fuse_lowlevel_ops {
    mutating func addDirectories() {
        opendir = { request, inode, _ in
            serve(request, .opendir) { bridge, reply in bridge.openDirectory(reply, inode) }
        }
        readdir = { request, inode, size, offset, info in
            serve(request, .readdir) { bridge, reply in
                bridge.readDirectory(reply, inode, size, offset, info, withEntries: false)
            }
        }
        readdirplus = { request, inode, size, offset, info in
            serve(request, .readdirplus) { bridge, reply in
                bridge.readDirectory(reply, inode, size, offset, info, withEntries: true)
            }
        }
        fsyncdir = { request, inode, _, _ in
            serve(request, .fsyncdir) { bridge, reply in bridge.synchronizeDirectory(reply, inode) }
        }
        releasedir = { request, inode, info in
            serve(request, .releasedir) { bridge, reply in
                if let info {
                    bridge.fileSystem.releaseDirectory(
                        InodeID(inode), handle: HandleID(info.pointee.fh))
                }
                reply.succeed()
            }
        }
    }
}

extension Bridge {
    fileprivate func openDirectory(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        let caller = reply.caller
        answer(reply, on: [inode], with: fileSystem.openDirectory(inode), as: .opened(inode))
        fileSystem.noteVisit(at: inode, by: caller)
    }

    fileprivate func readDirectory(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ size: Int, _ offset: off_t,
        _ info: UnsafeMutablePointer<fuse_file_info>?, withEntries: Bool
    ) {
        guard let info else { return }
        let inode = InodeID(inode)
        let handle = HandleID(info.pointee.fh)
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: size, alignment: MemoryLayout<UInt64>.alignment)
        defer { bytes.deallocate() }
        var listing = ListingBuffer(bytes, withEntries: withEntries)
        let error = fileSystem.readDirectory(
            inode, handle: handle, offset: UInt64(bitPattern: Int64(clamping: offset)),
            withEntries: withEntries
        ) { entry in
            listing.append(entry)
        }
        // Entries that fit are sent even if an error came after: their lookups are counted.
        if let error, listing.count == 0 {
            fail(reply, on: [inode], with: error)
        } else {
            _ = reply.bytes(listing.filled)
        }
    }

    fileprivate func synchronizeDirectory(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        answer(reply, on: [inode], with: fileSystem.synchronizeDirectory(inode), as: .done)
    }
}

/// The buffer of one `readdir` or `readdirplus`, filled from the front.
struct ListingBuffer: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer
    private let withEntries: Bool
    /// Number of bytes filled.
    private(set) var count = 0

    /// Uses memory that the caller owns and keeps alive.
    init(_ bytes: UnsafeMutableRawBufferPointer, withEntries: Bool) {
        self.bytes = bytes
        self.withEntries = withEntries
    }

    /// The filled part of the buffer.
    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

    /// Appends an entry; false, without effect, if it does not fit.
    mutating func append(_ entry: DirectoryEntry) -> Bool {
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
        let start = rest.baseAddress?.assumingMemoryBound(to: CChar.self)
        let offset = off_t(truncatingIfNeeded: entry.nextOffset)
        let needed = (entry.name.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
            let name = $0.baseAddress
            // libfuse ignores the request in both calls.
            if withEntries {
                var parameters = Self.parameters(entry)
                return fuse_add_direntry_plus(nil, start, rest.count, name, &parameters, offset)
            }
            var status = Self.status(entry)
            return fuse_add_direntry(nil, start, rest.count, name, &status, offset)
        }
        guard needed <= rest.count else { return false }
        count +|= needed
        return true
    }

    /// Inode 0 tells the kernel that there is a name without a lookup, as for "." and "..".
    private static func parameters(_ entry: DirectoryEntry) -> fuse_entry_param {
        if let full = entry.entry {
            return fuse_entry_param(full)
        }
        var parameters = fuse_entry_param()
        parameters.attr = status(entry)
        return parameters
    }

    private static func status(_ entry: DirectoryEntry) -> stat {
        var status = stat()
        status.st_ino = ino_t(clamping: entry.inode.rawValue)
        status.st_mode = entry.kind.modeBits
        return status
    }
}
