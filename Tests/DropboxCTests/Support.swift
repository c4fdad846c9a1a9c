// The library for C as its users call it, against an emulator in this process. Not responsible for
// what a C program tests: Tests/c.

import CDropbox
import DropboxEmulator
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

/// An error that C was given, copied.
struct BorderFailure: Error, Hashable {
    var kind: dropbox_error_kind.RawValue
    var status: Int32
    var retryAfter: Int64
    var mayHaveTakenEffect: Bool
    var summary: String
    var tag: String?
    var body: String?

    init(_ error: dropbox_error) {
        kind = dropbox_error_kind.RawValue(clamping: error.kind)
        status = error.http_status
        retryAfter = error.retry_after_ms
        mayHaveTakenEffect = error.may_have_taken_effect != 0
        summary = error.summary.map { String(cString: $0) } ?? ""
        tag = error.tag.map { String(cString: $0) }
        body = error.body.map { String(cString: $0) }
    }
}

/// A client of libdropbox, with an emulator.
final class BorderAccount: Sendable {
    let server: RunningEmulator
    /// Unchecked by the compiler, because C's pointers are; the header allows any thread.
    nonisolated(unsafe) let client: OpaquePointer

    private init(server: RunningEmulator, client: OpaquePointer) {
        self.server = server
        self.client = client
    }

    deinit {
        dropbox_client_free(client)
    }

    /// Runs a test with an account of its own.
    static func with(_ body: (BorderAccount) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let server = try await EmulatorServer(
            configuration: EmulatorConfiguration(
                stateFolder: folder.path + "/server", tokens: ["token"],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        ).start()
        let config = dropbox_config_new()
        #expect(dropbox_config_set_text(config, text(DROPBOX_ENDPOINT), server.baseURL, nil) == 0)
        // A failure is the test's, and no time is to be lost with further attempts.
        #expect(dropbox_config_set_number(config, number(DROPBOX_MAX_ATTEMPTS), 1, nil) == 0)
        #expect(dropbox_config_set_number(config, number(DROPBOX_MAX_THROTTLES), 0, nil) == 0)
        let client = try #require(dropbox_client_with_token(config, "token", nil))
        dropbox_config_free(config)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(BorderAccount(server: server, client: client)))
        } catch {
            result = .failure(error)
        }
        await server.stop()
        try result.get()
    }

    static func text(_ setting: dropbox_text_setting) -> Int32 { Int32(clamping: setting.rawValue) }
    static func number(_ setting: dropbox_number_setting) -> Int32 {
        Int32(clamping: setting.rawValue)
    }

    /// Calls a route and copies its result.
    func call(_ route: String, _ argument: String? = nil) async throws -> String {
        let account = self
        return try await Self.blocking { error in
            dropbox_call(account.client, route, argument, nil, error)
        }
    }

    /// Runs a function that blocks on a thread that may be blocked, and copies its result or throws
    /// its error.
    static func blocking(
        _ function:
            @escaping @Sendable (
                UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>
            ) -> UnsafeMutablePointer<CChar>?
    ) async throws -> String {
        let outcome: Result<String, BorderFailure> = await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                var error: UnsafeMutablePointer<dropbox_error>?
                let text = function(&error)
                defer {
                    dropbox_free(text)
                    dropbox_error_free(error)
                }
                if let text {
                    waiter.resume(returning: .success(String(cString: text)))
                } else if let error {
                    waiter.resume(returning: .failure(BorderFailure(error.pointee)))
                }
            }
        }
        return try outcome.get()
    }

    /// The error of a call that has to fail.
    func failure(_ route: String, _ argument: String? = nil) async throws -> BorderFailure {
        do {
            let result = try await call(route, argument)
            Issue.record("\(route) gave \(result.prefix(200))")
            throw CancellationError()
        } catch let error as BorderFailure {
            return error
        }
    }
}
