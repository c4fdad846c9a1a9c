// The operations that this bridge answers, on one page. Left out on purpose:
//
// - getlk, setlk, flock: the kernel then keeps locks itself, which is right for one machine.
// - access: permission bits are the kernel's to check (`default_permissions`).
// - poll, bmap: have no meaning here, and libfuse tells the kernel not to ask again.
// - write_buf: the filesystem takes memory, so that spliced pages would be copied all the same.
// - retrieve_reply: nothing is ever retrieved from the kernel's cache.

import CFuse

extension fuse_lowlevel_ops {
    /// libfuse's table of callbacks. None of them captures anything; each finds its bridge through
    /// the request.
    static var bridge: fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        operations.`init` = { _, connection in
            if let connection {
                Negotiation.apply(to: &connection.pointee)
            }
        }
        operations.addNames()
        operations.addAttributes()
        operations.addExtendedAttributes()
        operations.addFiles()
        operations.addRanges()
        operations.addDirectories()
        return operations
    }
}

/// Finds the bridge and takes over the request, or leaves both alone if libfuse gave neither.
func serve(_ request: fuse_req_t?, _ call: Call, _ body: (Bridge, consuming Reply) -> Void) {
    guard let request else { return }
    let reply = Reply(request)
    guard let bridge = Bridge.serving(request) else { return }
    bridge.calls.note(call)
    body(bridge, reply)
}
