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
        readdir = { request, inode, size, offset, _ in
            serve(request, .readdir) { bridge, reply in
                bridge.readDirectory(reply, inode, size, offset, withEntries: false)
            }
        }
        readdirplus = { request, inode, size, offset, _ in
            serve(request, .readdirplus) { bridge, reply in
                bridge.readDirectory(reply, inode, size, offset, withEntries: true)
            }
        }
        fsyncdir = { request, inode, _, _ in
            serve(request, .fsyncdir) { bridge, reply in bridge.synchronizeDirectory(reply, inode) }
        }
        releasedir = { request, _, _ in
            serve(request, .releasedir) { _, reply in reply.succeed() }
        }
    }
}

extension Bridge {
    fileprivate func openDirectory(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        let caller = reply.caller
        answer(
            reply, on: [inode], with: fileSystem.openDirectory(inode),
            as: .opened(canBeLast: canSkipOpenDirectory))
        fileSystem.noteVisit(at: inode, by: caller)
    }

    fileprivate func readDirectory(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ size: Int, _ offset: off_t,
        withEntries: Bool
    ) {
        let inode = InodeID(inode)
        let read = DirectoryRead(
            offset: UInt64(bitPattern: Int64(clamping: offset)), size: size,
            withEntries: withEntries)
        let listing = ListingBuffer(size: size, withEntries: withEntries)
        let answer = fileSystem.readDirectory(inode, read) { listing.append($0) }
        self.answer(reply, on: [inode], with: answer, as: .listing(listing))
    }

    fileprivate func synchronizeDirectory(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        answer(reply, on: [inode], with: fileSystem.synchronizeDirectory(inode), as: .done)
    }
}

extension Encoding where Value == Void {
    /// The entries in a buffer.
    fileprivate static func listing(_ listing: ListingBuffer) -> Self {
        Encoding { reply, _ in reply.bytes(listing.filled) }
    }
}

/// The buffer of one `readdir` or `readdirplus`, filled from the front.
// Sendable because one call has it: it is filled by the one attempt that runs, and read by the
// reply after it.
final class ListingBuffer: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    private let withEntries: Bool
    /// Number of bytes filled.
    private(set) var count = 0

    /// Makes a buffer of so many bytes.
    init(size: Int, withEntries: Bool) {
        bytes = .allocate(byteCount: size, alignment: MemoryLayout<UInt64>.alignment)
        self.withEntries = withEntries
    }

    deinit {
        bytes.deallocate()
    }

    /// The filled part of the buffer, valid as long as it lives.
    var filled: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

    /// Appends an entry; false, without effect, if it does not fit.
    func append(_ entry: DirectoryEntry) -> Bool {
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
