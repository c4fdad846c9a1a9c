// libfuse's session as a value with a lifetime: created, mounted, served, freed. Session decides
// when.

import CFuse
import Glibc
import LocalIO
import Logging
import Synchronization
import SystemPackage

/// A mounted connection to the kernel.
///
/// Made by `mount`, used by one thread in `serve`, and freed by `free` after its last use.
// Sendable because the pointers never change, libfuse's functions for replies, notifications and
// the exit flag may be called from any thread, and Session guarantees that `serve` and `free` are
// called once, in this order.
final class Connection: @unchecked Sendable {
    private let session: OpaquePointer
    private let context: UnsafeMutablePointer<cfuse_connection>
    private let owner: Unmanaged<Bridge>
    /// The mountpoint of the connection.
    let mountpoint: Mountpoint
    /// The connection's number: its device's minor number.
    let device: UInt32

    /// Mounts the filesystem. No request is answered before `serve`.
    static func mount(
        _ bridge: Bridge, at mountpoint: Mountpoint, options: MountOptions
    ) throws(MountError) -> Connection {
        try checkPrerequisites(options)
        let context = UnsafeMutablePointer<cfuse_connection>.allocate(capacity: 1)
        let owner = Unmanaged.passRetained(bridge)
        context.initialize(to: cfuse_connection())
        context.pointee.owner = owner.toOpaque()
        context.pointee.initialized = { owner in
            guard let owner else { return }
            Unmanaged<Bridge>.fromOpaque(owner).takeUnretainedValue().becomeInitialized()
        }
        context.pointee.wanted_init_flags = Negotiation.additionalFlags(options)
        let messages = LibraryLog.capture(to: bridge.log)
        let (opened, reasons) = ErrorOutput.catching {
            open(context, at: mountpoint.path, arguments: options.arguments)
        }
        guard let session = opened else {
            context.deallocate()
            owner.release()
            throw .refused(mountpoint.path, LibraryLog.text(since: messages, and: reasons))
        }
        // The last mount at this path is ours: no other process is expected to mount here at the
        // same time.
        let device = MountTable.current().topMount(at: mountpoint.path)?.minor ?? 0
        return Connection(
            session: session, context: context, owner: owner, mountpoint: mountpoint,
            device: device)
    }

    private init(
        session: OpaquePointer, context: UnsafeMutablePointer<cfuse_connection>,
        owner: Unmanaged<Bridge>, mountpoint: Mountpoint, device: UInt32
    ) {
        self.session = session
        self.context = context
        self.owner = owner
        self.mountpoint = mountpoint
        self.device = device
    }

    /// Detects errors that libfuse would only print.
    private static func checkPrerequisites(_ options: MountOptions) throws(MountError) {
        do {
            try FileDescriptor.open("/dev/fuse", .readWrite, options: .closeOnExec).close()
        } catch Errno.noSuchFileOrDirectory, Errno.operationNotSupportedByDevice, Errno
            .noSuchAddressOrDevice
        {
            throw .deviceMissing
        } catch {
            throw .deviceForbidden(error as? Errno ?? .ioError)
        }
        guard geteuid() != 0 else { return }
        if Fusermount.locate() == nil {
            throw .fusermountMissing
        }
        let configuration = (try? readText("/etc/fuse.conf")) ?? ""
        if options.access != .owner, !Fusermount.allowsOthers(configuration: configuration) {
            throw .accessForOthersForbidden
        }
    }

    private static func open(
        _ context: UnsafeMutablePointer<cfuse_connection>, at path: FilePath, arguments: [String]
    ) -> OpaquePointer? {
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        defer { argv.forEach { Glibc.free($0) } }
        var operations = fuse_lowlevel_ops.bridge
        let count = CInt(clamping: argv.count)
        guard let session = cfuse_session_new(count, &argv, &operations, context) else {
            return nil
        }
        guard fuse_session_mount(session, path.string) == 0 else {
            fuse_session_destroy(session)
            return nil
        }
        guard cfuse_session_install_io(session) == 0 else {
            fuse_session_unmount(session)
            fuse_session_destroy(session)
            return nil
        }
        return session
    }

    /// The target of notifications.
    var notificationTarget: NotificationTarget { NotificationTarget(session: session) }

    /// Whether the kernel accepted `HANDLE_KILLPRIV_V2`. Valid once the session is ready.
    var dropsPrivilegeBits: Bool {
        context.pointee.granted_init_flags & UInt64(CFUSE_INIT_HANDLE_KILLPRIV_V2) != 0
    }

    /// Serves requests on this thread and on libfuse's worker threads, until the filesystem is
    /// unmounted or `exit` is called.
    func serve(threads: UInt32, clonesDevice: Bool) throws(SessionError) {
        let result = cfuse_session_loop(session, threads, clonesDevice ? 1 : 0)
        if result != 0 {
            throw .failed(Errno(rawValue: CInt(clamping: result.magnitude)))
        }
    }

    /// Makes `serve` return once its thread is woken.
    func exit() {
        fuse_session_exit(session)
    }

    /// Where the mount still is in the mount table: elsewhere than at its mountpoint after a folder
    /// above was renamed, and at several places with bind mounts. Its device's number may be that
    /// of another filesystem once it is unmounted.
    var places: [Mountpoint] {
        MountTable.current().mounts(ofDevice: MountTable.Entry.device(fuse: device))
            .filter { $0.type == MountOptions.type }.map { Mountpoint(listed: $0.path) }
    }

    /// Closes the device, which aborts every remaining request, and frees the session.
    ///
    /// Not `fuse_session_unmount`: it closes the device before it unmounts, so that dirty pages of
    /// memory-mapped files could not be written back, and it unmounts any mount at that path.
    func free() {
        fuse_session_destroy(session)
        context.deallocate()
        owner.release()
    }
}
