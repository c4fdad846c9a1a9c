// The one answer that a kernel request gets. Exactly once is the type's doing: each way to answer
// consumes the value, and a value that is dropped answers EIO.

import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage

/// The right and the duty to answer one request.
///
/// Each answer returns whether the kernel took it. It does not if the connection has ended meanwhile;
/// then what the answer would have handed over (a lookup, an open handle) must be taken back.
// Sendable because libfuse accepts the answer from any thread, and a value that cannot be copied is
// held by one of them only.
struct Reply: ~Copyable, @unchecked Sendable {
    private let request: fuse_req_t

    /// Takes over a request that nothing has answered.
    init(_ request: fuse_req_t) {
        self.request = request
    }

    deinit {
        fuse_reply_err(request, EIO)
    }

    /// Who asks.
    var caller: Caller {
        guard let context = fuse_req_ctx(request) else {
            return Caller(userID: 0, groupID: 0, processID: 0)
        }
        return Caller(
            userID: context.pointee.uid, groupID: context.pointee.gid,
            processID: context.pointee.pid)
    }

    /// Has `function` called with `token` when the kernel interrupts the request, at once if it has.
    ///
    /// The token is a number and no address, because libfuse may call the function while another
    /// thread answers.
    borrowing func onInterrupt(_ token: UInt64, call function: @escaping fuse_interrupt_func_t) {
        fuse_req_interrupt_func(request, function, UnsafeMutableRawPointer(bitPattern: UInt(token)))
    }

    /// Gives up the request without an answer. For requests whose session is about to be freed.
    consuming func abandon() {
        discard self
    }

    private consuming func release() -> fuse_req_t {
        let request = self.request
        discard self
        return request
    }

    // MARK: Answers

    /// An error.
    @discardableResult
    consuming func fail(_ errno: Errno) -> Bool {
        fuse_reply_err(release(), errno.rawValue) == 0
    }

    /// Success without a value.
    @discardableResult
    consuming func succeed() -> Bool {
        fuse_reply_err(release(), 0) == 0
    }

    /// No answer, as `forget` wants it.
    consuming func none() {
        fuse_reply_none(release())
    }

    /// An inode that a name leads to.
    consuming func entry(_ entry: Entry) -> Bool {
        var parameters = fuse_entry_param(entry)
        return fuse_reply_entry(release(), &parameters) == 0
    }

    /// An absence that the kernel may remember for so many seconds.
    consuming func absent(timeout: Double) -> Bool {
        // Inode 0 with a timeout is a negative entry; ENOENT would not be remembered.
        var parameters = fuse_entry_param()
        parameters.entry_timeout = timeout
        return fuse_reply_entry(release(), &parameters) == 0
    }

    /// A new inode together with the open file.
    consuming func created(_ created: CreatedFile) -> Bool {
        var parameters = fuse_entry_param(created.entry)
        var info = fuse_file_info(created.opened)
        return fuse_reply_create(release(), &parameters, &info) == 0
    }

    /// An open file or folder.
    consuming func opened(_ info: fuse_file_info) -> Bool {
        var info = info
        return fuse_reply_open(release(), &info) == 0
    }

    /// Attributes.
    consuming func attributes(_ entry: Entry) -> Bool {
        var status = entry.attributes.status
        return fuse_reply_attr(release(), &status, entry.timeouts.attributes) == 0
    }

    /// The target of a symbolic link.
    consuming func target(_ target: [UInt8]) -> Bool {
        var terminated = target.map { CChar(bitPattern: $0) }
        terminated.append(0)
        return fuse_reply_readlink(release(), terminated) == 0
    }

    /// Bytes, of which no more than `limit` go: content or an attribute's value.
    consuming func bytes(_ bytes: [UInt8], limit: Int) -> Bool {
        let request = release()
        return bytes.withUnsafeBytes { bytes in
            Reply.send(UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)), to: request)
        }
    }

    /// Bytes of a listing.
    consuming func bytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        Reply.send(bytes, to: release())
    }

    private static func send(_ bytes: UnsafeRawBufferPointer, to request: fuse_req_t) -> Bool {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        return fuse_reply_buf(request, start, bytes.count) == 0
    }

    /// How many bytes were written or copied.
    consuming func count(_ count: Int) -> Bool {
        fuse_reply_write(release(), count) == 0
    }

    /// The size of an extended attribute, or of the list of names.
    consuming func size(_ size: Int) -> Bool {
        fuse_reply_xattr(release(), size) == 0
    }

    /// A place in a file.
    consuming func offset(_ offset: Int64) -> Bool {
        fuse_reply_lseek(release(), off_t(offset)) == 0
    }

    /// Space of the filesystem.
    @discardableResult
    consuming func space(_ usage: SpaceUsage) -> Bool {
        var status = statvfs(usage)
        return fuse_reply_statfs(release(), &status) == 0
    }
}
