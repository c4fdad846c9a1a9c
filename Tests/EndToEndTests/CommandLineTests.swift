// Bad input to the real program gets one line on stderr that says what to do, and an exit code.

import Foundation
import Testing

/// One wrong command line or environment, and what must come of it.
struct BadInput: CustomTestStringConvertible, Sendable {
    var name: String
    /// `{MNT}` stands for an empty directory, `{DIR}` for the folder around it.
    var arguments: [String]
    var status: Int32
    /// Texts that the line on stderr must have.
    var says: [String]
    /// Variables that differ; nil unsets one.
    var variables: [String: String?] = [:]
    /// A shell command that prepares it.
    var preparation = ":"

    var testDescription: String { name }

    static let usage: [BadInput] = [
        .init(
            name: "unknown option", arguments: ["mount", "{MNT}", "-o", "ro,fastest"], status: 1,
            says: ["fastest", "--help"]),
        .init(
            name: "option with a bad value", arguments: ["mount", "{MNT}", "-o", "uid=joe"],
            status: 1, says: ["uid=joe", "number"]),
        .init(
            name: "bad source", arguments: ["mount", "a/b", "{MNT}"], status: 1,
            says: ["a/b", "ACCOUNT"]),
        .init(
            name: "plain http to another machine", arguments: ["mount", "{MNT}"], status: 1,
            says: ["unencrypted", "127.0.0.1"],
            variables: ["DBXFS_ENDPOINT": "http://example.com"]),
        .init(
            name: "an endpoint that is none", arguments: ["mount", "{MNT}"], status: 1,
            says: ["DBXFS_ENDPOINT=nowhere"], variables: ["DBXFS_ENDPOINT": "nowhere"]),
        .init(
            name: "unknown log level", arguments: ["mount", "{MNT}"], status: 1,
            says: ["loud", "debug"], variables: ["DBXFS_LOG_LEVEL": "loud"]),
        .init(
            name: "no token", arguments: ["mount", "{MNT}"], status: 32,
            says: ["DBXFS_ACCESS_TOKEN", "default/token"],
            variables: ["DBXFS_ACCESS_TOKEN": nil]),
        .init(
            name: "a token file that others can read", arguments: ["mount", "{MNT}"], status: 32,
            says: ["chmod 600"], variables: ["DBXFS_ACCESS_TOKEN": nil],
            preparation: """
                mkdir -p {DIR}/state/default; echo x > {DIR}/state/default/token
                chmod 644 {DIR}/state/default/token
                """),
    ]

    static let mountpoint: [BadInput] = [
        .init(
            name: "missing mountpoint", arguments: ["mount", "{DIR}/nowhere"], status: 32,
            says: ["{DIR}/nowhere", "mkdir -p"]),
        .init(
            name: "a file as mountpoint", arguments: ["mount", "{DIR}/file"], status: 32,
            says: ["{DIR}/file", "not a directory"], preparation: "touch {DIR}/file"),
        .init(
            name: "a mountpoint that is not empty", arguments: ["mount", "{MNT}"], status: 32,
            says: ["not empty"], preparation: "touch {MNT}/precious"),
        .init(
            name: "a mountpoint without a name", arguments: ["mount", ""], status: 1,
            says: ["an argument is empty"]),
        .init(
            name: "a program for events that is not there",
            arguments: ["mount", "{MNT}", "-o", "on_event={DIR}/nowhere"], status: 32,
            says: ["on_event={DIR}/nowhere cannot be run: No such file"]),
        .init(
            name: "a program for events that may not be run",
            arguments: ["mount", "{MNT}", "-o", "on_event={DIR}/text"], status: 32,
            says: ["on_event={DIR}/text cannot be run: Permission denied"],
            preparation: "touch {DIR}/text"),
        .init(
            name: "a lock that is a FIFO", arguments: ["mount", "{MNT}"], status: 32,
            says: ["lock is not a file"],
            preparation: "mkdir -p -m 700 {DIR}/state/default; mkfifo {DIR}/state/default/lock"),
        .init(
            name: "a database that is a FIFO", arguments: ["mount", "{MNT}"], status: 32,
            says: ["tree.sqlite is not a file"],
            preparation: """
                mkdir -p -m 700 {DIR}/state/default
                mkfifo {DIR}/state/default/tree.sqlite
                """),
        .init(
            name: "state inside the mountpoint", arguments: ["mount", "{MNT}"], status: 32,
            says: ["inside the mountpoint", "DBXFS_STATE_DIR"],
            variables: ["DBXFS_STATE_DIR": "{MNT}/state"]),
        .init(
            name: "cache inside the mountpoint", arguments: ["mount", "{MNT}"], status: 32,
            says: ["inside the mountpoint", "DBXFS_CACHE_DIR"],
            variables: ["DBXFS_CACHE_DIR": "{MNT}/cache"]),
        .init(
            name: "the mountpoint inside the cache",
            arguments: ["mount", "{DIR}/cache/default/blocks"], status: 32, says: ["elsewhere"],
            preparation: "mkdir -p {DIR}/cache/default/blocks"),
        .init(
            name: "a state folder that is a file", arguments: ["mount", "{MNT}"], status: 32,
            says: ["{DIR}/taken", "DBXFS_STATE_DIR"], variables: ["DBXFS_STATE_DIR": "{DIR}/taken"],
            preparation: "touch {DIR}/taken"),
        .init(
            name: "a database that is none", arguments: ["mount", "{MNT}"], status: 32,
            says: ["tree.sqlite", "keep a copy"],
            preparation: """
                mkdir -p -m 700 {DIR}/state/default
                head -c 100000 /dev/urandom > {DIR}/state/default/tree.sqlite
                """),
    ]

    static let server: [BadInput] = [
        .init(
            name: "wrong token", arguments: ["mount", "{MNT}"], status: 32,
            says: ["does not accept the access token"],
            variables: ["DBXFS_ACCESS_TOKEN": "wrong"]),
        .init(
            name: "nobody listens", arguments: ["mount", "{MNT}"], status: 32,
            says: ["http://127.0.0.1:9", "cannot be reached"],
            variables: ["DBXFS_ENDPOINT": "http://127.0.0.1:9"]),
        .init(
            name: "a server that is not Dropbox", arguments: ["mount", "{MNT}"], status: 32,
            says: ["does not answer like Dropbox", "DBXFS_ENDPOINT"],
            preparation: "post admin/faults '{\"route\":\"*\",\"kind\":\"non_json\"}'"),
        .init(
            name: "a server whose answer ends in the middle", arguments: ["mount", "{MNT}"],
            status: 32, says: ["does not answer like Dropbox"],
            preparation: "post admin/faults '{\"route\":\"*\",\"kind\":\"broken_json\"}'"),
        .init(
            name: "a token without the scope", arguments: ["mount", "{MNT}"], status: 32,
            says: ["scopes"],
            preparation: "post admin/faults '{\"route\":\"*\",\"kind\":\"missing_scope\"}'"),
        .init(
            name: "a folder that is not there", arguments: ["mount", ":/Nowhere", "{MNT}"],
            status: 32, says: ["'/Nowhere'"]),
    ]

    private static let noteWithoutContent = """
        mkdir -p {DIR}/state/default/lost+found
        echo '{"size":0,"bytes":0,"modified":7,"found":7,"reason":"database"}' \\
            > {DIR}/state/default/lost+found/0-7.json
        """

    static let commands: [BadInput] = [
        .init(
            name: "unmount of nothing", arguments: ["unmount", "{MNT}"], status: 32,
            says: ["nothing is mounted at"]),
        .init(
            name: "unmount of somebody else's mount", arguments: ["unmount", "/proc"], status: 32,
            says: ["type proc", "umount"]),
        .init(
            name: "status of nothing", arguments: ["status", "{MNT}"], status: 2,
            says: ["nothing is mounted at"]),
        .init(
            name: "sync of nothing", arguments: ["sync"], status: 2, says: ["nothing is mounted"]),
        .init(
            name: "what was put aside of no account", arguments: ["recover", "nowhere"], status: 2,
            says: ["'nowhere'", "`dbxfs recover` lists"]),
        .init(
            name: "recovery of a note", arguments: ["recover", "0-7", "--to", "{DIR}/copy"],
            status: 2, says: ["'default/0-7'", "--remove removes it"],
            preparation: noteWithoutContent),
        .init(
            name: "recovery of a number that two accounts have",
            arguments: ["recover", "0-7", "--to", "{DIR}/copy"], status: 2,
            says: ["'0-7'", "as `dbxfs recover` lists it"],
            preparation: noteWithoutContent + "\ncp -r {DIR}/state/default {DIR}/state/work"),
    ]
}

@Suite(.serialized, .enabled(if: Programs.hasFUSE, "no /dev/fuse here"))
struct CommandLineTests {
    @Test(
        "bad input gets one line that says what to do, and an exit code",
        arguments: BadInput.usage + BadInput.mountpoint + BadInput.server + BadInput.commands)
    func badInput(_ input: BadInput) async throws {
        let bed = try TestBed()
        do {
            try await check(input, in: bed)
        } catch {
            await bed.close()
            throw error
        }
        await bed.close()
    }

    private func check(_ input: BadInput, in bed: TestBed) async throws {
        try await bed.startEmulator()
        func fill(_ text: String) -> String {
            text.replacingOccurrences(of: "{MNT}", with: bed.mountpoint)
                .replacingOccurrences(of: "{DIR}", with: bed.folder)
        }
        let post = """
            post() { python3 -c 'import sys, urllib.request as u
            u.urlopen(u.Request(sys.argv[1], sys.argv[2].encode()))' "$ENDPOINT/$1" "$2"; }

            """
        let prepared = try await bed.run(
            "sh", ["-euc", post + fill(input.preparation)], limit: 30)
        try #require(prepared.status == 0, "\(prepared)")
        let result = try await bed.run(
            Programs.dbxfs, input.arguments.map(fill), limit: 120,
            variables: input.variables.mapValues { $0.map(fill) })
        #expect(result.status == input.status, "\(result)")
        for text in input.says {
            #expect(result.output.contains(fill(text)), "\(result)")
        }
        #expect(result.output.split(separator: "\n").count == 1, "\(result)")
        #expect(!result.output.contains(TestBed.token))
        #expect(Mounts.below(bed.folder).isEmpty)
    }

    @Test("a first mount that fails leaves no folder behind")
    func failedFirstMount() async throws {
        let bed = try TestBed()
        do {
            try await bed.startEmulator()
            for options in [[], ["--foreground"]] {
                let result = try await bed.run(
                    Programs.dbxfs, ["mount"] + options + [":/Nowhere", bed.mountpoint], limit: 120)
                #expect(result.status == 32, "\(result)")
                for folder in ["/state", "/cache"] {
                    let names = try? FileManager.default.contentsOfDirectory(
                        atPath: bed.folder + folder)
                    #expect(names?.contains { $0.hasPrefix("default") } != true, "\(names ?? [])")
                }
            }
        } catch {
            await bed.close()
            throw error
        }
        await bed.close()
    }

    @Test("a wrong command line exits with 1, help and version with 0")
    func usage() async throws {
        let bed = try TestBed()
        for (arguments, status, text) in [
            (["frobnicate"], 1, "frobnicate"),
            (["mount", "a", "b", "c"], 1, "MOUNTPOINT"),
            (["unmount", "a", "b"], 1, "unmount"),
            (["sync", "--timeout", "soon"], 1, "dbxfs: the value 'soon' is invalid"),
            (["status", "--interval", "1"], 1, "dbxfs: --interval needs --watch\n"),
            (["mount", "--account", "a", "b"], 1, "dbxfs: --account NAME stands for"),
            (["recover", "--remove"], 1, "need the name"),
            (["recover", "7", "--partial"], 1, "--partial needs --to"),
            (["recover", "7", "--to", "/a", "--json"], 1, "neither --to nor --remove"),
            (["--version"], 0, "dbxfs "),
            (["--help"], 0, "mount"), (["mount", "--help"], 0, "cache_size"),
        ] as [([String], Int32, String)] {
            let result = try await bed.run(Programs.dbxfs, arguments, limit: 30)
            #expect(result.status == status, "\(arguments): \(result)")
            #expect(result.output.contains(text), "\(arguments): \(result)")
            if status != 0 { #expect(!result.output.contains("Error:"), "\(result)") }
        }
        await bed.close()
    }
}
