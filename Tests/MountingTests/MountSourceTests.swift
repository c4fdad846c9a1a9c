// `[ACCOUNT][:/REMOTE/PATH]`, and the folders that follow from it.

import DropboxAPI
import Foundation
import TestSupport
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
        #expect(try MountSource(parsing: source.shown) == source)
        #expect(source.shown.contains(":"))
    }

    @Test(
        "what would leave the state folder, or is no path, is refused",
        arguments: [
            "..", ".", "../..", "../work", ".hidden", "a/b", "/", "/etc", "a/../b", "a b", "a\tb",
            "a\nb", "a\u{0}b",
            "a,suid", "a\\,suid", "a@b", "@", "work@Projects", "ä", "a\u{301}", "a%2fb", "~",
            "$HOME", "*", "run", "run:/a",
            "work:Projects", "work:..", "work:../x", ":/..", ":/.", ":/a/..", ":/a/../b", ":/./a",
            ":/a/./b", "a/b:/c", "..:/a",
            " ", " work", String(repeating: "x", count: 65),
        ])
    func refused(text: String) {
        #expect(throws: CommandError.badSource(text)) { try MountSource(parsing: text) }
        #expect(throws: CommandError.badAccount(text)) { try MountSource(accountNamed: text) }
    }

    @Test(
        "state and cache of a folder with any name lie in folders of their own right below dbxfs's",
        arguments: [
            ":/,suid", ":/a,dev", ":/\\,suid", ":/@", ":/a@b", ":/a\nb", ":/a\tb", ":/...", ":/.. ",
            ":/ ..", ":/a:/b",
            ":/\u{202e}", ":/\u{1b}[31m", ":/%2e%2e", ":/~", ":/-o", ":/a b", ":/ä",
            ":/" + String(repeating: "x", count: 300), ":/" + String(repeating: "x/", count: 300),
        ])
    func strangeFolders(text: String) throws {
        let environment = try Environment(["HOME": "/home/u"])
        let folders = AccountFolders(
            source: try MountSource(parsing: text), settings: .init(), environment: environment)
        for (path, parent) in [
            (folders.state, "/home/u/.local/state/dbxfs/"),
            (folders.cache, "/home/u/.cache/dbxfs/"),
        ] {
            #expect(path.hasPrefix(parent))
            let name = path.dropFirst(parent.count)
            #expect(name.hasPrefix("default@") && name.utf8.count <= 255)
            #expect(!name.contains("/") && name.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
        #expect(folders.login.path == "/home/u/.local/state/dbxfs/default/credentials.json")
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

    @Test("a folder of one account has one queue, however its name is spelled")
    func spellings() throws {
        let folder = try TemporaryFolder()
        let environment = try Environment(["HOME": folder.path])
        func state(_ path: String) -> String {
            AccountFolders(
                source: MountSource(account: "default", remotePath: path), settings: .init(),
                environment: environment
            ).state
        }
        let first = state("/Proj\u{e9}cts/A@b")
        try FileManager.default.createDirectory(
            atPath: first, withIntermediateDirectories: true)
        #expect(state("/projE\u{301}cts/a@B") == first)
        #expect(state("/Proj\u{e9}cts/A@b") == first)
        #expect(state("/Projects") != first && state("") != first)
    }

    @Test("so has one with a long or non-Latin path, also one that an earlier version made")
    func longSpellings() throws {
        let folder = try TemporaryFolder()
        let environment = try Environment(["HOME": folder.path])
        func state(_ path: String) -> String {
            AccountFolders(
                source: MountSource(account: "default", remotePath: path), settings: .init(),
                environment: environment
            ).state
        }
        func make(_ path: String) throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        let words = String(repeating: "\u{416}", count: 30)
        #expect(state("/\(words)") == state("/\(words.lowercased())"))
        #expect(state("/\(words)") != state("/\(words)\(words)"))
        // Only one of the two spellings is too long.
        let (short, long) = ("/" + String(repeating: "\u{e9}", count: 18), "e\u{301}")
        let decomposed = "/" + String(repeating: long, count: 18)
        try make(state(decomposed))
        #expect(state(short) == state(decomposed))
        // Earlier versions hashed the path as it was written.
        let name = "/" + String(repeating: "X", count: 200)
        let earlier = "\(environment.stateFolder)/default@\(fingerprint(name))"
        #expect(state(name) != earlier)
        try make(earlier)
        #expect(state(name) == earlier)
    }

    @Test("the mounts of a shared folder and of its parts are found by its path and its ID")
    func statesWithin() throws {
        let folder = try TemporaryFolder()
        let environment = try Environment(["DBXFS_STATE_DIR": folder.path, "HOME": folder.path])
        func state(_ path: String, _ options: [String] = []) throws -> String {
            AccountFolders(
                source: MountSource(account: "work", remotePath: path),
                settings: try MountSettings(parsing: options), environment: environment
            ).state
        }
        let shared = [
            try state("/Team"), try state("/team/In"), try state("", ["root=77"]),
            try state("/in", ["root=77"]),
        ]
        let others = [
            try state(""), try state("/Teams"), try state("", ["root=team"]),
            try state("", ["root=778"]),
        ]
        for path in shared + others { try makePrivateFolder(path) }
        let found = AccountFolders.states(
            of: "work", within: "/TEAM", namespace: "77", environment: environment)
        #expect(found.sorted() == shared.sorted())
    }

    @Test("names by a hash are those of earlier versions, which have made the folders and sockets")
    func hashedNames() throws {
        let environment = try Environment(["HOME": "/home/u"])
        func name(_ path: String, _ settings: MountSettings) -> Substring {
            let folders = AccountFolders(
                source: MountSource(account: "work", remotePath: path), settings: settings,
                environment: environment)
            return folders.state.dropFirst("/home/u/.local/state/dbxfs/".count)
        }
        let long = "/" + String(repeating: "x", count: 200)
        #expect(name(long, MountSettings()) == "work@fa6e14c171f200fe")
        let member = try MountSettings(parsing: ["member=dbmid:a"])
        #expect(name("", member) == "work@@e98b8e5412d24c32")
        #expect(
            ControlFolder(path: "/run/dbxfs").socketName(for: "/mnt/dropbox")
                == "247e652fc531ca3e.sock")
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
    /// The verdict about an address.
    enum Verdict: Sendable {
        /// A server, with this address.
        case server(String)
        /// A server to which a token would travel in the clear.
        case clear
        /// No address of a server.
        case nonsense
    }

    static let forms: [(String, Verdict)] = [
        ("https://example.com", .server("https://example.com")),
        ("https://example.com:8443/", .server("https://example.com:8443")),
        ("https://127.0.0.1.example.com", .server("https://127.0.0.1.example.com")),
        ("http://127.0.0.1:8080", .server("http://127.0.0.1:8080")),
        ("http://127.1.2.3", .server("http://127.1.2.3")),
        ("http://[::1]:80", .server("http://[::1]:80")),
        ("http://localhost:1/", .server("http://localhost:1")),
        // This is this machine, however the zero is read.
        ("http://127.0.0.01", .server("http://127.0.0.01")),
        // Other hosts, or names that a resolver may lead anywhere.
        ("http://example.com", .clear), ("http://192.168.0.1:80", .clear),
        ("http://127.0.0.1.example.com", .clear), ("http://128.0.0.1", .clear),
        ("http://localhost.example.com", .clear), ("http://localhost.", .clear),
        ("http://LOCALHOST", .clear), ("http://127.0.0.1.", .clear), ("http://127.1", .clear),
        ("http://2130706433", .clear), ("http://0x7f000001", .clear), ("http://0x7f.0.0.1", .clear),
        ("http://0177.0.0.1", .clear), ("http://127.0.0.256", .clear), ("http://127.0.0.", .clear),
        ("http://0.0.0.0", .clear), ("http://0", .clear), ("http://[fe80::1]", .clear),
        ("http://[::]", .clear), ("http://[::ffff:7f00:1]", .clear),
        ("http://[0:0:0:0:0:0:0:1]", .clear),
        // More or less than a host and a port.
        ("", .nonsense), ("example.com", .nonsense), ("127.0.0.1", .nonsense),
        ("//example.com", .nonsense), ("https://", .nonsense), ("https://a b", .nonsense),
        ("http://127.0.0.1@evil.com", .nonsense), ("http://127.0.0.1:80@evil.com", .nonsense),
        ("http://evil.com@127.0.0.1", .nonsense), ("https://user:password@example.com", .nonsense),
        ("https://example.com/path", .nonsense), ("http://127.0.0.1/../evil.com", .nonsense),
        ("http://127.0.0.1:80#evil.com", .nonsense), ("http://127.0.0.1?evil.com", .nonsense),
        ("http://127.0.0.1\\@evil.com", .nonsense), ("http://127.0.0.1%2eevil.com", .nonsense),
        ("http://127.0.0.1\r\nHost: evil.com", .nonsense), ("http://127.0.0.1\u{0}", .nonsense),
        ("http://127。0。0。1", .nonsense), ("http://ⓛocalhost", .nonsense),
        ("https://example.com:0", .nonsense), ("https://example.com:99999", .nonsense),
        ("https://example.com:", .nonsense), ("http://127.0.0.1:+80", .nonsense),
        ("http://127.0.0.1:-80", .nonsense), ("http://127.0.0.1:80:80", .nonsense),
        ("https://[::1", .nonsense), ("http://[::1]evil.com", .nonsense),
        ("http://[::1%25lo]", .nonsense), ("http://[::ffff:127.0.0.1]", .nonsense),
        ("http://[]", .nonsense), ("HTTPS:/x", .nonsense), ("HTTP://127.0.0.1", .nonsense),
        ("ftp://example.com", .nonsense), ("ftp://127.0.0.1", .nonsense),
        ("file:///etc/passwd", .nonsense), ("unix:/run/evil", .nonsense),
        ("http+unix://%2frun%2fevil", .nonsense), (" https://example.com", .nonsense),
    ]

    @Test(
        "a token goes by https, or to this machine, and only to a plain address", arguments: forms)
    func addresses(text: String, verdict: Verdict) throws {
        switch verdict {
        case .server(let address):
            #expect(try Endpoint(parsing: text).address == address)
            _ = try DropboxHosts(endpoint: address)
        case .clear:
            #expect(throws: CommandError.insecureEndpoint(text)) { try Endpoint(parsing: text) }
            // The library takes names of hosts in any case.
            guard text != "http://LOCALHOST" else { return }
            #expect(throws: TransportError.self) { try DropboxHosts(endpoint: text) }
        case .nonsense:
            #expect(throws: CommandError.badEndpoint(text)) { try Endpoint(parsing: text) }
        }
    }

    @Test(
        "addresses of one server are one server, and all hosts of Dropbox are one",
        arguments: [
            ("https://example.com", "https://example.com"),
            ("https://EXAMPLE.com:443/", "https://example.com"),
            ("https://example.com:8443", "https://example.com:8443"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("http://127.0.0.1:443", "http://127.0.0.1:443"),
            ("https://api.dropboxapi.com", "Dropbox"), ("https://WWW.Dropbox.com:443", "Dropbox"),
            ("https://dropboxapi.com.example.com", "https://dropboxapi.com.example.com"),
            ("https://notdropboxapi.com", "https://notdropboxapi.com"),
            ("https://api.dropboxapi.com:8443", "https://api.dropboxapi.com:8443"),
        ])
    func servers(text: String, server: String) throws {
        #expect(try Endpoint(parsing: text).server == server)
        #expect(try Environment(["HOME": "/h"]).server == "Dropbox")
        #expect(try Environment(["HOME": "/h", "DBXFS_ENDPOINT": text]).server == server)
    }

    @Test("a configuration file's address is checked like a variable's", arguments: forms)
    func configured(text: String, verdict: Verdict) throws {
        // A text that is not TOML is an error, too.
        func address() throws -> String? {
            try Environment(
                ["HOME": "/h"],
                configuration: Configuration(parsing: "endpoint = '\(text)'", file: "c.toml")
            ).endpoint?.address
        }
        switch verdict {
        case .server(let expected): #expect(try address() == expected)
        case .clear, .nonsense: #expect(throws: CommandError.self) { try address() }
        }
    }
}
