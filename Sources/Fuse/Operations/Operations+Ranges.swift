// Callbacks on ranges of open files: fallocate, copy_file_range, lseek; and ioctl, which is
// unsupported.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

extension fuse_lowlevel_ops {
    mutating func addRanges() {
        fallocate = { request, inode, mode, offset, count, info in
            serve(request, .fallocate) { bridge, reply in
                bridge.allocate(reply, inode, mode, offset, count, info)
            }
        }
        copy_file_range = {
            request, source, offset, info, target, newOffset, newInfo, count, flags in
            serve(request, .copyFileRange) { bridge, reply in
                bridge.copyRange(
                    reply, (source, offset, info), (target, newOffset, newInfo), count, flags)
            }
        }
        lseek = { request, inode, offset, whence, info in
            serve(request, .lseek) { bridge, reply in
                bridge.seek(reply, inode, offset, whence, info)
            }
        }
        ioctl = { request, _, _, _, _, _, _, _, _ in
            // isatty(3), chattr(1) and FICLONE understand ENOTTY as "not this kind of file".
            serve(request, .ioctl) { _, reply in reply.fail(.inappropriateIOCTLForDevice) }
        }
    }
}

extension Bridge {
    fileprivate typealias Info = UnsafeMutablePointer<fuse_file_info>?

    fileprivate func allocate(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ mode: CInt, _ offset: off_t,
        _ count: off_t, _ info: Info
    ) {
        guard let info else { return }
        guard let mode = AllocationMode(mode: mode) else {
            reply.fail(.notSupported)
            return
        }
        let inode = InodeID(inode)
        let result = fileSystem.allocate(
            inode, handle: HandleID(info.pointee.fh), offset: Int64(clamping: offset),
            count: Int64(clamping: count),
            mode: mode)
        answer(reply, on: [inode], with: result, as: .done)
    }

    /// The largest copy whose size fits in the reply's 32 bits, in whole pages.
    private static var maximumCopy: Int { Int(clamping: UInt32.max) & ~4095 }

    fileprivate func copyRange(
        _ reply: consuming Reply, _ source: (fuse_ino_t, off_t, Info),
        _ target: (fuse_ino_t, off_t, Info), _ count: Int, _ flags: CInt
    ) {
        guard let sourceInfo = source.2, let targetInfo = target.2 else { return }
        guard flags == 0 else {
            reply.fail(.invalidArgument)
            return
        }
        let result = fileSystem.copyRange(
            from: InodeID(source.0), handle: HandleID(sourceInfo.pointee.fh),
            offset: Int64(clamping: source.1), to: InodeID(target.0),
            targetHandle: HandleID(targetInfo.pointee.fh), targetOffset: Int64(clamping: target.1),
            count: Int64(clamping: min(count, Self.maximumCopy)))
        answer(reply, on: [InodeID(source.0), InodeID(target.0)], with: result, as: .count)
    }

    fileprivate func seek(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ offset: off_t, _ whence: CInt,
        _ info: Info
    ) {
        guard let info else { return }
        guard let target = SeekTarget(whence: whence) else {
            reply.fail(.invalidArgument)
            return
        }
        let inode = InodeID(inode)
        let result = fileSystem.seek(
            inode, handle: HandleID(info.pointee.fh), offset: Int64(clamping: offset),
            target: target)
        answer(reply, on: [inode], with: result, as: .offset)
    }
}
