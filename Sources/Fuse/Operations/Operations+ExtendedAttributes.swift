// Callbacks for extended attributes. Those of the kernel's security and ACL code are answered here:
// it asks for them often, and this filesystem never has any.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

extension fuse_lowlevel_ops {
    mutating func addExtendedAttributes() {
        getxattr = { request, inode, name, capacity in
            serve(request, .getxattr) { bridge, reply in
                bridge.extendedAttribute(reply, inode, name, capacity: capacity)
            }
        }
        listxattr = { request, inode, capacity in
            serve(request, .listxattr) { bridge, reply in
                bridge.extendedAttributeNames(reply, inode, capacity: capacity)
            }
        }
        setxattr = { request, inode, name, value, size, flags in
            serve(request, .setxattr) { bridge, reply in
                bridge.setExtendedAttribute(
                    reply, inode, name, UnsafeRawBufferPointer(start: value, count: size), flags)
            }
        }
        removexattr = { request, inode, name in
            serve(request, .removexattr) { bridge, reply in
                bridge.removeExtendedAttribute(reply, inode, name)
            }
        }
    }
}

/// The component that handles an extended attribute.
enum AttributeName: Hashable, Sendable {
    /// The filesystem handles it.
    case fileSystem(String)
    /// Always absent: file capabilities and POSIX ACLs.
    case kernel
    /// Always absent: the name is not UTF-8.
    case undecodable

    /// Classifies a name from the kernel.
    init(_ bytes: [UInt8]) {
        guard let name = String(validating: bytes, as: UTF8.self) else {
            self = .undecodable
            return
        }
        let belongsToKernel = name == "security.capability" || name.hasPrefix("system.posix_acl_")
        self = belongsToKernel ? .kernel : .fileSystem(name)
    }
}

extension Bridge {
    fileprivate func extendedAttribute(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ name: UnsafePointer<CChar>?, capacity: Int
    ) {
        guard let name else { return }
        let inode = InodeID(inode)
        guard case .fileSystem(let name) = AttributeName(copyBytes(name)) else {
            fail(reply, on: [inode], with: .noAttribute)
            return
        }
        answer(
            reply, on: [inode], with: fileSystem.extendedAttribute(name, of: inode),
            as: .attribute(capacity: capacity))
    }

    fileprivate func extendedAttributeNames(
        _ reply: consuming Reply, _ inode: fuse_ino_t, capacity: Int
    ) {
        let inode = InodeID(inode)
        answer(
            reply, on: [inode], with: fileSystem.extendedAttributeNames(of: inode),
            as: .attributeNames(capacity: capacity))
    }

    fileprivate func setExtendedAttribute(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ name: UnsafePointer<CChar>?,
        _ value: UnsafeRawBufferPointer, _ flags: CInt
    ) {
        guard let name else { return }
        guard let mode = AttributeWriteMode(flags: flags) else {
            reply.fail(.invalidArgument)
            return
        }
        guard case .fileSystem(let name) = AttributeName(copyBytes(name)) else {
            // `cp -a` and `setfacl` understand ENOTSUP as "this filesystem has none".
            reply.fail(.notSupported)
            return
        }
        let inode = InodeID(inode)
        answer(
            reply, on: [inode],
            with: fileSystem.setExtendedAttribute(name, of: inode, to: Array(value), mode: mode),
            as: .done)
    }

    fileprivate func removeExtendedAttribute(
        _ reply: consuming Reply, _ inode: fuse_ino_t, _ name: UnsafePointer<CChar>?
    ) {
        guard let name else { return }
        let inode = InodeID(inode)
        guard case .fileSystem(let name) = AttributeName(copyBytes(name)) else {
            fail(reply, on: [inode], with: .noAttribute)
            return
        }
        answer(
            reply, on: [inode], with: fileSystem.removeExtendedAttribute(name, of: inode),
            as: .done)
    }
}
