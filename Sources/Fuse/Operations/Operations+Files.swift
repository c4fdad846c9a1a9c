// Callbacks from open to release. Ranges (fallocate, copy, seek) are in Operations+Ranges.swift.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

extension fuse_lowlevel_ops {
    mutating func addFiles() {
        open = { request, inode, info in
            serve(request, .open) { bridge, reply in bridge.open(reply, inode, info) }
        }
        create = { request, parent, name, mode, info in
            serve(request, .create) { bridge, reply in
                bridge.create(reply, parent, name, mode, info)
            }
        }
        read = { request, inode, size, offset, info in
            serve(request, .read) { bridge, reply in bridge.read(reply, inode, size, offset, info) }
        }
        write = { request, inode, bytes, size, offset, info in
            serve(request, .write) { bridge, reply in
                bridge.write(
                    reply, inode, UnsafeRawBufferPointer(start: bytes, count: size), offset, info)
            }
        }
        flush = { request, inode, info in
            serve(request, .flush) { bridge, reply in bridge.flush(reply, inode, info) }
        }
        fsync = { request, inode, dataOnly, info in
            serve(request, .fsync) { bridge, reply in
                bridge.synchronize(reply, inode, dataOnly: dataOnly != 0, info)
            }
        }
        release = { request, inode, info in
            serve(request, .release) { bridge, reply in
                if let info {
                    bridge.fileSystem.release(InodeID(inode), handle: HandleID(info.pointee.fh))
                }
                // close(2) has returned long ago; an error could not be reported.
                reply.succeed()
            }
        }
    }
}

extension Bridge {
    fileprivate typealias Info = UnsafeMutablePointer<fuse_file_info>?

    fileprivate func open(_ reply: consuming Reply, _ inode: fuse_ino_t, _ info: Info) {
        guard let info else { return }
        let inode = InodeID(inode)
        let flags = OpenFlags(info.pointee.flags)
        if flags.truncates { pending.endAbandonedReads(of: inode) }
        let result = fileSystem.open(inode, flags: flags, caller: reply.caller)
        answer(reply, on: [inode], with: result, as: .opened(inode))
    }

    fileprivate func create(
        _ reply: consuming Reply, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>?,
        _ mode: mode_t, _ info: Info
    ) {
        guard let name, let info else { return }
        let parent = InodeID(parent)
        // The kernel has applied the umask.
        let result = fileSystem.create(
            copyBytes(name), in: parent, permissions: UInt16(clamping: mode & 0o7777),
            flags: OpenFlags(info.pointee.flags), caller: reply.caller)
        answer(reply, on: [parent], with: result, as: .created)
    }

    fileprivate func read(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ size: Int, _ offset: off_t, _ info: Info
    ) {
        guard let info else { return }
        let inode = InodeID(inode)
        let result = fileSystem.read(
            inode, handle: HandleID(info.pointee.fh), offset: Int64(clamping: offset), count: size)
        answer(reply, on: [inode], with: result, as: .content(limit: size))
    }

    fileprivate func write(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ bytes: UnsafeRawBufferPointer,
        _ offset: off_t, _ info: Info
    ) {
        guard let info else { return }
        let inode = InodeID(inode)
        let origin: WriteOrigin =
            info.pointee.writepage != 0 ? .page : .call(OpenFlags(info.pointee.flags))
        let result = fileSystem.write(
            inode, handle: HandleID(info.pointee.fh), offset: Int64(clamping: offset), bytes: bytes,
            from: origin)
        answer(reply, on: [inode], with: result, as: .count)
    }

    fileprivate func flush(_ reply: consuming Reply, _ inode: fuse_ino_t, _ info: Info) {
        guard let info else { return }
        let inode = InodeID(inode)
        answer(
            reply, on: [inode], with: fileSystem.flush(inode, handle: HandleID(info.pointee.fh)),
            as: .done)
    }

    fileprivate func synchronize(
        _ reply: consuming Reply, _ inode: fuse_ino_t, dataOnly: Bool, _ info: Info
    ) {
        guard let info else { return }
        let inode = InodeID(inode)
        let result = fileSystem.synchronize(
            inode, handle: HandleID(info.pointee.fh), dataOnly: dataOnly)
        answer(reply, on: [inode], with: result, as: .done)
    }
}
