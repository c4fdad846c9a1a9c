// The findings of `dbxfs doctor` from facts: how bad each is, and that it says what to do.

import Foundation
import Testing

@testable import Mounting

@Suite struct DiagnosisTests {
    private var machine: MachineFacts {
        MachineFacts(
            device: .ready, fusermount: .init(path: "/usr/bin/fusermount3", isSetuid: true),
            isRoot: false, allowsOthers: true, kernel: "6.1.0", libfuse: "3.14.0",
            libfuseBuilt: "3.14", openFiles: 1 << 20, session: .init(isLogin: true, lingers: false))
    }

    private func folder(
        _ role: FolderFacts.Role = .cache, _ change: (inout FolderFacts.Filesystem) -> Void
    ) -> FolderFacts {
        var filesystem = FolderFacts.Filesystem(
            type: "ext4", freeBytes: 1 << 40, freeFiles: 1 << 30)
        filesystem.mode = 0o700
        (filesystem.isSparse, filesystem.isDirect) = (true, true)
        change(&filesystem)
        return FolderFacts(role: role, path: "/f", condition: .usable(filesystem))
    }

    private func account(_ access: AccountFacts.Access = .login) -> AccountFacts {
        AccountFacts(
            account: "work", access: access, route: ServerRoute(server: "Dropbox", proxy: nil))
    }

    /// The one finding that is not good, and that it says so.
    private func expect(
        _ findings: [Finding], _ check: String, _ level: Finding.Level, _ parts: String...,
        at location: SourceLocation = #_sourceLocation
    ) {
        let bad = findings.filter { $0.level != .ok }
        #expect(bad.map(\.check) == [check], sourceLocation: location)
        #expect(bad.map(\.level) == [level], sourceLocation: location)
        for part in parts {
            #expect(bad.first?.text.contains(part) == true, "\(bad)", sourceLocation: location)
        }
    }

    @Test("what the keyring may have of an earlier login is a warning beside the login")
    func leftover() {
        var facts = account(.login)
        #expect(!facts.findings.contains { $0.level == .warning })
        facts.hasLeftover = true
        let warning = facts.findings.first { $0.level == .warning }
        #expect(warning?.text.contains("secret of an earlier login") == true)
        #expect(warning?.text.contains("dbxfs logout") == true)
    }

    @Test("a login in the keyring is called that, and a keyring that does not give it is a problem")
    func keyring() {
        let found = account(.keyring).findings
        #expect(found.first?.level == .ok)
        #expect(found.first?.text == "a login, whose secret is in the keyring")
        for (fault, parts) in [
            (KeyringFault.locked, ["locked: unlock it"]),
            (.noSession, ["DBUS_SESSION_BUS_ADDRESS", "login --account work --no-keyring"]),
            (.unavailable("no program"), ["no program", "login --account work --no-keyring"]),
            (.silent(seconds: 10), ["10 s", "enter its password"]),
            (.missing, ["no secret", "run: dbxfs login --account work"]),
        ] {
            let error = CommandError.keyring(fault, login: "dbxfs login --account work")
            let found = account(.refused(error)).findings
            expect(found, "credentials", .problem)
            for part in parts { #expect(found.first?.text.contains(part) == true, "\(found)") }
        }
    }

    @Test("whether modes are kept on Dropbox is told, with what to do")
    func sharing() {
        func findings(isWanted: Bool, _ scopes: [String]) -> [Finding] {
            var facts = account()
            facts.sharing = PosixSharing(
                isWanted: isWanted, scopes: scopes, command: "dbxfs login")
            return facts.findings.filter { $0.check == "posix" }
        }
        let reading = ["files.metadata.read"]
        #expect(findings(isWanted: true, reading + [LoginScopes.posix]).map(\.level) == [.ok])
        #expect(findings(isWanted: false, reading).first?.text.contains("posix=local") == true)
        // A running mount tells of itself, the configuration file of mounts to come.
        var facts = account()
        for (isWanted, text) in [(true, "unless a mount"), (false, "configuration file")] {
            facts.sharing = PosixSharing(
                isWanted: isWanted, scopes: [LoginScopes.posix], command: "")
            for isOfMount in [true, false] {
                facts.isSharingOfMount = isOfMount
                let found = facts.findings.first { $0.check == "posix" }
                #expect(found?.text.contains(text) == !isOfMount, "\(String(describing: found))")
            }
        }
        // A token does not tell its scopes.
        #expect(findings(isWanted: true, []).isEmpty)
        expect(
            findings(isWanted: true, reading), "posix", .note, "files.metadata.write",
            "dbxfs login")
        #expect(PosixSharing(isWanted: true, scopes: [], command: "").isTried)
        #expect(!PosixSharing(isWanted: true, scopes: reading, command: "").isTried)
    }

    // MARK: Machine

    @Test("a machine on which all is well gets a line for each check")
    func healthyMachine() {
        let findings = machine.findings
        #expect(findings.allSatisfy { $0.level == .ok })
        let checks = ["fuse-device", "fusermount3", "allow-other", "versions", "open-files"]
        #expect(findings.map(\.check) == checks)
    }

    @Test("the libfuse that is loaded is compared with the one that was built with")
    func libraries() {
        var facts = machine
        facts.libfuse = "3.16.2"
        expect(facts.findings, level: .ok, "libfuse 3.16.2, newer than 3.14")
        facts.libfuse = "3.9.1"
        expect(facts.findings, level: .warning, "libfuse 3.9.1, older than 3.14")
        facts.libfuse = "3.14.1"
        expect(facts.findings, level: .ok, "libfuse 3.14.1")
        facts.libfuse = "4.0.0-rc1"
        expect(facts.findings, level: .ok, "newer than 3.14")
    }

    private func expect(
        _ findings: [Finding], level: Finding.Level, _ text: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        let found = findings.first { $0.check == "versions" }
        #expect(found?.level == level, sourceLocation: location)
        #expect(found?.text.contains(text) == true, "\(findings)", sourceLocation: location)
    }

    @Test("what keeps a machine from mounting is a problem, with its remedy")
    func machineProblems() {
        var facts = machine
        facts.device = .missing
        expect(facts.findings, "fuse-device", .problem, "modprobe fuse")
        facts.device = .refused("Permission denied")
        expect(facts.findings, "fuse-device", .problem, "Permission denied", "chmod")
        facts = machine
        facts.fusermount = nil
        expect(facts.findings, "fusermount3", .problem, "fuse3")
        facts.fusermount = .init(path: "/usr/bin/fusermount3", isSetuid: false)
        expect(facts.findings, "fusermount3", .problem, "chmod u+s /usr/bin/fusermount3")
        facts = machine
        facts.openFiles = 1024
        expect(facts.findings, "open-files", .warning, "ulimit", "1024")
    }

    @Test("root needs neither fusermount3 nor fuse.conf nor lingering")
    func root() {
        var facts = machine
        facts.isRoot = true
        (facts.fusermount, facts.allowsOthers, facts.session) = (
            nil, false, .init(isLogin: false, lingers: false)
        )
        #expect(facts.findings.allSatisfy { $0.level == .ok })
    }

    @Test("a feature that is off by default is a note")
    func machineNotes() {
        var facts = machine
        facts.allowsOthers = false
        expect(facts.findings, "allow-other", .note, "user_allow_other")
        facts = machine
        facts.session = .init(isLogin: false, lingers: false)
        expect(facts.findings, "session", .note, "enable-linger")
        for session in [MachineFacts.UserSession(isLogin: false, lingers: true), nil] {
            facts.session = session
            #expect(facts.findings.allSatisfy { $0.level == .ok })
        }
    }

    // MARK: Folders

    @Test("a folder that is well has one line")
    func healthyFolder() {
        let findings = folder { _ in }.findings
        #expect(findings.map(\.level) == [.ok])
        #expect(findings.first?.text == "1.0 TiB free on ext4")
        let missing = FolderFacts(
            role: .state, path: "/f",
            condition: .willBeMade(.init(type: "ext4", freeBytes: 1 << 40, freeFiles: nil)))
        #expect(missing.findings.map(\.level) == [.ok])
    }

    @Test("little space is a warning, next to none a problem; sockets need none")
    func space() {
        expect(folder { $0.freeBytes = 900 << 20 }.findings, "cache-folder", .warning, "free some")
        expect(folder { $0.freeBytes = 1 << 20 }.findings, "cache-folder", .problem, "1.0 MiB")
        expect(folder { $0.freeFiles = 5000 }.findings, "cache-folder", .warning, "df -i")
        expect(folder { $0.freeFiles = 5 }.findings, "cache-folder", .problem, "5 more files")
        #expect(folder { $0.freeFiles = nil }.findings.map(\.level) == [.ok])
        #expect(folder(.runtime) { $0.freeBytes = 0 }.findings.map(\.level) == [.ok])
    }

    @Test("a folder whose names others can see is a note, one that they can write to a problem")
    func privacy() {
        let visible = folder { $0.mode = 0o755 }.findings
        #expect(visible.map(\.level) == [.ok, .note])
        #expect(visible.last?.text.contains("chmod 700 /f") == true)
        expect(folder { $0.mode = 0o770 }.findings, "cache-folder", .problem, "write to")
    }

    @Test("filesystems that lack something are named, as far as it matters there")
    func abilities() {
        expect(folder(.state) { $0.type = "nfs4" }.findings, "state-folder", .warning, "nfs4")
        expect(folder(.state) { $0.type = "tmpfs" }.findings, "state-folder", .warning, "memory")
        #expect(folder { $0.type = "nfs4" }.findings.map(\.level) == [.ok])
        expect(folder { $0.isSparse = false }.findings, "cache-folder", .warning, "sparse")
        let direct = folder { $0.isDirect = false }.findings
        #expect(direct.map(\.level) == [.ok, .note])
    }

    @Test("a folder that cannot be used is a problem, and names the way out")
    func unusableFolders() {
        let conditions: [(FolderFacts.Condition, String)] = [
            (.cannotBeMade(in: "/root"), "DBXFS_CACHE_DIR"), (.foreign, "chown"),
            (.unusable("Permission denied"), "Permission denied"), (.silent, "does not answer"),
        ]
        for (condition, text) in conditions {
            let facts = FolderFacts(role: .cache, path: "/f", condition: condition)
            expect(facts.findings, "cache-folder", .problem, text)
        }
    }

    // MARK: Accounts

    @Test("an account that the server takes has its person, its latency and its clock")
    func healthyAccount() {
        var facts = account()
        facts.answer = .accepted(person: "A <a@b>")
        (facts.route.latency, facts.route.clockLead) = (0.0421, -3)
        facts.trees = [TreeFacts(folder: "/s/work", database: .sound)]
        #expect(facts.findings.allSatisfy { $0.level == .ok })
        #expect(facts.findings.map(\.check) == ["credentials", "server", "clock", "database"])
        #expect(facts.findings[1].text == "Dropbox answers in 42 ms; the account of A <a@b>")
    }

    @Test("a clock that is off by more than a minute is a warning")
    func clock() {
        var facts = account()
        facts.answer = .accepted(person: "A")
        for (lead, text) in [(61.0, "61 s ahead"), (-3600, "3600 s behind")] {
            facts.route.clockLead = lead
            expect(facts.findings, "clock", .warning, text, "timedatectl")
        }
        facts.route.clockLead = 59
        #expect(facts.findings.allSatisfy { $0.level == .ok })
    }

    @Test("the server's date is read as servers write it, and nothing else is")
    func date() {
        let moment = ServerRoute.moment(of: "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(moment?.timeIntervalSince1970 == 784_111_777)
        #expect(ServerRoute.moment(of: "yesterday") == nil)
    }

    @Test("a refused or silent server is a problem, and the proxy is named")
    func server() {
        var facts = account()
        facts.route.proxy = "http://proxy:3128"
        facts.answer = .failed(.unauthorized(server: "Dropbox", detail: "expired"))
        expect(facts.findings, "server", .problem, "dbxfs login", "http://proxy:3128")
        facts.answer = .silent(seconds: 20)
        expect(facts.findings, "server", .problem, "20 s", "http://proxy:3128")
    }

    @Test(
        "an account without a login is a problem, unless it is one of several and has nothing queued"
    )
    func noLogin() {
        var facts = account(
            .refused(
                .noToken(
                    account: "work", command: "dbxfs login --account work", file: "/s/work/token")))
        expect(facts.findings, "credentials", .problem, "dbxfs login --account work")
        facts.isOneOfSeveral = true
        expect(facts.findings, "credentials", .note, "dbxfs login --account work")
        facts.trees = [TreeFacts(folder: "/s/work", database: .sound)]
        facts.trees[0].pending = 1
        expect(facts.findings, "credentials", .problem, "dbxfs login --account work")
        let open = account(.refused(.credentialsTooOpen(file: "/s/work/token")))
        expect(open.findings, "credentials", .problem, "chmod 600")
    }

    @Test("a login that may only read says what follows for mounts")
    func readOnlyLogin() {
        var facts = account(.keyring)
        #expect(facts.findings.first?.text == "a login, whose secret is in the keyring")
        facts.isReadOnly = true
        #expect(facts.findings.first?.text.hasSuffix("so mounts with it are read-only") == true)
        #expect(facts.findings.first?.level == .ok)
    }

    @Test("a damaged database and a refused change are problems")
    func trees() {
        var tree = TreeFacts(folder: "/s/work", database: .damaged("page 3"))
        expect(tree.findings, "database", .problem, "page 3", "keep a copy")
        tree.database = .unchecked(seconds: 20)
        expect(tree.findings, "database", .note, "20 s")
        tree.database = .mounted(at: "/mnt")
        tree.pending = 2
        tree.refused = [.init(path: "/a", reason: "the account is full")]
        expect(tree.findings, "refused", .problem, "/a: the account is full")
        #expect(tree.findings.contains { $0.check == "queue" && $0.text == "2 changes queued" })
        #expect(TreeFacts(folder: "/s/work", database: .absent).findings.isEmpty)
    }

    @Test("rows that contradict each other are a problem each, and rows in order are said to be")
    func contradictions() {
        var tree = TreeFacts(folder: "/s/work", database: .sound)
        func found() -> [Finding] { tree.findings.filter { $0.check == "tree" } }
        #expect(found() == [])
        tree.tree = .contradictions([])
        #expect(found().map(\.level) == [.ok])
        tree.tree = .contradictions(["ino:7 is lost", "ino:8 is lost"])
        #expect(found().map(\.level) == [.problem, .problem])
        #expect(found().first?.text.hasPrefix("ino:7 is lost") == true)
        tree.tree = .unreadable("no")
        #expect(found().map(\.level) == [.problem])
        tree.tree = .older
        #expect(found().map(\.level) == [.note])
        tree.tree = .unchecked(seconds: 3)
        #expect(found().map(\.level) == [.note])
    }

    @Test("a database of a newer version is a problem that another version solves")
    func newerVersion() {
        let tree = TreeFacts(folder: "/s/work", database: .tooNew)
        expect(tree.findings, "database", .problem, "newer version of dbxfs", "install that")
    }

    @Test("content that was put aside is a problem, with the command that brings it back")
    func lost() {
        var tree = TreeFacts(folder: "/s/work", database: .absent)
        tree.lost = LostSummary(["/a", nil, "/b", "/c", "/d"])
        tree.recovery = "dbxfs recover --system"
        expect(
            tree.findings, "lost", .problem, "5 pieces of content were put aside",
            "(/a, /b, /c, …)", "`dbxfs recover --system` lists them")
        tree.lost = LostSummary([nil])
        expect(
            tree.findings, "lost", .problem, "1 piece of content was put aside, and is not sent:")
    }

    @Test(
        "the proxy is the one that libcurl takes, and never shows a password",
        arguments: [
            ([:], nil), (["https_proxy": "http://p:1"], "http://p:1"),
            (["https_proxy": "http://me:se@cret@p:1"], "http://p:1"),
            (["all_proxy": "me:secret@p"], "p"), (["http_proxy": "http://p"], nil),
            (["https_proxy": "", "ALL_PROXY": "socks5://p"], "socks5://p"),
        ] as [([String: String], String?)])
    func proxy(variables: [String: String], proxy: String?) {
        #expect(
            ServerRoute.proxy(for: "https://api.example.com", variables: variables) == proxy)
    }

    @Test(
        "a proxy that no_proxy excepts the server from is not named",
        arguments: [
            ("*", true), ("example.com", true), (".example.com", true),
            ("other api.EXAMPLE.com", true), ("other,example.com", true), ("ample.com", false),
            ("10.0.0.1", false), ("", false),
        ])
    func directly(list: String, isDirect: Bool) {
        for name in ["no_proxy", "NO_PROXY"] {
            let proxy = ServerRoute.proxy(
                for: "https://api.example.com", variables: ["https_proxy": "http://p", name: list])
            #expect((proxy == nil) == isDirect, "\(name)")
        }
    }

    @Test("a numeric address is excepted by itself only")
    func directAddress() {
        func proxy(_ address: String, _ list: String) -> String? {
            ServerRoute.proxy(
                for: address, variables: ["https_proxy": "http://p", "no_proxy": list])
        }
        #expect(proxy("https://10.0.0.1:8443", "10.0.0.1") == nil)
        #expect(proxy("https://10.0.0.1", "0.0.1") == "http://p")
        #expect(proxy("https://[fd00::1]", "fd00::1") == nil)
    }

    // MARK: Mounts

    private static func listing(isFirst: Bool) -> ListingStatus {
        ListingStatus(seconds: 5, isFirst: isFirst, entries: 7, bytes: 0)
    }

    @Test("a mount whose process is gone, silent or locked out is a problem")
    func mounts() {
        let conditions: [(MountFacts.Condition, Finding.Level, String)] = [
            (.answers(.online, advice: nil), .ok, "online"),
            (
                .answers(.online, advice: nil, listing: Self.listing(isFirst: true)), .note,
                "not all of the account is known yet: listing the account for 5 s: 7 entries"
            ),
            (.answers(.online, advice: nil, listing: Self.listing(isFirst: false)), .ok, "online"),
            (.answers(.offline, advice: nil), .warning, "queued"),
            (.answers(.authRequired, advice: "run: dbxfs login"), .problem, "run: dbxfs login"),
            (.silent(seconds: 5), .problem, "5 s"),
            (.elsewhere, .note, "another DBXFS_STATE_DIR"),
            (.stale, .problem, "fusermount3 -uz /mnt"), (.hung, .problem, "fusermount3 -uz /mnt"),
        ]
        for (condition, level, text) in conditions {
            let finding = MountFacts(mountpoint: "/mnt", condition: condition).finding
            #expect(finding.level == level && finding.text.contains(text), "\(finding)")
        }
    }

    // MARK: Form

    @Test("a finding is one line, for people and for scripts")
    func form() throws {
        let finding = Finding("mount", about: "/a\n\u{1b}", .warning, "b\u{7}")
        #expect(finding.line == "warning  mount /a\\n\\u{1b}: b\\u{7}")
        let plain = try Terminal.json(Finding("versions", .ok, "x"))
        #expect(plain == #"{"check":"versions","level":"ok","subject":null,"text":"x"}"#)
    }
}
