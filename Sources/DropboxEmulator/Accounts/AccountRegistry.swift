// All accounts and tokens, kept in one small file that is replaced atomically.

import Synchronization

import Glibc

/// Manages accounts and tokens, and opens the accounts' spaces.
final class AccountRegistry: Sendable {
    private struct State {
        var accounts: [String: Account] = [:]
        var tokens: [String: Token] = [:]
        var refreshTokens: [String: RefreshToken] = [:]
        var spaces: [UInt32: Space] = [:]
    }

    /// The result of checking a token.
    enum Authentication: Sendable {
        case valid(Account, Token)
        case expired
        case invalid
    }

    private let folder: String
    private let folding: FoldingRule
    private let conduct: Conduct
    private let state = Mutex(State())

    /// Opens the accounts stored in a folder.
    init(folder: String, folding: FoldingRule = .unicode4, conduct: Conduct = .init()) throws {
        self.folder = folder
        self.folding = folding
        self.conduct = conduct
        try ContentStore.makeFolder(folder)
        guard let file = try? BlockingFile(reading: "\(folder)/accounts.json") else { return }
        let json = try JSONParser.parse(try file.contents())
        try state.withLock { state in
            for account in json["accounts"]?.array ?? [] {
                guard let account = Account(record: account) else { continue }
                state.accounts[account.id] = account
                if state.spaces[account.space] == nil {
                    state.spaces[account.space] = try Space(
                        number: account.space, folder: "\(folder)/space-\(account.space)",
                        folding: folding, conduct: conduct)
                }
            }
            for token in json["tokens"]?.array ?? [] {
                guard let (text, token) = Token.read(record: token) else { continue }
                state.tokens[text] = token
            }
            for token in json["refresh_tokens"]?.array ?? [] {
                guard let (text, token) = RefreshToken.read(record: token) else { continue }
                state.refreshTokens[text] = token
            }
        }
    }

    /// Every account, in the order of their spaces.
    var accounts: [Account] {
        state.withLock { $0.accounts.values.sorted { $0.space < $1.space } }
    }

    /// The account with an id.
    func account(_ id: String) -> Account? {
        state.withLock { $0.accounts[id] }
    }

    /// The Dropbox of an account.
    func space(of account: Account) -> Space? {
        state.withLock { $0.spaces[account.space] }
    }

    /// Creates an account with an empty Dropbox; a member of a team gets a home folder in the
    /// team's space.
    func makeAccount(givenName: String, surname: String, email: String, isTeamMember: Bool) throws
        -> Account
    {
        let account = try state.withLock { state in
            let number = (state.spaces.keys.max() ?? 3_235_640) + 1
            let account = Account(
                id: "dbid:AA" + Self.digits(number), givenName: givenName, surname: surname,
                email: email, space: number,
                homePath: isTeamMember ? "/\(givenName) \(surname)" : nil)
            state.spaces[number] = try Space(
                number: number, folder: "\(folder)/space-\(number)", folding: folding,
                conduct: conduct)
            state.accounts[account.id] = account
            try save(state)
            return account
        }
        if let home = account.homePath, let space = space(of: account) {
            try space.apply(.createFolder(path: home, autorename: false, base: .root))
            try space.apply(
                .share(
                    path: home,
                    SharedFolder(namespace: account.homeNamespace, isReadOnly: false)))
        }
        return account
    }

    /// The last part of an account id, padded to the 40 characters that the specification demands.
    private static func digits(_ number: UInt32) -> String {
        let text = String(number)
        return String(repeating: "E", count: 33 - text.count) + text
    }

    // MARK: Tokens

    /// Checks the access of a token at a time.
    func authenticate(_ text: String, at time: APITime) -> Authentication {
        state.withLock { state in
            guard let token = state.tokens[text], let account = state.accounts[token.account] else {
                return .invalid
            }
            if let end = token.expiresAt, end < time { return .expired }
            return .valid(account, token)
        }
    }

    /// Adds a valid token.
    func add(_ token: Token, as text: String) throws {
        try state.withLock { state in
            state.tokens[text] = token
            try save(state)
        }
    }

    /// Adds a valid refresh token.
    func add(_ token: RefreshToken, as text: String) throws {
        try state.withLock { state in
            state.refreshTokens[text] = token
            try save(state)
        }
    }

    /// The access of a refresh token.
    func refreshToken(_ text: String) -> RefreshToken? {
        state.withLock { $0.refreshTokens[text] }
    }

    /// Revokes a token, its refresh token and all tokens made from that.
    func revoke(_ text: String) throws {
        try state.withLock { state in
            guard let token = state.tokens.removeValue(forKey: text) else { return }
            if let refresh = token.refreshToken {
                state.refreshTokens[refresh] = nil
                state.tokens = state.tokens.filter { $0.value.refreshToken != refresh }
            }
            try save(state)
        }
    }

    /// Revokes all refresh tokens of an account, with the tokens made from them, and returns the
    /// number of refresh tokens.
    func revokeLogins(of account: String) throws -> Int {
        try state.withLock { state in
            let before = state.refreshTokens.count
            state.refreshTokens = state.refreshTokens.filter { $0.value.account != account }
            state.tokens = state.tokens.filter { token in
                token.value.refreshToken.map { state.refreshTokens[$0] != nil } ?? true
            }
            try save(state)
            return before - state.refreshTokens.count
        }
    }

    /// A random secret that cannot be guessed.
    static func secret(_ prefix: String) -> String {
        var generator = SystemRandomNumberGenerator()
        return prefix
            + (0..<4).map { _ in String(generator.next(), radix: 36) }.joined()
    }

    private func save(_ state: State) throws {
        let json: JSONValue = [
            "accounts": .array(state.accounts.values.map(\.record)),
            "tokens": .array(state.tokens.map { $0.value.record($0.key) }),
            "refresh_tokens": .array(state.refreshTokens.map { $0.value.record($0.key) }),
        ]
        let path = "\(folder)/accounts.json"
        unlink("\(path).new")
        try BlockingFile(writing: "\(path).new", append: true).append(json.utf8())
        guard rename("\(path).new", path) == 0 else { throw FileError("rename", path) }
    }
}

// MARK: Records

extension Account {
    fileprivate var record: JSONValue {
        [
            "id": .string(id), "given_name": .string(givenName), "surname": .string(surname),
            "email": .string(email), "space": .integer(Int64(space)),
            "home_path": homePath.map { .string($0) } ?? .null,
        ]
    }

    fileprivate init?(record: JSONValue) {
        guard let id = record["id"]?.string, let givenName = record["given_name"]?.string,
            let surname = record["surname"]?.string, let email = record["email"]?.string,
            let space = record["space"]?.integer.flatMap({ UInt32(exactly: $0) })
        else { return nil }
        self.init(
            id: id, givenName: givenName, surname: surname, email: email, space: space,
            homePath: record["home_path"]?.string)
    }
}

extension JSONValue {
    fileprivate static func scopes(_ scopes: [String]?) -> JSONValue {
        scopes.map { .array($0.map { .string($0) }) } ?? .null
    }
}

extension Token {
    fileprivate func record(_ text: String) -> JSONValue {
        [
            "token": .string(text), "account": .string(account),
            "expires_at": expiresAt.map { .integer($0.seconds) } ?? .null,
            "scopes": .scopes(scopes),
            "refresh_token": refreshToken.map { .string($0) } ?? .null,
            "team": .boolean(isTeam),
        ]
    }

    fileprivate static func read(record: JSONValue) -> (String, Token)? {
        guard let text = record["token"]?.string, let account = record["account"]?.string else {
            return nil
        }
        return (
            text,
            Token(
                account: account,
                expiresAt: record["expires_at"]?.integer.map { APITime(seconds: $0) },
                scopes: record["scopes"]?.array?.compactMap(\.string),
                refreshToken: record["refresh_token"]?.string,
                isTeam: record["team"]?.boolean ?? false)
        )
    }
}

extension RefreshToken {
    fileprivate func record(_ text: String) -> JSONValue {
        [
            "token": .string(text), "account": .string(account), "client": .string(client),
            "scopes": .scopes(scopes),
        ]
    }

    fileprivate static func read(record: JSONValue) -> (String, RefreshToken)? {
        guard let text = record["token"]?.string, let account = record["account"]?.string,
            let client = record["client"]?.string
        else { return nil }
        let scopes = record["scopes"]?.array?.compactMap(\.string)
        return (text, RefreshToken(account: account, client: client, scopes: scopes))
    }
}
