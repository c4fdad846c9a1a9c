// The one reply to a kernel request. The type guarantees exactly one: each way to reply consumes
// the value, and a value that is dropped replies EIO.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

/// The right and the duty to reply to one request.
///
/// Each reply returns whether the kernel took it. It does not if the connection has ended; then the
/// lookup count or handle in the reply must be taken back.
// Sendable because libfuse accepts the reply from any thread, and a noncopyable value is owned by
// one of them only.
struct Reply: ~Copyable, @unchecked Sendable {
    private let request: fuse_req_t
    /// The kind of the request.
    let call: Call

    /// Takes over a request without a reply.
    init(_ request: fuse_req_t, _ call: Call) {
        self.request = request
        self.call = call
    }

    deinit {
        fuse_reply_err(request, EIO)
    }

    /// The process that made the request.
    var caller: CallingProcess {
        guard let context = fuse_req_ctx(request) else {
            return CallingProcess(userID: 0, groupID: 0, processID: 0)
        }
        return CallingProcess(
            userID: context.pointee.uid, groupID: context.pointee.gid,
            processID: context.pointee.pid)
    }

    /// Calls `function` with `token` when the kernel interrupts the request, immediately if it has.
    ///
    /// The token is a number and not a pointer, because libfuse may call the function while another
    /// thread replies.
    borrowing func onInterrupt(_ token: UInt64, call function: @escaping fuse_interrupt_func_t) {
        fuse_req_interrupt_func(
            request, function, UnsafeMutableRawPointer(bitPattern: UInt(clamping: token)))
    }

    /// Gives up the request without a reply. For requests whose session is about to be freed.
    consuming func abandon() {
        discard self
    }

    private consuming func release() -> fuse_req_t {
        let request = self.request
        discard self
        return request
    }

    // MARK: Answers

    /// Replies with an errno.
    @discardableResult
    consuming func fail(_ errno: Errno) -> Bool {
        fuse_reply_err(release(), errno.rawValue) == 0
    }

    /// Replies with success and no value.
    @discardableResult
    consuming func succeed() -> Bool {
        fuse_reply_err(release(), 0) == 0
    }

    /// Ends the request without a reply, as `forget` demands.
    consuming func none() {
        fuse_reply_none(release())
    }

    /// Replies with an inode, and counts a lookup.
    consuming func entry(_ entry: Entry) -> Bool {
        var parameters = fuse_entry_param(entry)
        return fuse_reply_entry(release(), &parameters) == 0
    }

    /// Replies with a negative entry that the kernel may cache for so many seconds.
    consuming func absent(timeout: Double) -> Bool {
        // Inode 0 with a timeout is a negative entry; ENOENT would not be cached.
        var parameters = fuse_entry_param()
        parameters.entry_timeout = timeout
        return fuse_reply_entry(release(), &parameters) == 0
    }

    /// Replies with a new inode and its file handle.
    consuming func created(_ created: CreatedFile) -> Bool {
        var parameters = fuse_entry_param(created.entry)
        var info = fuse_file_info(created.opened)
        return fuse_reply_create(release(), &parameters, &info) == 0
    }

    /// Replies with a file's handle, or that a folder is open.
    consuming func opened(_ info: fuse_file_info) -> Bool {
        var info = info
        return fuse_reply_open(release(), &info) == 0
    }

    /// Replies with an inode's attributes.
    consuming func attributes(_ entry: Entry) -> Bool {
        var status = entry.attributes.status
        return fuse_reply_attr(release(), &status, entry.timeouts.attributes) == 0
    }

    /// Replies with the target of a symbolic link.
    consuming func target(_ target: [UInt8]) -> Bool {
        var terminated = target.map { CChar(bitPattern: $0) }
        terminated.append(0)
        return fuse_reply_readlink(release(), terminated) == 0
    }

    /// Replies with at most `limit` bytes: content or an attribute's value.
    consuming func bytes(_ bytes: [UInt8], limit: Int) -> Bool {
        let request = release()
        return bytes.withUnsafeBytes { bytes in
            Reply.send(UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)), to: request)
        }
    }

    /// Replies with the bytes of a listing.
    consuming func bytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        Reply.send(bytes, to: release())
    }

    private static func send(_ bytes: UnsafeRawBufferPointer, to request: fuse_req_t) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return fuse_reply_buf(request, start, bytes.count) == 0
    }

    /// Replies with the number of bytes written or copied.
    consuming func count(_ count: Int) -> Bool {
        fuse_reply_write(release(), count) == 0
    }

    /// Replies with the size of an extended attribute, or of the list of names.
    consuming func size(_ size: Int) -> Bool {
        fuse_reply_xattr(release(), size) == 0
    }

    /// Replies with a file offset.
    consuming func offset(_ offset: Int64) -> Bool {
        fuse_reply_lseek(release(), off_t(clamping: offset)) == 0
    }

    /// Replies with the filesystem's space usage.
    @discardableResult
    consuming func space(_ usage: SpaceUsage) -> Bool {
        var status = statvfs(usage)
        return fuse_reply_statfs(release(), &status) == 0
    }
}
