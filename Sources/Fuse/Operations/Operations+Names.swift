// Callbacks that look up, create, remove and rename names. They decode and copy; libfuse owns the
// strings, which are valid during the callback only.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

extension fuse_lowlevel_ops {
    mutating func addNames() {
        lookup = { request, parent, name in
            serve(request, .lookup) { bridge, reply in bridge.lookup(reply, parent, name) }
        }
        forget = { request, inode, count in
            serve(request, .forget) { bridge, reply in
                bridge.fileSystem.forget(InodeID(inode), count: count)
                reply.none()
            }
        }
        forget_multi = { request, count, forgets in
            serve(request, .forget) { bridge, reply in
                for forget in UnsafeBufferPointer(start: forgets, count: count) {
                    bridge.fileSystem.forget(InodeID(forget.ino), count: forget.nlookup)
                }
                reply.none()
            }
        }
        mknod = { request, parent, name, mode, _ in
            serve(request, .mknod) { bridge, reply in bridge.makeNode(reply, parent, name, mode) }
        }
        mkdir = { request, parent, name, mode in
            serve(request, .mkdir) { bridge, reply in
                bridge.makeDirectory(reply, parent, name, mode)
            }
        }
        symlink = { request, target, parent, name in
            serve(request, .symlink) { bridge, reply in
                bridge.makeSymbolicLink(reply, target, parent, name)
            }
        }
        unlink = { request, parent, name in
            serve(request, .unlink) { bridge, reply in bridge.unlink(reply, parent, name) }
        }
        rmdir = { request, parent, name in
            serve(request, .rmdir) { bridge, reply in bridge.removeDirectory(reply, parent, name) }
        }
        rename = { request, parent, name, newParent, newName, flags in
            serve(request, .rename) { bridge, reply in
                bridge.rename(reply, parent, name, newParent, newName, flags)
            }
        }
        // cp, git and tar understand EPERM as "this filesystem has no hard links"; ENOSYS looks
        // like a bug.
        link = { request, _, _, _ in serve(request, .link) { _, reply in reply.fail(.notPermitted) }
        }
        readlink = { request, inode in
            serve(request, .readlink) { bridge, reply in bridge.readSymbolicLink(reply, inode) }
        }
    }
}

extension Bridge {
    fileprivate typealias Name = UnsafePointer<CChar>?

    fileprivate func lookup(_ reply: consuming Reply, _ parent: fuse_ino_t, _ name: Name) {
        guard let name else { return }
        let parent = InodeID(parent)
        answer(
            reply, on: [parent], with: fileSystem.lookup(copyBytes(name), in: parent), as: .lookup)
    }

    /// Makes regular files, FIFOs and sockets; device files are refused.
    fileprivate func makeNode(
        _ reply: consuming Reply, _ parent: fuse_ino_t, _ name: Name, _ mode: mode_t
    ) {
        guard let name else { return }
        guard let kind = MakeableKind(mode) else {
            reply.fail(.notPermitted)
            return
        }
        let parent = InodeID(parent)
        let result = fileSystem.makeNode(
            kind, copyBytes(name), in: parent, permissions: UInt16(clamping: mode & 0o7777),
            caller: reply.caller)
        answer(reply, on: [parent], with: result, as: .entry)
    }

    fileprivate func makeDirectory(
        _ reply: consuming Reply, _ parent: fuse_ino_t, _ name: Name, _ mode: mode_t
    ) {
        guard let name else { return }
        let parent = InodeID(parent)
        let result = fileSystem.makeDirectory(
            copyBytes(name), in: parent, permissions: UInt16(clamping: mode & 0o7777),
            caller: reply.caller)
        answer(reply, on: [parent], with: result, as: .entry)
    }

    fileprivate func makeSymbolicLink(
        _ reply: consuming Reply, _ target: Name, _ parent: fuse_ino_t, _ name: Name
    ) {
        guard let target, let name else { return }
        let parent = InodeID(parent)
        let result = fileSystem.makeSymbolicLink(
            copyBytes(name), in: parent, target: copyBytes(target), caller: reply.caller)
        answer(reply, on: [parent], with: result, as: .entry)
    }

    fileprivate func unlink(_ reply: consuming Reply, _ parent: fuse_ino_t, _ name: Name) {
        guard let name else { return }
        let parent = InodeID(parent)
        answer(reply, on: [parent], with: fileSystem.unlink(copyBytes(name), in: parent), as: .done)
    }

    fileprivate func removeDirectory(_ reply: consuming Reply, _ parent: fuse_ino_t, _ name: Name) {
        guard let name else { return }
        let parent = InodeID(parent)
        answer(
            reply, on: [parent], with: fileSystem.removeDirectory(copyBytes(name), in: parent),
            as: .done)
    }

    fileprivate func rename(
        _ reply: consuming Reply, _ parent: fuse_ino_t, _ name: Name, _ newParent: fuse_ino_t,
        _ newName: Name, _ flags: UInt32
    ) {
        guard let name, let newName else { return }
        guard let mode = RenameMode(flags: flags) else {
            reply.fail(.invalidArgument)
            return
        }
        let parent = InodeID(parent)
        let newParent = InodeID(newParent)
        let result = fileSystem.rename(
            copyBytes(name), in: parent, to: copyBytes(newName), in: newParent, mode: mode)
        answer(reply, on: [parent, newParent], with: result, as: .done)
    }

    fileprivate func readSymbolicLink(_ reply: consuming Reply, _ inode: fuse_ino_t) {
        let inode = InodeID(inode)
        answer(reply, on: [inode], with: fileSystem.readSymbolicLink(inode), as: .target)
    }
}
