// The contents of a configuration file, their precedence, and refusals, by file and key.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mounting

@Suite struct ConfigurationTests {
    private func settings(
        _ text: String, of account: String = "default", lists: [String] = [],
        variables: [String: String] = [:]
    ) throws -> MountSettings {
        let environment = try Environment(
            ["HOME": "/home/u"].merging(variables) { $1 },
            configuration: try Configuration(parsing: text, file: "c.toml"))
        return try MountSettings(parsing: lists, over: environment.options(of: account))
    }

    @Test("options are named as after -o, for all accounts and for one")
    func options() throws {
        let text = """
            cache_size = "20G"
            bwlimit_up = 500_000
            write_delay = 2.5
            allow_other = true

            [account.work]
            bwlimit_up = "2M"
            allow_other = false
            uid = 1000
            """
        let general = try settings(text)
        #expect(general.cacheSize == 20 << 30)
        #expect(general.uploadRate == 500_000)
        #expect(general.writeDelay == 2.5)
        #expect(general.allowsOthers)
        #expect(general.user == nil)
        let work = try settings(text, of: "work")
        #expect(work.cacheSize == 20 << 30)
        #expect(work.uploadRate == 2 << 20)
        #expect(!work.allowsOthers)
        #expect(work.user == 1000)
    }

    @Test("patterns for all accounts come before those of one, and errors in them name their place")
    func ignored() throws {
        let text = """
            ignore = "*.o"
            [account.work]
            ignore = \"""
            a
            b
            \"""
            """
        let environment = try Environment(
            ["HOME": "/home/u"],
            configuration: try Configuration(parsing: text, file: "c.toml"))
        #expect(environment.ignored(of: "default").map(\.text) == ["*.o"])
        let work = environment.ignored(of: "work")
        #expect(work.map(\.text) == ["*.o", "a\nb\n"])
        #expect(
            work.last?.malformed(line: 2, reason: "why")
                == .badConfiguration(
                    file: "c.toml", place: "account.work.ignore, line 2", detail: "why"))
        #expect(throws: CommandError.self) {
            try Configuration(parsing: "ignore = 1", file: "c.toml")
        }
    }

    @Test("patterns can be a list, of texts only")
    func listOfPatterns() throws {
        let environment = try Environment(
            ["HOME": "/home/u"],
            configuration: try Configuration(
                parsing: "ignore = [\"node_modules/\", \"*.o\"]", file: "c.toml"))
        #expect(environment.ignored(of: "default").map(\.text) == ["node_modules/\n*.o"])
        #expect(
            throws: CommandError.badConfiguration(
                file: "c.toml", place: "ignore", detail: "must be text in quotes")
        ) { try Configuration(parsing: "ignore = [\"a\", 1]", file: "c.toml") }
    }

    @Test("the command line wins over the file")
    func commandLine() throws {
        let text = "cache_size = \"20G\"\nro = true"
        let settings = try settings(text, lists: ["rw,cache_size=1G"])
        #expect(settings.cacheSize == 1 << 30)
        #expect(!settings.isReadOnly)
    }

    @Test("each account's cache lies where the file says, and all lie where a variable says")
    func cacheFolders() throws {
        let text = """
            cache_dir = "/all"

            [account.work]
            cache_dir = "/work"
            """
        func folders(_ variables: [String: String], _ text: String) throws -> [String] {
            let environment = try Environment(
                ["HOME": "/home/u"].merging(variables) { $1 },
                configuration: try Configuration(parsing: text, file: "c.toml"))
            return try environment.cacheFolders(of: ["default", "other", "work"])
        }
        #expect(try folders([:], text) == ["/all", "/work"])
        #expect(try folders(["DBXFS_CACHE_DIR": "/v"], text) == ["/v"])
        #expect(try folders([:], "") == ["/home/u/.cache/dbxfs"])
    }

    @Test("variables win over the file")
    func variables() throws {
        let text = """
            cache_dir = "/file"
            app_key = "file"
            log_level = "error"
            endpoint = "https://file.example"
            """
        #expect(try settings(text).cacheFolder == "/file")
        #expect(try settings(text, variables: ["DBXFS_CACHE_DIR": "/v"]).cacheFolder == nil)
        let configuration = try Configuration(parsing: text, file: "c.toml")
        let plain = try Environment(["HOME": "/h"], configuration: configuration)
        #expect(plain.appKey(of: "default") == "file")
        #expect(plain.logLevel == .error)
        #expect(plain.endpoint?.address == "https://file.example")
        let named = try Environment(
            [
                "HOME": "/h", "DBXFS_APP_KEY": "variable", "DBXFS_LOG_LEVEL": "debug",
                "DBXFS_ENDPOINT": "https://variable.example",
            ], configuration: configuration)
        #expect(named.appKey(of: "default") == "variable")
        #expect(named.logLevel == .debug)
        #expect(named.endpoint?.address == "https://variable.example")
    }

    @Test("a setting for a part wins over one for everything, in any order")
    func masks() throws {
        let settings = try settings("fmask = \"133\"\numask = \"077\"\n")
        #expect(settings.fileMask == 0o133)
        #expect(settings.folderMask == 0o077)
        let other = try self.settings(
            "fmask = \"133\"\n[account.a]\numask = \"027\"", of: "a")
        #expect(other.fileMask == 0o027)
    }

    @Test("an account has a place, of its own or by default")
    func places() throws {
        let text = """
            [account.work]
            mountpoint = "~/Work"
            folder = "/Projects"
            [account.abs]
            mountpoint = "/srv/dropbox/"
            """
        let environment = try Environment(
            ["HOME": "/home/u"], configuration: try Configuration(parsing: text, file: "c.toml"))
        func place(_ account: String) throws -> String {
            let place = try environment.standardPlace(of: account)
            return "\(place.source) \(place.mountpoint)"
        }
        #expect(try place("work") == "work:/Projects /home/u/Work")
        #expect(try place("abs") == "abs /srv/dropbox")
        #expect(try place("default") == "default /home/u/Dropbox")
        #expect(try place("other") == "other /home/u/Dropbox-other")
        #expect(throws: CommandError.badSource("a:/b")) {
            _ = try environment.standardPlace(of: "a:/b")
        }
        let system = try Environment(["HOME": "/root"], scope: .system)
        #expect(throws: CommandError.noMountpoint(account: "default")) {
            _ = try system.standardPlace(of: "default")
        }
    }

    @Test(
        "an unknown key or value is refused, with the file and the place",
        arguments: [
            ("speed = 1", "c.toml: speed: unknown key"),
            ("cache-size = \"20G\"", "cache-size: unknown key; is cache_size meant?"),
            ("bwlimit_ip = \"2M\"", "bwlimit_ip: unknown key; is bwlimit_up meant?"),
            ("folder = \"/a\"", "folder: unknown key here: it belongs into a table"),
            ("[account.a]\nlog_level = \"info\"", "unknown key here: it belongs above all tables"),
            ("cache_size = 20", "cache_size: cannot be 20: it takes a size"),
            ("[account.work]\nspeed = 1", "c.toml: account.work.speed: unknown key"),
            ("a = 1\nb = = 2", "c.toml: line 2"),
            ("account = 1", "c.toml: account: must be a table"),
            ("[account.\"a/b\"]", "c.toml: account.a/b"),
            ("[account.a]\nendpoint = \"https://x\"", "account.a.endpoint: unknown key"),
            ("mountpoint = \"/m\"", "c.toml: mountpoint: unknown key"),
            ("[account.a]\nmountpoint = \"m\"", "account.a.mountpoint: must begin with"),
            ("[account.a]\nfolder = \"x\"", "account.a.folder: must be a path"),
            ("ro = \"yes\"", "c.toml: ro: must be true or false"),
            ("umask = 022", "put such a value in quotes, as umask = \"022\""),
            ("umask = 18", "c.toml: umask: must be text"), ("app_key = 1", "app_key: must be text"),
            ("uid = \"joe\"", "c.toml: uid: cannot be joe"),
            ("[account.a]\ncache_size = \"much\"", "account.a.cache_size: cannot be much"),
            ("cache_size = [1]", "cache_size: must be text"), ("nofail = true", "unknown key"),
            ("rw = true", "unknown key"),
            ("endpoint = \"http://example.com\"", "endpoint: must be"),
            ("log_level = \"loud\"", "log_level: must be one of trace, debug"),
        ])
    func refused(text: String, message: String) throws {
        let error = try #require(throws: CommandError.self) {
            try Configuration(parsing: text, file: "c.toml")
        }
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.exitStatus == .usage)
        #expect(!error.message.contains("\n"))
    }

    @Test("every option can be configured, under its name")
    func everyOption() throws {
        let values = [
            "uid": "1", "gid": "1", "umask": "022", "fmask": "022", "dmask": "022",
            "fsync": "remote", "cache_dir": "/c", "cache_size": "1G", "write_delay": "1s",
            "case": "fold", "names": "strict", "root": "team", "member": "dbmid:x",
            "bwlimit_up": "1M",
            "bwlimit_down": "1M", "cached_only": "none", "trash": "allow", "thumbnails": "yes",
            "inotify": "all",
            "cloud_documents": "export",
            "on_event": "notify", "metrics": "9417",
            "posix": "local", "context": "system_u:object_r:fusefs_t:s0",
        ]
        for option in MountOption.all {
            let value = option.value == nil ? "true" : "\"\(try #require(values[option.name]))\""
            let text = "\(option.name) = \(value)"
            #expect(try settings(text) != MountSettings(), "\(text)")
            guard let opposite = option.opposite else { continue }
            #expect(try settings(text, lists: [opposite]) == MountSettings(), "\(opposite)")
        }
    }
}

@Suite struct ScopeTests {
    @Test("mounts of the system have the system's folders with any home")
    func system() throws {
        for variables in [[:], ["HOME": "/root", "XDG_STATE_HOME": "/x"]] {
            let environment = try Environment(variables, scope: .system, isRoot: true)
            #expect(environment.stateFolder == "/var/lib/dbxfs")
            #expect(environment.cacheFolder == "/var/cache/dbxfs")
            #expect(environment.controlFolders.map(\.path) == ["/run/dbxfs"])
        }
        let moved = try Environment(
            ["DBXFS_STATE_DIR": "/s", "DBXFS_CACHE_DIR": "/c"], scope: .system, isRoot: true)
        #expect(moved.stateFolder == "/s")
        #expect(moved.controlFolders.map(\.path) == ["/s/run"])
    }

    @Test("root's commands find mounts of the system, other users' do not look for them")
    func controlFolders() throws {
        let own = "/home/u/.local/state/dbxfs/run"
        let user = try Environment(["HOME": "/home/u"])
        #expect(user.controlFolders.map(\.path) == [own])
        let root = try Environment(["HOME": "/home/u"], isRoot: true)
        #expect(root.controlFolders.map(\.path) == [own, "/run/dbxfs"])
        let moved = try Environment(
            ["HOME": "/home/u", "DBXFS_RUNTIME_DIR": "/r"], isRoot: true)
        #expect(moved.controlFolders.map(\.path) == ["/r"])
    }

    @Test("a group may write to a configuration file if it has no other members")
    func privateGroup() {
        func isPrivate(_ name: String, _ members: [String], primary: UInt32 = 1000) -> Bool {
            UserGroup(number: 1000, name: name, members: members)
                .isPrivate(to: "anna", withPrimaryGroup: primary)
        }
        #expect(isPrivate("anna", []))
        #expect(isPrivate("anna", ["anna"]))
        #expect(!isPrivate("anna", ["bob"]))
        #expect(!isPrivate("anna", ["anna", "bob"]))
        #expect(!isPrivate("anna", [], primary: 100))
        #expect(!isPrivate("users", []))
    }

    @Test("keys so deep that the parser would end the process are refused")
    func deepKeys() throws {
        let dots = String(repeating: ".", count: 200_000)
        let error = try #require(throws: CommandError.self) {
            try Configuration(
                parsing: "a\(dots.replacing(".", with: ".a")) = 1", file: "/f")
        }
        #expect(error.message.contains("line 1: has more than 100 dots"))
        _ = try Configuration(parsing: "# \(dots)\ncache_size = \"1G\" # ...\n", file: "/f")
    }

    @Test(
        "what nests over many lines is refused before the parser's stack ends",
        arguments: [
            ("a = ", "[\n", 50_000, "line 101: has more than 100 open brackets"),
            ("a = ", "{b = [\n", 50_000, "line 51: has more than 100 open brackets"),
            ("a = ", "[\"]\", \n", 50_000, "line 101: has more than 100 open brackets"),
            ("a = ", "[''']''',[\n", 50_000, "line 51: has more than 100 open brackets"),
            ("a = [\"\"\"x\"\"\"\"", ",[", 50_000, "line 1: has more than 100 open brackets"),
            ("a = [\"\\\"\"", ",[\"#\"", 50_000, "line 1: has more than 100 open brackets"),
            ("", "[b.c.d]\n", 5_000, "there are more than 2000 dots"),
        ])
    func deepDocuments(start: String, piece: String, count: Int, message: String) throws {
        let text = start + String(repeating: piece, count: count)
        let error = try #require(throws: CommandError.self) {
            try Configuration(parsing: text, file: "/f")
        }
        #expect(error.message.contains(message))
    }

    @Test(
        "brackets in texts and comments do not count as nesting",
        arguments: [
            "'MARKS'", "\"MARKS\\\"MARKS\"", "\"\"\"\nMARKS\n\"MARKS\"\"\"\"\"", "'''\nMARKS'''",
        ])
    func flatDocuments(text: String) throws {
        let marks = String(repeating: "[{.", count: 500)
        let value = text.replacing("MARKS", with: marks)
        _ = try Configuration(
            parsing: "# \(marks)\napp_key = \(value) # \(marks)\n", file: "/f")
    }

    private func refusal(_ path: String) -> String? {
        do throws(CommandError) {
            _ = try ConfigurationFile.read(path)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "a configuration of another user, or of a group with other members, is refused",
        .enabled(if: geteuid() == 0, "needs root"))
    func ofOthers() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("cache_size = \"1G\"\n", to: "config.toml", mode: 0o644)
        #expect(chown(path, 0, 65533) == 0 && chmod(path, 0o664) == 0)
        #expect(refusal(path)?.contains("others can write to it") == true)
        #expect(chown(path, 65534, 0) == 0 && chmod(path, 0o600) == 0)
        #expect(refusal(path)?.contains("belongs to another user") == true)
    }

    @Test("a configuration that others can write to, or that is no file, is refused at once")
    func strangers() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("cache_size = \"1G\"\n", to: "config.toml", mode: 0o644)
        #expect(try ConfigurationFile.read(path) == "cache_size = \"1G\"\n")
        #expect(try ConfigurationFile.read(folder.path + "/none") == nil)
        // Links lead to people's collections of settings.
        let link = folder.path + "/link.toml"
        #expect(symlink(path, link) == 0)
        #expect(try ConfigurationFile.read(link) != nil)
        #expect(chmod(path, 0o646) == 0)
        #expect(refusal(path)?.contains("others can write to it") == true)
        #expect(refusal(link)?.contains("others can write to it") == true)
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(refusal(pipe)?.contains("is not a file") == true)
        #expect(refusal(folder.path)?.contains("is not a file") == true)
        let large = try folder.write(
            String(repeating: "# x\n", count: 300_000), to: "large", mode: 0o600)
        #expect(refusal(large)?.contains("larger than 1 MiB") == true)
    }

    @Test("a link in the place of a folder is refused, and what it leads to is left alone")
    func linkedFolder() throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/target"
        #expect(mkdir(target, 0o755) == 0 && chmod(target, 0o755) == 0)
        #expect(symlink(target, folder.path + "/default") == 0)
        #expect(throws: CommandError.self) { try makePrivateFolder(folder.path + "/default") }
        var status = stat()
        #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o755)
        // Above it, links are the user's own affair.
        try makePrivateFolder(folder.path + "/default/inner")
    }
}
