// A mount for one test: served by FuseTestServer in a process of its own, used by shells in others.
// This process never touches a path on the mount; should it hang, a test run would hang for good.

import Foundation
import LocalIO
import Synchronization
import SystemPackage
import TestSupport

/// How a program ended.
struct ShellResult: Sendable, CustomStringConvertible {
    /// Exit code, or 128 and the signal's number.
    var status: Int32
    /// stdout and stderr without the last newline.
    var output: String

    var description: String { "exit code \(status)\n\(output)" }
}

/// A program that runs beside a test, with its output in a file.
struct RunningShell: Sendable {
    let process: ChildProcess
    let outputPath: String
    private let ending: Task<Int32, Never>

    init(_ script: String, environment: [String: String], outputPath: String) throws {
        let output = try FileDescriptor.open(
            outputPath, .writeOnly, options: [.create, .append, .closeOnExec],
            permissions: .ownerReadWrite)
        defer { try? output.close() }
        // Tests that run in a script's background ignore SIGINT, and so would their children.
        let process = try ChildProcess.start(
            "/usr/bin/env", ["--default-signal", "/bin/sh", "-c", script], environment: environment,
            descriptors: [1: output, 2: output], isDetached: true)
        self.process = process
        self.outputPath = outputPath
        ending = Task { await onOwnThread { process.wait() } }
    }

    var output: String {
        let text = (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? ""
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    func result() async -> ShellResult {
        let status = await ending.value
        return ShellResult(status: status, output: output)
    }

    /// Sends a signal to the shell and all that it started.
    func signal(_ number: Int32) {
        kill(-process.id, number)
    }
}

/// Runs what blocks on a thread that is made for it.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// A `TestFileSystem` on a mountpoint.
final class TestMount: Sendable {
    /// Far more than any test needs; then the connection is aborted, and everything goes on with
    /// errors.
    private static let limit: Duration = .seconds(120)

    /// The test's own folder, not on the mount.
    let folder: String
    /// The path of the mountpoint.
    let path: String
    let server: ChildProcess
    /// Nil once it is closed: its number may be another file's then. Lock: held while it is used.
    private let orders: Mutex<FileDescriptor?>
    private let hasEnded = Atomic<Bool>(false)
    private let answers: AsyncStream<String>
    /// The connection's number, noted while the mount is listed.
    private let connection = Mutex<String?>(nil)
    private let shells = Atomic<Int>(0)

    /// Mounts, runs the test's body, unmounts, and leaves nothing behind, also if the body throws.
    static func run(
        _ options: String..., body: @escaping @Sendable (TestMount) async throws -> Void
    ) async throws {
        let mount = try TestMount(options)
        let watchdog = Task {
            // The limit of the test.
            try await Task.sleep(for: limit)
            print("the test hangs; these processes wait:\n\(HangReport(folder: mount.folder))")
            mount.abort()
        }
        defer {
            watchdog.cancel()
            mount.abort()
            try? FileManager.default.removeItem(atPath: mount.folder)
        }
        guard await mount.nextAnswer() == "ready" else {
            throw TestMountError(message: "the server is not ready: \(mount.serverErrors)")
        }
        mount.noteConnection()
        try await body(mount)
        try await mount.end()
    }

    private init(_ options: [String]) throws {
        var template = Array("/tmp/fuse-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TestMountError(message: "no folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/mnt"
        mkdir(path, 0o755)
        let input = try DescriptorPipe()
        let output = try DescriptorPipe()
        let errors = try FileDescriptor.open(
            FilePath(folder + "/server.log"), .writeOnly, options: [.create, .closeOnExec],
            permissions: .ownerReadWrite)
        server = try ChildProcess.start(
            Self.program, ["serve", path] + options,
            descriptors: [0: input.reading, 1: output.writing, 2: errors], isDetached: true)
        try input.reading.close()
        try output.writing.close()
        try errors.close()
        orders = Mutex(input.writing)
        let (answers, continuation) = AsyncStream<String>.makeStream()
        self.answers = answers
        Thread.detachNewThread {
            while let line = output.readLine() { continuation.yield(line) }
            continuation.finish()
            try? output.reading.close()
        }
    }

    /// The server's program, beside the tests' own.
    static let program: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        return FilePath(bundle ?? ChildProcess.ownPath).removingLastComponent()
            .appending("FuseTestServer").string
    }()

    var serverErrors: String {
        (try? String(contentsOfFile: folder + "/server.log", encoding: .utf8)) ?? ""
    }

    // MARK: Orders to the server

    /// The server's next line; nil when it has ended.
    func nextAnswer() async -> String? {
        for await line in answers { return line }
        return nil
    }

    /// Gives an order and returns the answer.
    @discardableResult
    func order(_ order: String) async throws -> String {
        try orders.withLock { _ = try $0?.writeAll((order + "\n").utf8) }
        guard let answer = await nextAnswer() else {
            throw TestMountError(message: "the server has ended: \(serverErrors)")
        }
        return answer
    }

    func count(of operation: String) async throws -> Int? {
        Int(try await order("count \(operation)"))
    }

    /// Waits until an order's answer is what it shall become. Only the watchdog limits it.
    func wait(until order: String, is expected: String) async throws {
        try await waitWhile { try await self.order(order) != expected }
    }

    // MARK: Programs on the mount

    /// Starts a shell with `M`, the mountpoint, and `call`, which makes one system call.
    func start(_ script: String) throws -> RunningShell {
        let number = shells.add(1, ordering: .relaxed).newValue
        let environment = [
            "M": path, "T": folder, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8",
        ]
        let call = "call() { \(Self.program) call \"$@\"; }\n"
        return try RunningShell(
            call + script, environment: environment, outputPath: "\(folder)/output-\(number)")
    }

    /// Runs a shell to its end.
    func shell(_ script: String) async throws -> ShellResult {
        try await start(script).result()
    }

    // MARK: The end

    /// Stops the server, and checks that it ends by itself and that the mount is gone.
    private func end() async throws {
        closeOrders()
        let server = self.server
        let status = await onOwnThread { server.wait() }
        hasEnded.store(true, ordering: .relaxed)
        guard status == 0 else {
            throw TestMountError(message: "the server ended with \(status): \(serverErrors)")
        }
        guard Self.connection(at: path) == nil else {
            throw TestMountError(message: "the mount is still there")
        }
    }

    private func noteConnection() {
        connection.withLock { $0 = Self.connection(at: path) }
    }

    /// The connection's number from the table of mounts, which asks no filesystem anything.
    static func connection(at path: String) -> String? {
        KernelMount.all.first { $0.path == path }?.minor
    }

    /// Ends everything by force. Harmless after a good end.
    private func abort() {
        closeOrders()
        if let number = connection.withLock({ $0 }), Self.connection(at: path) == number {
            FuseConnections.abort([number])
        }
        while Self.connection(at: path) != nil, umount2(path, CInt(MNT_DETACH)) == 0 {}
        // The process that was waited for has given its number back.
        if !hasEnded.load(ordering: .relaxed) { kill(-server.id, SIGKILL) }
    }

    /// The server ends when it can get no more orders.
    private func closeOrders() {
        orders.withLock { orders in
            try? orders?.close()
            orders = nil
        }
    }
}

struct TestMountError: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
}
