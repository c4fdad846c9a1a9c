// Callbacks for the attributes of `stat(2)` and `statfs(2)`.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

extension fuse_lowlevel_ops {
    mutating func addAttributes() {
        getattr = { request, inode, _ in
            serve(request, .getattr) { bridge, reply in bridge.attributes(reply, inode) }
        }
        setattr = { request, inode, status, mask, info in
            serve(request, .setattr) { bridge, reply in
                bridge.setAttributes(reply, inode, status, mask, info)
            }
        }
        statfs = { request, _ in
            serve(request, .statfs) { bridge, reply in reply.space(bridge.fileSystem.spaceUsage()) }
        }
    }
}

extension Bridge {
    fileprivate func attributes(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        answer(
            reply, Operation(name: "getattr", inodes: [inode], isInterruptible: true),
            with: fileSystem.attributes(of: inode), as: .attributes)
    }

    fileprivate func setAttributes(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ status: UnsafeMutablePointer<stat>?,
        _ mask: CInt, _ info: UnsafeMutablePointer<fuse_file_info>?
    ) {
        guard let status else { return }
        let inode = InodeID(inode)
        let result = fileSystem.setAttributes(
            AttributeChanges(status.pointee, mask: mask), of: inode,
            handle: info.map { HandleID($0.pointee.fh) })
        answer(
            reply, Operation(name: "setattr", inodes: [inode], isInterruptible: true),
            with: result, as: .attributes)
    }
}
