// Callbacks for the attributes of `stat(2)`, for `access(2)` and `statfs(2)`.

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
        access = { request, inode, mask in
            serve(request, .access) { bridge, reply in bridge.checkAccess(reply, inode, mask) }
        }
        statfs = { request, _ in
            serve(request, .statfs) { bridge, reply in reply.space(bridge.fileSystem.spaceUsage()) }
        }
    }
}

extension Bridge {
    fileprivate func attributes(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        answer(reply, on: [inode], with: fileSystem.attributes(of: inode), as: .attributes)
    }

    /// The kernel asks with access(2) and chdir(2) of mounts on which it does not check permission
    /// bits itself, without `default_permissions`.
    fileprivate func checkAccess(_ reply: consuming Reply, _ inode: fuse_ino_t, _ mask: CInt) {
        let inode = InodeID(inode)
        var kinds: AccessKinds = []
        if mask & R_OK != 0 { kinds.insert(.read) }
        if mask & W_OK != 0 { kinds.insert(.write) }
        if mask & X_OK != 0 { kinds.insert(.execute) }
        answer(reply, on: [inode], with: fileSystem.checkAccess(kinds, to: inode), as: .done)
    }

    fileprivate func setAttributes(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ status: UnsafeMutablePointer<stat>?,
        _ mask: CInt, _ info: UnsafeMutablePointer<fuse_file_info>?
    ) {
        guard let status else { return }
        let inode = InodeID(inode)
        let changes = AttributeChanges(status.pointee, mask: mask)
        if changes.size != nil { pending.endAbandonedReads(of: inode) }
        let result = fileSystem.setAttributes(
            changes, of: inode, handle: info.map { HandleID($0.pointee.fh) })
        answer(reply, on: [inode], with: result, as: .attributes)
    }
}
