import Core
import FileSystem
import Glibc
import LocalIO
import Synchronization
import TestSupport
import Testing

@testable import Fuse

@Suite("pending operations")
struct PendingOperationsTests {
    private static func operation(_ inodes: UInt64...) -> Fuse.Operation {
        Operation(.read, inodes: inodes.map { InodeID($0) })
    }

    @Test("an operation that is cancelled before it has started is cancelled when it starts")
    func earlyCancellation() async throws {
        let pending = PendingOperations()
        let token = try #require(pending.enter(Self.operation(2), processID: 1))
        pending.cancel(token)
        await withCheckedContinuation { continuation in
            pending.start(token) {
                await waitForCancellation()
                continuation.resume()
            }
        }
        pending.leave(token)
    }

    @Test("a truncation ends the reads of that file whose process has ended, and no others")
    func abandonedReads() async throws {
        let pending = PendingOperations()
        let ended = Mutex<[String]>([])
        func start(_ name: String, _ inode: UInt64, _ process: Int32, isRead: Bool = true) throws {
            let operation = Operation(isRead ? .read : .getattr, inodes: [InodeID(inode)])
            let token = try #require(pending.enter(operation, processID: process))
            pending.start(token) {
                await waitForCancellation()
                ended.withLock { $0.append(name) }
                pending.leave(token)
            }
        }
        // Linux numbers no process so high.
        let gone = Int32.max
        try start("abandoned", 2, gone)
        try start("abandoned", 2, gone)
        try start("of a living process", 2, getpid())
        try start("of an unknown process", 2, 0)
        try start("of another file", 3, gone)
        try start("another operation", 2, gone, isRead: false)
        pending.endAbandonedReads(of: InodeID(2))
        try await waitWhile { ended.withLock { $0.count < 2 } }
        #expect(ended.withLock { $0 } == ["abandoned", "abandoned"])
        // The watch goes on while there are reads: the kernel had queued this one.
        try start("queued", 2, gone)
        while ended.withLock({ $0.count < 3 }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(ended.withLock { $0.last } == "queued")
        #expect(await onOwnThread { pending.cancelAll(waiting: .seconds(60)) })
    }

    @Test("holds are those of the operations under way, the oldest for each inode")
    func holds() throws {
        let pending = PendingOperations()
        #expect(pending.holds(now: .now).isEmpty)
        let first = try #require(pending.enter(Self.operation(2, 3), processID: 1))
        let second = try #require(pending.enter(Self.operation(3, 4), processID: 1))
        let holds = pending.holds(now: .now + .seconds(5))
        #expect(Set(holds.keys) == [InodeID(2), InodeID(3), InodeID(4)])
        #expect(holds[InodeID(3)] == holds[InodeID(2)])
        pending.leave(first)
        #expect(Set(pending.holds(now: .now).keys) == [InodeID(3), InodeID(4)])
        pending.leave(second)
        #expect(pending.holds(now: .now).isEmpty)
    }

    @Test("cancelling all waits for the answers, and accepts nothing new")
    func cancelAll() async throws {
        let pending = PendingOperations()
        let answers = Mutex(0)
        for _ in 0..<10 {
            let token = try #require(pending.enter(Self.operation(2), processID: 1))
            pending.start(token) {
                await waitForCancellation()
                if pending.beginAnswer(token) { answers.withLock { $0 += 1 } }
                pending.leave(token)
            }
        }
        #expect(await onOwnThread { pending.cancelAll(waiting: .seconds(60)) })
        #expect(answers.withLock { $0 } == 10)
        #expect(pending.enter(Self.operation(2), processID: 1) == nil)
    }

    @Test("an operation that ignores its cancellation may not answer after the table is closed")
    func closing() async throws {
        let pending = PendingOperations()
        let token = try #require(pending.enter(Self.operation(2), processID: 1))
        #expect(await onOwnThread { pending.cancelAll(waiting: .milliseconds(1)) } == false)
        await onOwnThread { pending.close() }
        #expect(pending.beginAnswer(token) == false)
        pending.leave(token)
    }

    @Test("closing waits for an answer that is being given")
    func closingDuringAnswer() async throws {
        let pending = PendingOperations()
        let token = try #require(pending.enter(Self.operation(2), processID: 1))
        #expect(pending.beginAnswer(token))
        let isClosed = Mutex(false)
        let closing = Task {
            await onOwnThread {
                pending.close()
                isClosed.withLock { $0 = true }
            }
        }
        // Closed for others, and still waiting for this one.
        while pending.beginAnswer(0) { await Task.yield() }
        #expect(isClosed.withLock { $0 } == false)
        pending.leave(token)
        await closing.value
    }

    @Test("every waiter learns of the operations' end")
    func endForAll() async throws {
        let pending = PendingOperations()
        let token = try #require(pending.enter(Self.operation(2), processID: 1))
        let begun = Counter()
        async let first = onOwnThread {
            begun.increment()
            return pending.cancelAll(waiting: .seconds(30))
        }
        async let second = onOwnThread {
            begun.increment()
            return pending.cancelAll(waiting: .seconds(30))
        }
        try await waitWhile { begun.count < 2 }
        pending.leave(token)
        #expect(await [first, second] == [true, true])
    }

    @Test("a waiter is known until the operation ends")
    func waiter() throws {
        let pending = PendingOperations()
        let token = try #require(pending.enter(Self.operation(2), processID: 77))
        #expect(pending.waiter(of: token)?.processID == 77)
        pending.leave(token)
        #expect(pending.waiter(of: token) == nil)
    }
}

@Suite("interruption")
struct InterruptionTests {
    private static let status = """
        Name:\tcat
        SigQ:\t0/95000
        SigPnd:\t0000000000000100
        ShdPnd:\t0000000000004002
        SigBlk:\t0000000000000002
        SigIgn:\t0000000000000000
        """

    @Test("pending signals are the thread's and the process's without those blocked")
    func parsing() {
        #expect(PendingSignals(parsing: Self.status)?.bits == 0x4100)
        #expect(PendingSignals(parsing: "Name:\tcat\n") == nil)
    }

    @Test("the process of a thread is found in its status, with any name")
    func process() {
        let status = "Name:\tTgid:\\n7 x\nUmask:\t0022\nTgid:\t4711\nPid:\t4712\n"
        #expect(CallingProcess.process(ofThread: status) == 4711)
        #expect(CallingProcess.process(ofThread: "Name:\tx\n") == nil)
        #expect(CallingProcess.process(ofThread: "Tgid:\t99999999999\n") == nil)
    }

    @Test("a caller's program is that of its process, also for a thread with another name")
    func program() throws {
        let expected = try readText("/proc/self/comm").dropLast()
        let status = try readText("/proc/thread-self/status")
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Pid:") })
        let thread = try #require(line.split(separator: "\t").last.flatMap { Int32($0) })
        for thread in [getpid(), thread] {
            let caller = CallingProcess(userID: 0, groupID: 0, processID: thread)
            #expect(caller.programName == String(expected))
        }
        #expect(CallingProcess(userID: 0, groupID: 0, processID: 0).programName == nil)
    }

    @Test("a process that is not there has no signals")
    func unknownProcess() {
        #expect(PendingSignals.of(thread: 0) == nil)
    }

    @Test(
        "SIGKILL ends everything, a wish to stop what allows it, other signals nothing",
        arguments: [
            (SIGKILL, true, true), (SIGKILL, false, true), (SIGINT, true, true),
            (SIGTERM, true, true), (SIGINT, false, false), (SIGUSR1, true, false),
            (SIGCHLD, true, false), (SIGURG, true, false),
        ])
    func decisions(signal: CInt, isInterruptible: Bool, isCancelled: Bool) {
        var signals = PendingSignals(parsing: Self.status)
        signals?.bits = 1 << UInt64(signal - 1)
        for looks in [0, 1, 100] {
            let decision = Interruption.decide(
                signals: signals, isInterruptible: isInterruptible, looks: looks)
            #expect(decision == (isCancelled ? .cancel : .wait))
        }
    }

    @Test("an unknown caller's wait ends once the interruption has lasted, where that is allowed")
    func unknownCaller() {
        func decide(_ isInterruptible: Bool, _ looks: Int) -> Interruption {
            .decide(signals: nil, isInterruptible: isInterruptible, looks: looks)
        }
        #expect(decide(true, 0) == .wait)
        #expect(decide(true, 1) == .cancel)
        #expect(decide(false, 100) == .wait)
    }
}
