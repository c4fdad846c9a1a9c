// Hostile responses to a program in C: the program gets JSON or an error, and goes on.

import CDropbox
import DropboxEmulator
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HostileResponseTests {
    @Test(
        "a response passes through as it was sent, with fields, tags and numbers that no version knows"
    )
    func unknownValues() async throws {
        try await BorderAccount.with { account in
            let body =
                #"{"new_field":{"deep":[1,2,{"x":null}]},"#
                + #""size":123456789012345678901234567890,"tiny":-1.5E-999,"text":"\u0000\ud800é"}"#
            try account.respond(200, body)
            #expect(try await account.call("files/get_metadata", #"{"path":"/a"}"#) == body)
        }
    }

    @Test(
        "a response that is not JSON is an error of its own kind",
        arguments: [
            "{", #"{"a":1"#, "[1,]", "nul", #"{"a":"b"#, "{} {}", "01", #"{"a":.5}"#, "\u{1}",
            #"{"a":"\q"}"#, String(repeating: "[", count: 100_000),
            String(repeating: #"{"a":"#, count: 513),
        ])
    func notJSON(body: String) async throws {
        try await BorderAccount.with { account in
            try account.respond(200, body)
            let failure = try await account.failure("files/get_metadata", #"{"path":"/a"}"#)
            #expect(failure.kind == DROPBOX_ERROR_SERIALIZATION.rawValue)
            #expect(failure.summary.hasPrefix("files/get_metadata: "))
        }
    }

    @Test("an error of a newer specification has its tags and its whole body")
    func newErrors() async throws {
        try await BorderAccount.with { account in
            let body =
                #"{"error_summary":"path/moved_to_mars/","#
                + #""error":{".tag":"path","path":{".tag":"moved_to_mars","orbit":7}}}"#
            try account.respond(409, body)
            let failure = try await account.failure("files/get_metadata", #"{"path":"/a"}"#)
            #expect(failure.kind == DROPBOX_ERROR_ROUTE.rawValue)
            #expect(failure.tag == "path/moved_to_mars")
            #expect(failure.body == body)
            #expect(failure.status == 409)
        }
    }

    @Test(
        "every status has its kind, with any body",
        arguments: [
            (400, DROPBOX_ERROR_BAD_INPUT), (401, DROPBOX_ERROR_HTTP), (403, DROPBOX_ERROR_HTTP),
            (409, DROPBOX_ERROR_HTTP), (418, DROPBOX_ERROR_HTTP), (422, DROPBOX_ERROR_HTTP),
            (429, DROPBOX_ERROR_RATE_LIMITED), (500, DROPBOX_ERROR_INTERNAL_SERVER),
        ] as [(Int, dropbox_error_kind)])
    func statuses(status: Int, kind: dropbox_error_kind) async throws {
        try await BorderAccount.with { account in
            try account.respond(status, #"{"error":[{".tag":7}],"x":"\u0000"}"#)
            let failure = try await account.failure("files/get_metadata", #"{"path":"/a"}"#)
            #expect(failure.kind == kind.rawValue)
            #expect(failure.status == Int32(status))
        }
    }

    @Test("the pause that a busy server asks for is in the error, as long as it may be believed")
    func pauses() async throws {
        try await BorderAccount.with { account in
            try account.server.addFault(["kind": "rate_limited", "retry_after": 7, "count": 1])
            #expect(try await account.failure("check/user", "{}").retryAfter == 7000)
        }
        try await BorderAccount.with { account in
            try account.server.addFault(
                ["kind": "rate_limited", "retry_after": 7200, "count": 1])
            #expect(try await account.failure("check/user", "{}").retryAfter == 3_600_000)
        }
    }

    @Test("a lost connection is the network's error")
    func lostConnection() async throws {
        try await BorderAccount.with { account in
            try account.server.addFault(["kind": "reset_before", "count": 1])
            let failure = try await account.failure("files/create_folder_v2", #"{"path":"/a"}"#)
            #expect(failure.kind == DROPBOX_ERROR_NETWORK.rawValue)
        }
    }

    @Test("a change in a busy namespace is refused with its tag, and surely nothing was done")
    func busy() async throws {
        try await BorderAccount.with { account in
            try account.server.addFault([
                "kind": "too_many_write_operations", "route": "files/*", "count": 1,
            ])
            let failure = try await account.failure("files/create_folder_v2", #"{"path":"/a"}"#)
            #expect(failure.tag?.hasSuffix("too_many_write_operations") == true)
            #expect(!failure.mayHaveTakenEffect)
            _ = try await account.call("files/create_folder_v2", #"{"path":"/a"}"#)
        }
    }

    @Test("a listing whose pages lead to themselves ends with an error")
    func endlessPages() async throws {
        try await BorderAccount.with { account in
            try account.server.addFault([
                "kind": "respond", "status": 200,
                "body": #"{"entries":[],"cursor":"again","has_more":true}"#,
            ])
            let failure = await account.pages("files/list_folder", #"{"path":""}"#)
            #expect(failure?.kind == DROPBOX_ERROR_RESPONSE.rawValue)
        }
    }

    @Test("pages without a cursor, or with one that is no text, end or fail, and nothing else")
    func strangePages() async throws {
        for (body, kind) in [
            (#"{"entries":[]}"#, nil), (#"{"cursor":null,"has_more":true}"#, nil),
            (#"{"cursor":"","has_more":true}"#, nil), (#"{"cursor":"a","has_more":false}"#, nil),
            (#"{"cursor":7}"#, DROPBOX_ERROR_SERIALIZATION), ("[]", DROPBOX_ERROR_SERIALIZATION),
            ("null", DROPBOX_ERROR_SERIALIZATION),
        ] as [(String, dropbox_error_kind?)] {
            try await BorderAccount.with { account in
                try account.respond(200, body)
                let failure = await account.pages("files/list_folder", #"{"path":""}"#)
                #expect(failure?.kind == kind?.rawValue, "\(body)")
            }
        }
    }
}

extension BorderAccount {
    /// Has the next call answered.
    fileprivate func respond(_ status: Int, _ body: String) throws {
        try server.addFault([
            "kind": "respond", "status": .integer(Int64(status)), "body": .string(body), "count": 1,
            "content_type": "application/json",
        ])
    }

    /// Asks for all pages; the error if there was one.
    fileprivate func pages(_ route: String, _ argument: String) async -> BorderFailure? {
        let account = self
        do {
            _ = try await Self.blocking { error in
                let status = dropbox_pages(
                    account.client, route, argument, { _, _ in 0 }, nil, nil, error)
                return status == 0 ? strdup("") : nil
            }
            return nil
        } catch {
            return error as? BorderFailure
        }
    }
}
