// The form of requests, and the answers to malformed ones.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/dropbox-api.md#errors"

    static let requests: [Statement] = [
        .init(
            "request-unknown-field", "An argument with an unknown field is not understood.",
            .errorGuide, rule: place, expects: "400"
        ) { try await rpc($0, "files/list_folder", #"{"path":"","colour":"red"}"#) },
        .init(
            "request-missing-field", "An argument without a field that it needs is not understood.",
            .errorGuide, rule: place, expects: "400"
        ) { try await rpc($0, "files/list_folder", "{}") },
        .init(
            "request-broken-json", "An argument that is not JSON is not understood.", .errorGuide,
            rule: place, expects: "400"
        ) { try await rpc($0, "files/list_folder", #"{"path":"#) },
        .init(
            "request-short-union", "A union without content may be its tag alone.", .reference,
            rule: place, expects: "200"
        ) { box in
            let reply = try await box.content(
                "files/upload", #"{"path":"\#(box.path("a"))","mode":"overwrite"}"#, text: "text")
            return "\(reply.status)"
        },
        .init(
            "request-token", "A token that is unknown has status 401.",
            .sdkTest("test_bad_auth"), rule: place, expects: "401 invalid_access_token"
        ) { box in
            let reply = try await box.rpc(
                "files/list_folder", #"{"path":""}"#, token: String(repeating: "z", count: 62))
            let isNamed = reply.body.contains("invalid_access_token")
            return "\(reply.status)\(isNamed ? " invalid_access_token" : "")"
        },
        .init(
            "request-scope", "A token without the scope of a route has status 401, and the scope.",
            .sdkTest("test_downscope"), rule: place, expects: "401 account_info.read"
        ) { box in
            try await box.admin(
                "tokens", #"{"token":"narrow","scopes":["files.metadata.read"]}"#,
                reason: "a token with fewer scopes would have to be given")
            let reply = try await box.rpc("users/get_space_usage", "null", token: "narrow")
            let isNamed =
                reply.body.contains(#""required_scope": "account_info.read""#)
                || reply.body.contains(#""required_scope":"account_info.read""#)
            return "\(reply.status)\(isNamed ? " account_info.read" : "")"
        },
        .init(
            "request-expired", "An expired token has status 401.",
            .recording("client/raise_on_401"), rule: place, expects: "401 expired_access_token"
        ) { box in
            try await box.admin(
                "tokens", #"{"token":"old","expires_in":-1}"#,
                reason: "an expired token would have to be given")
            let reply = try await box.rpc("files/list_folder", #"{"path":""}"#, token: "old")
            let isNamed = reply.body.contains("expired_access_token")
            return "\(reply.status)\(isNamed ? " expired_access_token" : "")"
        },
        .init(
            "request-error-summary", "A route's error has status 409 and a summary of its tags.",
            .recording("get_metadata/not_found"), rule: place, expects: "409 path/not_found/"
        ) { box in
            let reply = try await box.rpc("files/get_metadata", #"{"path":"\#(box.path("a"))"}"#)
            let isNamed = reply.body.contains("path/not_found/")
            return "\(reply.status)\(isNamed ? " path/not_found/" : "")"
        },
        .init(
            "request-id", "Each answer has the id of its request.", .errorGuide, rule: place,
            expects: "an id"
        ) { box in
            let reply = try await box.rpc("files/list_folder", #"{"path":""}"#)
            return reply.headers["X-Dropbox-Request-Id"] == nil ? "none" : "an id"
        },
        .init(
            "argument-escaped", "Other characters than those of ASCII are escaped in a header.",
            .page("https://www.dropbox.com/developers/reference/json-encoding"),
            rule: "Sources/DropboxAPI/Client/JSON.swift", expects: "200 \u{E1}"
        ) { try await uploaded($0, #"\u00e1"#) },
        .init(
            "argument-utf8", "An argument in a header may also be in UTF-8.", .rcloneNames,
            rule: "docs/emulator.md#assumptions", expects: "200 \u{E1}"
        ) { box in
            let status = try box.sendUnescaped(
                "files/upload", #"{"path":"\#(box.path("\u{E1}"))"}"#, text: "text")
            let names = try await box.entries().map(box.line)
            return "\(status) \(names.first?.dropFirst("file ".count) ?? "nothing")"
        },
        .init(
            "rate-limit", "A request that is one too many says how long to wait.",
            .performanceGuide, rule: "docs/dropbox-api.md#errors", expects: "Retry-After"
        ) { box in
            if box.emulator != nil {
                try await box.fault(#"{"kind":"rate_limited","retry_after":0,"count":1}"#)
                _ = try await box.rpc("files/list_folder", #"{"path":""}"#)
            }
            let seen = box.transport.throttles.seen
            guard seen.all > 0 else { throw Unaskable(reason: "no limit was met in this run") }
            return seen.withoutRetryAfter == 0
                ? "Retry-After" : "\(seen.withoutRetryAfter) of \(seen.all) without Retry-After"
        },
        .init(
            "rate-limit-of-writers",
            "Too many writers at once are refused with status 429 and a reason.",
            .recording("upload/too_many_write_operations"), rule: "docs/dropbox-api.md#errors",
            expects: "429 too_many_write_operations"
        ) { box in
            guard box.emulator != nil else {
                throw Unaskable(reason: "the account is not to be flooded")
            }
            try await box.fault(
                #"{"kind":"rate_limited","reason":"too_many_write_operations","retry_after":0,"count":1}"#
            )
            let reply = try await box.rpc(
                "files/create_folder_v2", #"{"path":"\#(box.path("d"))"}"#)
            let isNamed = reply.body.contains("too_many_write_operations")
            return "\(reply.status)\(isNamed ? " too_many_write_operations" : "")"
        },
    ]

    private static func rpc(
        _ box: ConformanceAccount, _ route: String, _ argument: String
    ) async throws -> Observation { "\(try await box.rpc(route, argument).status)" }

    /// Stores a file whose name is in the argument as it is; returns the name that it has.
    private static func uploaded(
        _ box: ConformanceAccount, _ name: String
    ) async throws -> Observation {
        let reply = try await box.content(
            "files/upload", #"{"path":"\#(box.path(name))"}"#, text: "text")
        let names = try await box.entries().map(box.line)
        return "\(reply.status) \(names.first?.dropFirst("file ".count) ?? "nothing")"
    }
}

extension ConformanceAccount {
    /// Plans a fault of an emulator.
    func fault(_ fault: String) async throws {
        try await admin("faults", fault, reason: "Dropbox does not fail on demand")
    }
}
