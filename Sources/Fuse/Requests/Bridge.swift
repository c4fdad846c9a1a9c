// Connects libfuse's callbacks to the filesystem: the context of a callback, and how an answer,
// immediate or deferred, becomes the one reply. The callbacks themselves are in Operations+….swift.

import CFuse
import Core
import FileSystem
import Logging
import Synchronization
import SystemPackage

/// Serves the requests of one session.
final class Bridge: Sendable {
    /// The filesystem that computes the answers.
    let fileSystem: any FileSystemOperations
    /// The operations that wait for the network.
    let pending = PendingOperations()
    /// The number of requests by kind.
    let calls = CallCounts()
    let log: Logger
    /// In a structure, because of `Mutex`'s effect on functions (see `Scripts/check-imports`).
    private struct Initialization {
        var body: (@Sendable () -> Void)?
    }

    private let initialized = Mutex(Initialization())
    private let kernelSkipsOpenDirectory = Atomic(false)

    init(fileSystem: any FileSystemOperations, log: Logger) {
        self.fileSystem = fileSystem
        self.log = log
    }

    /// The bridge of the session that a request belongs to.
    static func serving(_ request: fuse_req_t) -> Bridge? {
        fuse_req_userdata(request).flatMap { of($0) }
    }

    /// The bridge of a session, by the pointer that libfuse has for it.
    static func of(_ userData: UnsafeMutableRawPointer) -> Bridge? {
        let connection = userData.assumingMemoryBound(to: cfuse_connection.self)
        guard let owner = connection.pointee.owner else { return nil }
        // Not retained by the connection: the session retains the bridge until libfuse is done.
        return Unmanaged<Bridge>.fromOpaque(owner).takeUnretainedValue()
    }

    /// Whether the kernel takes ENOSYS for an opendir as the answer to all that follow (since 5.1).
    /// Set while the connection is negotiated.
    var canSkipOpenDirectory: Bool {
        get { kernelSkipsOpenDirectory.load(ordering: .relaxed) }
        set { kernelSkipsOpenDirectory.store(newValue, ordering: .relaxed) }
    }

    /// Sets a closure to be called once, on libfuse's thread, when the kernel has accepted the
    /// connection.
    func whenInitialized(_ body: @escaping @Sendable () -> Void) {
        initialized.withLock { $0.body = body }
    }

    /// Called when the kernel has accepted the connection.
    func becomeInitialized() {
        let body = initialized.withLock { $0.body.take() }
        body?()
    }

    /// Answers a request on inodes: immediately on this thread, or when the answer's task ends.
    func answer<Value>(
        _ reply: consuming Reply, on inodes: [InodeID], with answer: Answer<Value>,
        as encoding: Encoding<Value>
    ) {
        switch answer {
        case .ready(let value):
            send(value, to: reply, as: encoding)
        case .failed(let error):
            fail(reply, on: inodes, with: error)
        case .pending(let work):
            wait(for: work, reply: reply, inodes: inodes, encoding: encoding)
        }
    }

    /// Replies with an error.
    func fail(_ reply: consuming Reply, on inodes: [InodeID], with error: FileSystemError) {
        let name = reply.call.rawValue
        if case .inputOutput(let reason) = error {
            // Only this error has a reason that its errno cannot express.
            log.error(
                "\(name) failed", metadata: ["inodes": "\(inodes)", "reason": "\(reason)"])
        } else {
            log.trace("\(name): \(error)", metadata: ["inodes": "\(inodes)"])
        }
        reply.fail(Errno(error))
    }

    private func send<Value>(
        _ value: Value, to reply: consuming Reply, as encoding: Encoding<Value>
    ) {
        if !encoding.send(reply, value) {
            encoding.takeBack(fileSystem, value)
        }
    }

    /// Runs the work in a task, and frees the thread that received the request at once.
    private func wait<Value: Sendable>(
        for work: @escaping @Sendable () async throws(FileSystemError) -> Value,
        reply: consuming Reply, inodes: [InodeID], encoding: Encoding<Value>
    ) {
        let operation = Operation(reply.call, inodes: inodes)
        guard let token = pending.enter(operation, processID: reply.caller.processID) else {
            // The session is ending: ENOTCONN, as from a network filesystem whose server is gone.
            reply.fail(.socketNotConnected)
            return
        }
        // Before the task starts, because the reply frees the request; after the operation is
        // registered, because an earlier interruption is reported at once.
        reply.onInterrupt(token) { request, token in
            guard let request, let token, let bridge = Bridge.serving(request) else { return }
            bridge.pending.interrupt(UInt64(clamping: UInt(bitPattern: token)))
        }
        let parked = ParkedReply(reply)
        pending.start(token) { [self] in
            let outcome: Result<Value, FileSystemError>
            do throws(FileSystemError) {
                outcome = .success(try await work())
            } catch {
                outcome = .failure(error)
            }
            finish(parked, token, inodes, with: outcome, as: encoding)
        }
    }

    private func finish<Value>(
        _ parked: ParkedReply, _ token: UInt64, _ inodes: [InodeID],
        with outcome: Result<Value, FileSystemError>, as encoding: Encoding<Value>
    ) {
        defer { pending.leave(token) }
        guard let reply = parked.take() else { return }
        guard pending.beginAnswer(token) else {
            reply.abandon()
            if case .success(let value) = outcome {
                encoding.takeBack(fileSystem, value)
            }
            return
        }
        switch outcome {
        case .success(let value): send(value, to: reply, as: encoding)
        case .failure(let error): fail(reply, on: inodes, with: error)
        }
    }
}

/// A reply owned by a task: a noncopyable value cannot be captured directly.
private final class ParkedReply: Sendable {
    private let reply: Mutex<Reply?>

    init(_ reply: consuming Reply) {
        self.reply = Mutex(reply)
    }

    /// The reply on the first call, nil afterwards.
    func take() -> Reply? {
        reply.withLock { $0.take() }
    }
}

/// How a value is sent as a reply, and how its lookup count or handle is taken back if the kernel
/// does not take the reply.
struct Encoding<Value>: Sendable {
    /// Sends the reply; false if the kernel did not take it.
    let send: @Sendable (consuming Reply, Value) -> Bool
    /// Returns to the filesystem the lookup count or handle that the reply would have passed to the
    /// kernel.
    var takeBack: @Sendable (any FileSystemOperations, Value) -> Void = { _, _ in }
}

extension Encoding where Value == Void {
    /// Success without a value.
    static var done: Self { Encoding { reply, _ in reply.succeed() } }
}

extension Encoding where Value == LookupResult {
    /// A name's inode, or a negative entry.
    static var lookup: Self {
        Encoding { reply, result in
            switch result {
            case .found(let entry): reply.entry(entry)
            case .absent(let timeout): reply.absent(timeout: timeout)
            }
        } takeBack: { fileSystem, result in
            if case .found(let entry) = result {
                fileSystem.forget(entry.attributes.inode, count: 1)
            }
        }
    }
}

extension Encoding where Value == Entry {
    /// A new name's inode, which counts a lookup.
    static var entry: Self {
        Encoding {
            $0.entry($1)
        } takeBack: {
            $0.forget($1.attributes.inode, count: 1)
        }
    }

    /// The attributes without a lookup.
    static var attributes: Self { Encoding { $0.attributes($1) } }
}

extension Encoding where Value == CreatedFile {
    /// A new inode and its file handle.
    static var created: Self {
        Encoding {
            $0.created($1)
        } takeBack: { fileSystem, created in
            let inode = created.entry.attributes.inode
            fileSystem.release(inode, handle: created.opened.handle)
            fileSystem.forget(inode, count: 1)
        }
    }
}

extension Encoding where Value == OpenedFile {
    /// A file handle of a known inode.
    static func opened(_ inode: InodeID) -> Self {
        Encoding {
            $0.opened(fuse_file_info($1))
        } takeBack: {
            $0.release(inode, handle: $1.handle)
        }
    }
}

extension Encoding where Value == OpenedDirectory {
    /// An open folder, or that the kernel need not ask from now on. It then caches listings.
    static func opened(canBeLast: Bool) -> Self {
        Encoding { reply, directory in
            canBeLast && directory.isLast
                ? reply.fail(.noFunction) : reply.opened(fuse_file_info(directory))
        }
    }
}

extension Encoding where Value == [UInt8] {
    /// Content, at most as much as requested: the kernel would treat more as a broken server.
    static func content(limit: Int) -> Self {
        Encoding { $0.bytes($1, limit: limit) }
    }

    /// A symbolic link's target.
    static var target: Self { Encoding { $0.target($1) } }

    /// An extended attribute for a buffer of so many bytes; 0 requests the size.
    static func attribute(capacity: Int) -> Self {
        Encoding { reply, value in
            sendAttribute(value, to: reply, capacity: capacity)
        }
    }
}

extension Encoding where Value == [String] {
    /// Names of extended attributes, each terminated by NUL, for a buffer of so many bytes.
    static func attributeNames(capacity: Int) -> Self {
        Encoding { reply, names in
            sendAttribute(
                names.flatMap { [Array($0.utf8), [0]].flatMap(\.self) }, to: reply,
                capacity: capacity)
        }
    }
}

extension Encoding where Value == Int {
    /// A number of bytes.
    static var count: Self { Encoding { $0.count($1) } }
}

extension Encoding where Value == Int64 {
    /// An offset in a file.
    static var offset: Self { Encoding { $0.offset($1) } }
}

private func sendAttribute(_ value: [UInt8], to reply: consuming Reply, capacity: Int) -> Bool {
    if capacity == 0 {
        return reply.size(value.count)
    }
    if value.count > capacity {
        return reply.fail(.outOfRange)
    }
    return reply.bytes(value, limit: capacity)
}
