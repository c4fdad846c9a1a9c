// The operations that this bridge implements, on one page. Omitted on purpose:
//
// - getlk, setlk, flock: the kernel then manages locks itself, which is right for one machine.
// - poll, bmap: have no meaning here, and libfuse tells the kernel not to ask again.
// - write_buf: the filesystem needs the data in memory, so spliced pages would be copied anyway.
// - retrieve_reply: the kernel's cache is never read back.

import CFuse

extension fuse_lowlevel_ops {
    /// libfuse's table of callbacks. None of them captures context; each finds its bridge through
    /// the request.
    static var bridge: fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        operations.`init` = { userData, connection in
            guard let connection else { return }
            Negotiation.apply(to: &connection.pointee)
            userData.flatMap { Bridge.of($0) }?.canSkipOpenDirectory =
                Negotiation.canSkipOpenDirectory(offered: connection.pointee.capable)
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

/// Finds the bridge and takes over the request; does nothing if libfuse passed neither.
func serve(_ request: fuse_req_t?, _ call: Call, _ body: (Bridge, consuming Reply) -> Void) {
    guard let request else { return }
    let reply = Reply(request, call)
    guard let bridge = Bridge.serving(request) else { return }
    bridge.calls.note(call)
    body(bridge, reply)
}
