// `[ACCOUNT][:/REMOTE/PATH]`, and the folders that follow from it.

import Testing

@testable import Mounting

@Suite struct MountSourceTests {
    @Test(
        "a source is an account, a folder, or both",
        arguments: [
            ("work", "work", ""), ("work:", "work", ""), ("work:/", "work", ""),
            ("work:/Projects", "work", "/Projects"), (":/Projects/", "default", "/Projects"),
            (":/a//b", "default", "/a/b"), ("", "default", ""), (":/a:b", "default", "/a:b"),
            ("me-2_x.y", "me-2_x.y", ""), (":/Ünï ☃", "default", "/Ünï ☃"),
        ])
    func parsing(text: String, account: String, path: String) throws {
        let source = try MountSource(parsing: text)
        #expect(source == MountSource(account: account, remotePath: path))
        #expect(try MountSource(parsing: source.description) == source)
    }

    @Test(
        "what would leave the state folder, or is no path, is refused",
        arguments: [
            "..", ".hidden", "a/b", "work:Projects", ":/a/../b", ":/./a", "a b", "ä", "run",
            "run:/a",
            String(repeating: "x", count: 65),
        ])
    func refused(text: String) {
        #expect(throws: CommandError.badSource(text)) { try MountSource(parsing: text) }
    }

    @Test("roots and members of one account have different queues, and one token")
    func rootsDiffer() throws {
        let environment = try Environment(["HOME": "/home/u"])
        let lists = [
            "root=home", "root=team", "root=123", "member=dbmid:a", "member=dbmid:b",
            "member=dbmid:a,root=team",
        ]
        let folders = try ["", "/team", "/@team"].flatMap { path in
            try lists.map { list in
                AccountFolders(
                    source: MountSource(account: "work", remotePath: path),
                    settings: try MountSettings(parsing: [list]), environment: environment)
            }
        }
        #expect(Set(folders.map(\.state)).count == folders.count)
        #expect(Set(folders.map(\.cache)).count == folders.count)
        #expect(Set(folders.map(\.token)) == ["/home/u/.local/state/dbxfs/work/token"])
        #expect(
            Set(folders.map(\.login.path)) == ["/home/u/.local/state/dbxfs/work/credentials.json"])
    }

    @Test(
        "roots and members that cannot be are refused",
        arguments: [
            "root=", "root=away", "root=-1", "root=1a", "root=\(String(repeating: "1", count: 21))",
            "member=", "member=somebody",
        ])
    func impossibleRoots(option: String) throws {
        #expect(throws: CommandError.self) { try MountSettings(parsing: [option]) }
    }

    @Test("different folders of one account have different queues and caches")
    func foldersDiffer() throws {
        let environment = try Environment(["HOME": "/home/u"])
        let long = String(repeating: "x", count: 200)
        let paths = ["", "/a", "/a/b", "/a@b", "/A", "/a b", "/\(long)1", "/\(long)2"]
        let folders = paths.map { path in
            AccountFolders(
                source: MountSource(account: "default", remotePath: path), settings: .init(),
                environment: environment)
        }
        #expect(Set(folders.map(\.state)).count == paths.count)
        #expect(Set(folders.map(\.cache)).count == paths.count)
        #expect(
            folders.allSatisfy {
                !$0.state.dropFirst("/home/u/.local/state/dbxfs/".count).contains("/")
            })
    }
}

@Suite struct EnvironmentTests {
    @Test("folders are where the XDG specification has them")
    func standardFolders() throws {
        let environment = try Environment(["HOME": "/home/u"])
        #expect(environment.stateFolder == "/home/u/.local/state/dbxfs")
        #expect(environment.cacheFolder == "/home/u/.cache/dbxfs")
        #expect(environment.runtimeFolder == "/home/u/.local/state/dbxfs/run")
        let moved = try Environment([
            "HOME": "/home/u", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "relative",
        ])
        #expect(moved.stateFolder == "/s/dbxfs")
        #expect(moved.cacheFolder == "/home/u/.cache/dbxfs")
    }

    @Test("variables of dbxfs win over XDG's, and empty ones count as unset")
    func ownFolders() throws {
        let environment = try Environment([
            "HOME": "", "XDG_STATE_HOME": "/s", "DBXFS_STATE_DIR": "/state/",
            "DBXFS_CACHE_DIR": "/cache", "DBXFS_ENDPOINT": "", "DBXFS_ACCESS_TOKEN": "",
        ])
        #expect(environment.stateFolder == "/state")
        #expect(environment.cacheFolder == "/cache")
        #expect(environment.endpoint == nil)
        #expect(environment.accessToken == nil)
    }

    @Test("without a home, the folders must be named")
    func homeless() throws {
        #expect(throws: CommandError.self) { try Environment([:]) }
        #expect(
            try Environment(["DBXFS_STATE_DIR": "/s", "DBXFS_CACHE_DIR": "/c"]).stateFolder == "/s")
    }

    @Test("an unknown log level is refused with the known ones")
    func logLevel() throws {
        #expect(try Environment(["HOME": "/h", "DBXFS_LOG_LEVEL": "Debug"]).logLevel == .debug)
        let error = try #require(throws: CommandError.self) {
            try Environment(["HOME": "/h", "DBXFS_LOG_LEVEL": "chatty"])
        }
        #expect(error.message.contains("chatty"))
        #expect(error.message.contains("trace, debug, info"))
    }
}

@Suite struct EndpointTests {
    @Test(
        "https to anybody and http to this machine are allowed",
        arguments: [
            ("https://example.com", "https://example.com"),
            ("https://example.com:8443/", "https://example.com:8443"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://127.1.2.3", "http://127.1.2.3"), ("http://[::1]:80", "http://[::1]:80"),
            ("http://localhost:1/", "http://localhost:1"),
        ])
    func allowed(text: String, address: String) throws {
        #expect(try Endpoint(parsing: text).address == address)
    }

    @Test(
        "a token never travels in the clear",
        arguments: [
            "http://example.com", "http://192.168.0.1:80", "http://127.0.0.1.example.com",
            "http://128.0.0.1", "http://localhost.example.com", "http://[fe80::1]",
        ])
    func insecure(text: String) {
        #expect(throws: CommandError.insecureEndpoint(text)) { try Endpoint(parsing: text) }
    }

    @Test(
        "what is not a server's address is refused",
        arguments: [
            "example.com", "ftp://example.com", "https://", "https://a b",
            "http://127.0.0.1@evil.com",
            "https://example.com/path", "https://example.com:0", "https://example.com:99999",
            "https://[::1", "http://127.0.0.1:80#evil.com", "HTTPS:/x",
        ])
    func malformed(text: String) {
        #expect(throws: CommandError.badEndpoint(text)) { try Endpoint(parsing: text) }
    }
}
