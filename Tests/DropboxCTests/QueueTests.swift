// Callbacks in the thread of a program, and the ends of operations that nothing waits for.

import CDropbox
import DropboxEmulator
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct QueueTests {
    /// The kinds of errors that `done` was called with.
    final class Ends: Sendable {
        let kinds = Mutex<[Int32]>([])

        static let note:
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
            ) -> Void = { context, _, error in
                guard let context else { return }
                let ends = Unmanaged<Ends>.fromOpaque(context).takeUnretainedValue()
                ends.kinds.withLock { $0.append(error?.pointee.kind ?? 0) }
            }

        var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
        var count: Int { kinds.withLock { $0.count } }
    }

    private static func options() -> dropbox_options {
        var options = dropbox_options()
        options.size = MemoryLayout<dropbox_options>.size
        return options
    }

    /// Runs the queue until there are so many ends, on a thread of its own: those of tasks must not
    /// wait.
    private func run(_ queue: OpaquePointer?, until count: Int, _ ends: Ends) async {
        // C's pointers are not checked by the compiler; one thread has this one.
        nonisolated(unsafe) let queue = queue
        await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                while ends.count < count { _ = dropbox_queue_run(queue, 10_000) }
                waiter.resume()
            }
        }
    }

    @Test("a thousand operations end once each, half of them without a request")
    func many() async throws {
        try await BorderAccount.with { account in
            let ends = Ends()
            var options = Self.options()
            options.queue = dropbox_queue_new()
            for number in 0..<1000 {
                let argument = number.isMultiple(of: 2) ? "{}" : "{"
                dropbox_call_start(
                    account.client, "check/user", argument, &options, Ends.note, ends.context)
            }
            await run(options.queue, until: 1000, ends)
            #expect(dropbox_queue_run(options.queue, 0) == 0)
            let kinds = ends.kinds.withLock { $0 }
            #expect(kinds.count { $0 == 0 } == 500)
            let invalid = Int32(clamping: DROPBOX_ERROR_INVALID_ARGUMENT.rawValue)
            #expect(kinds.count { $0 == invalid } == 500)
            dropbox_queue_free(options.queue)
        }
    }

    @Test(
        "operations of a queue that is gone end by themselves, also those that ask for a callback")
    func freedQueue() async throws {
        try await BorderAccount.with { account in
            var options = Self.options()
            options.queue = dropbox_queue_new()
            dropbox_pages_start(
                account.client, "files/list_folder", #"{"path":""}"#, { _, _ in 0 }, &options, nil,
                nil)
            dropbox_changes_start(
                account.client, nil, #"{"path":""}"#, { _, _ in 0 }, &options, nil, nil)
            dropbox_queue_free(options.queue)
            // The connections are free for others.
            let echo = try await account.call("check/user", #"{"query":"free"}"#)
            #expect(echo.contains("free"))
        }
    }

    @Test("an object ends what it was given to, before and after, and nothing else")
    func cancelling() async throws {
        try await BorderAccount.with { account in
            try account.server.updateSettings(["longpoll_timeout_ms": 60_000])
            let cursor = try await account.latestCursor()
            let ends = Ends()
            var options = Self.options()
            options.queue = dropbox_queue_new()
            options.cancel = dropbox_cancel_new()
            for _ in 0..<3 {
                dropbox_longpoll_start(
                    account.client, cursor, 480, &options, Ends.note, ends.context)
            }
            dropbox_cancel_now(options.cancel)
            dropbox_call_start(
                account.client, "check/user", "{}", &options, Ends.note, ends.context)
            await run(options.queue, until: 4, ends)
            let cancelled = Int32(clamping: DROPBOX_ERROR_CANCELLED.rawValue)
            #expect(ends.kinds.withLock { $0 } == [Int32](repeating: cancelled, count: 4))
            dropbox_cancel_free(options.cancel)
            options.cancel = nil
            dropbox_call_start(
                account.client, "check/user", "{}", &options, Ends.note, ends.context)
            await run(options.queue, until: 5, ends)
            #expect(ends.kinds.withLock { $0.last } == 0)
            dropbox_queue_free(options.queue)
        }
    }
}

extension BorderAccount {
    /// A cursor behind all that is there.
    fileprivate func latestCursor() async throws -> String {
        let json = try await call("files/list_folder/get_latest_cursor", #"{"path":""}"#)
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try #require(object?["cursor"] as? String)
    }
}
