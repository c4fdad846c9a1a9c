// Which error each fault of the server or the network becomes: the table of
// docs/from-swiftydropbox.md.

import DropboxEmulator
import Foundation
import SwiftyDropbox
import Testing

struct RequestFaultTests {
    private typealias Failure = CallError<Files.GetMetadataError>

    private func failure(_ fault: JSONValue) async throws -> Failure? {
        var failure: Failure?
        try await withService { service in
            _ = try await service.client.files.upload(path: "/a", input: Data("a".utf8)).response()
            try service.emulator.addFault(fault)
            failure = await service.client.files.getMetadata(path: "/a").responseResult().failure
        }
        return failure
    }

    @Test("a failing server is internalServerError, with its status and what it said")
    func server() async throws {
        let failure = try await failure([
            "route": "files/get_metadata", "kind": "server_error", "status": 503, "body": "down",
        ])
        guard case .internalServerError(503, "down", let id) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(id?.isEmpty == false)
    }

    @Test("a request that the server does not understand is badInputError")
    func badInput() async throws {
        try await withService { service in
            let result = await service.client.files.getMetadata(path: "no slash").responseResult()
            guard case .failure(.badInputError(let message, _)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(message?.isEmpty == false)
        }
    }

    @Test("a limit is rateLimitError with the seconds to wait, also where it is said in text alone")
    func rateLimit() async throws {
        let faults: [JSONValue] = [
            [
                "route": "files/get_metadata", "kind": "rate_limited", "retry_after": 7,
                "reason": "too_many_requests",
            ],
            ["route": "files/get_metadata", "kind": "rate_limited_text", "retry_after": 7],
        ]
        for fault in faults {
            let failure = try await failure(fault)
            guard case .rateLimitError(let error, _, _, _) = failure else {
                Issue.record("\(fault): \(String(describing: failure))")
                continue
            }
            #expect(error.retryAfter == 7)
            #expect(error.reason == .tooManyRequests)
        }
    }

    @Test("a token that is refused is authError, and a missing scope names itself")
    func auth() async throws {
        let invalid = try await failure(["route": "files/get_metadata", "kind": "invalid_token"])
        guard case .authError(.invalidAccessToken, _, _, _) = invalid else {
            Issue.record("\(String(describing: invalid))")
            return
        }
        let scope = try await failure([
            "route": "files/get_metadata", "kind": "missing_scope", "scope": "files.metadata.read",
        ])
        guard case .authError(.missingScope(let missing), _, _, _) = scope else {
            Issue.record("\(String(describing: scope))")
            return
        }
        #expect(missing.requiredScope == "files.metadata.read")
    }

    @Test("403 is accessError, and another status is httpError")
    func statuses() async throws {
        let body =
            #"{"error_summary": "x/", "error": {".tag": "paper_access_denied", "paper_access_denied": {".tag": "paper_disabled"}}}"#
        let denied = try await failure([
            "route": "files/get_metadata", "kind": "respond", "status": 403, "body": .string(body),
            "content_type": "application/json",
        ])
        guard case .accessError(.paperAccessDenied(.paperDisabled), _, "x/", _) = denied else {
            Issue.record("\(String(describing: denied))")
            return
        }
        let other = try await failure([
            "route": "files/get_metadata", "kind": "respond", "status": 418, "body": "teapot",
        ])
        guard case .httpError(418, _, _) = other else {
            Issue.record("\(String(describing: other))")
            return
        }
    }

    @Test(
        "an unknown tag of an error is other, and a tag that a closed union does not have is serializationError"
    )
    func unknownTags() async throws {
        let unknown = try await failure([
            "route": "files/get_metadata", "kind": "route_error",
            "error": [".tag": "path", "path": [".tag": "of_tomorrow", "extra": 1]],
        ])
        guard case .routeError(let box, _, _, _) = unknown, case .path(.other) = box.unboxed else {
            Issue.record("\(String(describing: unknown))")
            return
        }
        let closed = try await failure([
            "route": "files/get_metadata", "kind": "route_error", "error": [".tag": "of_tomorrow"],
        ])
        guard case .serializationError = closed else {
            Issue.record("\(String(describing: closed))")
            return
        }
    }

    @Test("answers that are not JSON, or half of it, are serializationError")
    func broken() async throws {
        for kind in ["non_json", "broken_json"] {
            let failure = try await failure(["route": "files/get_metadata", "kind": .string(kind)])
            guard case .serializationError = failure else {
                Issue.record("\(kind): \(String(describing: failure))")
                continue
            }
        }
        let field = try await failure([
            "route": "files/get_metadata", "kind": "replace_field", "field": "size",
            "value": "many",
        ])
        guard case .serializationError(let error) = field else {
            Issue.record("\(String(describing: field))")
            return
        }
        #expect("\(error)".contains("size"))
    }

    @Test(
        "a connection that ends is URLError.networkConnectionLost, and no server is cannotConnectToHost"
    )
    func network() async throws {
        let lost = try await failure(["route": "files/get_metadata", "kind": "reset_before"])
        #expect(code(of: lost) == .networkConnectionLost)
        var hosts: BaseHosts?
        try await withService { hosts = $0.hosts }
        let client = DropboxClient(
            transportClient: DropboxTransportClientImpl(accessToken: "token", baseHosts: hosts))
        let refused = await client.files.getMetadata(path: "/a").responseResult().failure
        #expect(code(of: refused) == .cannotConnectToHost)
    }

    @Test("plain http to another machine is refused before anything is sent")
    func plainHTTP() async throws {
        let hosts = BaseHosts(
            apiHost: "http://example.com", contentHost: "http://example.com",
            notifyHost: "http://example.com")
        let client = DropboxClient(
            transportClient: DropboxTransportClientImpl(accessToken: "token", baseHosts: hosts))
        #expect(
            code(of: await client.files.getMetadata(path: "/a").responseResult().failure) == .badURL
        )
    }

    private func code<Route>(of error: CallError<Route>?) -> URLError.Code? {
        guard case .clientError(.urlSessionError(let error as URLError)) = error else { return nil }
        return error.code
    }

    @Test("content that is cut, or is not what its metadata says, is an error, and leaves no file")
    func downloads() async throws {
        try await withService { service in
            let files: FilesRoutes = service.client.files
            _ = try await files.upload(path: "/a", input: content(1 << 20)).response()
            let place = service.folder.appendingPathComponent("place")
            for (kind, at) in [("cut_body", 1_000), ("corrupt_body", 1_000)] {
                try service.emulator.addFault([
                    "route": "files/download", "kind": .string(kind), "at": .integer(Int64(at)),
                    "count": 1,
                ])
                let result = await files.download(path: "/a", destination: place).responseResult()
                guard case .failure(.clientError) = result else {
                    Issue.record("\(kind): \(result)")
                    continue
                }
                #expect(!FileManager.default.fileExists(atPath: place.path))
            }
            _ = try await files.download(path: "/a", destination: place).response()
        }
    }

    @Test("a file that cannot be read is fileAccessError")
    func missingFile() async throws {
        try await withService { service in
            let result = await service.client.files
                .upload(path: "/a", input: service.folder.appendingPathComponent("none"))
                .responseResult()
            guard case .failure(.clientError(.fileAccessError)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(service.requests("files/upload") == 0)
        }
    }
}
