// Admin requests of tests: faults, settings, counters, accounts, and a dump of the tree. Documented
// in docs/emulator.md.

import HTTPTypes
import Hummingbird
import NIOCore

/// All routes under `/admin`. Their requests are neither counted nor delayed, and faults do not
/// apply.
struct AdminRoutes {
    let emulator: Emulator

    /// Responds to an admin request.
    func respond(to request: Request) async throws -> Response {
        let response: RouteResponse
        do {
            let bytes = try await request.body.collect(upTo: 1 << 20)
            let argument =
                bytes.readableBytes == 0
                ? JSONValue.object([]) : try JSONParser.parse(bytes.readableBytesView)
            response = try answer(request, argument)
        } catch let error as ArgumentError {
            response = RouteFailure.plain(400, error.message).response
        } catch is JSONSyntaxError {
            response = RouteFailure.plain(400, "The body is not JSON.").response
        } catch let error as any APIUnion {
            response = RouteFailure.route(error.json).response
        } catch let failure as RouteFailure {
            response = failure.response
        } catch let error as FileError {
            response = RouteFailure.plain(500, error.description).response
        }
        return response.plainResponse
    }

    private func answer(_ request: Request, _ argument: JSONValue) throws -> RouteResponse {
        let path = request.uri.path
        switch (request.method, path) {
        case (.get, "/admin/stats"): return .json(emulator.statistics.json)
        case (.post, "/admin/stats/reset"):
            emulator.statistics.reset()
            return .json([:])
        case (.get, "/admin/settings"): return .json(emulator.settings.json)
        case (.post, "/admin/settings"):
            try emulator.updateSettings(argument)
            return .json(emulator.settings.json)
        case (.get, "/admin/faults"): return .json(["faults": emulator.faults.json])
        case (.post, "/admin/faults"):
            return .json(["id": .integer(try emulator.faults.add(argument))])
        case (.delete, "/admin/faults"):
            let id = request.uri.queryParameters["id"].flatMap { Int64($0) }
            emulator.faults.remove(id)
            return .json([:])
        case (.get, "/admin/tree"): return try tree(request)
        case (.get, "/admin/accounts"): return .json(accounts)
        case (.post, "/admin/accounts"): return .json(try makeAccount(argument))
        case (.post, "/admin/tokens"): return .json(try makeToken(argument))
        case (.post, "/admin/logins/revoke"): return .json(try revokeLogins(argument))
        case (.post, _): return .json(try changeSpace(path, argument))
        default: throw RouteFailure.plain(404, "No such admin route")
        }
    }

    // MARK: Accounts

    private var accounts: JSONValue {
        [
            "accounts": .array(
                emulator.accounts.accounts.map {
                    [
                        "account_id": .string($0.id), "name": .string($0.displayName),
                        "email": .string($0.email), "root_info": $0.rootInfo,
                    ]
                })
        ]
    }

    private func makeAccount(_ argument: JSONValue) throws -> JSONValue {
        var reader = try ArgumentReader(argument)
        let givenName = try reader.optionalString("given_name") ?? "Sample"
        let surname = try reader.optionalString("surname") ?? "User"
        let email = try reader.optionalString("email") ?? "sample@example.com"
        let isTeamMember = try reader.boolean("team", default: false)
        let token = try reader.optionalString("token") ?? AccountRegistry.secret("sl.u.")
        try reader.finish()
        let account = try emulator.accounts.makeAccount(
            givenName: givenName, surname: surname, email: email, isTeamMember: isTeamMember)
        try emulator.accounts.add(
            Token(account: account.id, expiresAt: nil, scopes: nil, refreshToken: nil), as: token)
        return [
            "account_id": .string(account.id), "token": .string(token),
            "root_info": account.rootInfo,
        ]
    }

    private func makeToken(_ argument: JSONValue) throws -> JSONValue {
        var reader = try ArgumentReader(argument)
        let account =
            try reader.optionalString("account_id") ?? emulator.accounts.accounts.first?.id
        let token = try reader.optionalString("token") ?? AccountRegistry.secret("sl.u.")
        let seconds = try reader.nullable("expires_in")?.integer
        let scopes = try reader.nullable("scopes")?.array?.compactMap(\.string)
        let isTeam = try reader.boolean("team", default: false)
        try reader.finish()
        guard let account, emulator.accounts.account(account) != nil else {
            throw RouteFailure.plain(404, "No such account")
        }
        let end = seconds.map { APITime(seconds: APITime.now().seconds + $0) }
        try emulator.accounts.add(
            Token(
                account: account, expiresAt: end, scopes: scopes, refreshToken: nil, isTeam: isTeam),
            as: token)
        return ["account_id": .string(account), "token": .string(token)]
    }

    /// Simulates a user's revocation of an app's access on Dropbox's pages.
    private func revokeLogins(_ argument: JSONValue) throws -> JSONValue {
        var reader = try ArgumentReader(argument)
        let account =
            try reader.optionalString("account_id") ?? emulator.accounts.accounts.first?.id
        try reader.finish()
        guard let account, emulator.accounts.account(account) != nil else {
            throw RouteFailure.plain(404, "No such account")
        }
        return ["revoked": .integer(Int64(try emulator.accounts.revokeLogins(of: account)))]
    }

    // MARK: Spaces

    /// Changes the Dropbox of one account, selected by the field `token`.
    private func changeSpace(_ path: String, _ argument: JSONValue) throws -> JSONValue {
        var reader = try ArgumentReader(argument)
        let operation: Operation
        let token = try reader.optionalString("token")
        var next: Operation?
        switch path {
        case "/admin/quota": operation = .setQuota(try reader.integer("bytes"))
        case "/admin/relocation_limit":
            operation = .setRelocationLimit(Int(try reader.integer("entries", in: 1...1_000_000)))
        case "/admin/cursors/reset": operation = .resetCursors
        case "/admin/seed":
            operation = .seed(
                files: Int(try reader.integer("files", in: 0...10_000_000)),
                folders: Int(try reader.integer("folders", in: 0...1_000_000)),
                bytes: Int(try reader.integer("bytes", in: 0...1 << 30)))
        case "/admin/share":
            let shared = SharedFolder(
                namespace: try reader.string("namespace_id"),
                isReadOnly: try reader.boolean("read_only", default: false),
                owner: try reader.optionalString("owner"))
            operation = .share(path: try reader.string("path"), shared)
            if try !reader.boolean("mounted", default: true) {
                next = .unmountFolder(namespace: shared.namespace)
            }
        case "/admin/mark":
            operation = .mark(
                path: try reader.string("path"),
                FileMarks(
                    symlinkTarget: try reader.optionalString("symlink_target"),
                    exportAs: try reader.optionalString("export_as"),
                    exportOptions: try reader.optionalStrings("export_options")))
        default: throw RouteFailure.plain(404, "No such admin route")
        }
        try reader.finish()
        let space = try space(token)
        try space.apply(operation)
        if let next { try space.apply(next) }
        return [:]
    }

    /// The Dropbox of a token; without one, that of the first account.
    private func space(_ token: String?) throws -> Space {
        var account = emulator.accounts.accounts.first
        if let token {
            guard case .valid(let owner, _) = emulator.accounts.authenticate(token, at: .now())
            else { throw RouteFailure.plain(404, "No such token") }
            account = owner
        }
        guard let account, let space = emulator.accounts.space(of: account) else {
            throw RouteFailure.plain(404, "No such account")
        }
        return space
    }

    /// Every living entry of a Dropbox, in the order of their paths.
    private func tree(_ request: Request) throws -> RouteResponse {
        let space = try space(request.uri.queryParameters["token"].map { String($0) })
        return RouteResponse(
            headers: [.init("Content-Type", "application/json")],
            body: .stream(length: nil, TreeDump(space: space)))
    }
}

extension RouteResponse {
    /// This response without counting and throttling.
    fileprivate var plainResponse: Response {
        var fields = HTTPFields()
        for header in headers {
            if let name = HTTPField.Name(header.name) { fields[name] = header.value }
        }
        let body: ResponseBody =
            switch self.body {
            case .json(let value): .init(byteBuffer: ByteBuffer(bytes: value.utf8()))
            case .text(let text): .init(byteBuffer: ByteBuffer(string: text))
            case .stream(_, let pieces):
                .init { writer in
                    for try await piece in pieces { try await writer.write(piece) }
                    try await writer.finish(nil)
                }
            }
        return Response(status: .init(code: status), headers: fields, body: body)
    }
}
