// Whose files a state folder keeps: a damaged file says so, and stands for no account.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mounting

@Suite("the record of an account")
struct AccountRecordTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/account.json" }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a record is read as it was written, and none is none")
    func written() throws {
        #expect(try AccountRecord.read(path) == nil)
        for team in [nil, "77"] {
            let record = AccountRecord(
                accountID: "dbid:1", name: "A \"B\"", email: "a@b", team: team)
            try record.write(to: path)
            #expect(try AccountRecord.read(path) == record)
        }
    }

    @Test("a file of older versions is read")
    func older() throws {
        _ = try folder.write(
            #"{"email":"a@b","name":"A","accountID":"dbid:1"}"#, to: "account.json", mode: 0o600)
        #expect(try AccountRecord.read(path)?.accountID == "dbid:1")
    }

    @Test(
        "a file that is no record is refused in one line with its name, and the code of a failed mount",
        arguments: [
            "", " ", "{", "{}", "[]", "null", "1", "true", "\"dbid:1\"", "\u{0}", "\u{FEFF}{}",
            #"{"accountID":1,"name":"A","email":"a@b"}"#,
            #"{"accountID":"","name":"A","email":"a@b"}"#,
            #"{"accountID":null,"name":"A","email":"a@b"}"#,
            #"{"accountID":"dbid:1","name":"A"}"#,
            #"{"accountID":"dbid:1","name":"A","email":"a@b","team":7}"#,
            #"[{"accountID":"dbid:1","name":"A","email":"a@b"}]"#,
            #"{"accountID":"dbid:1","name":"A","email":"a@b""#,
            #"{"account_id":"dbid:1","name":"A","email":"a@b"}"#,
            #"{"accountID":1e999,"name":9223372036854775808,"email":-0}"#,
            String(repeating: "[", count: 513), String(repeating: "{\"a\":", count: 10_000),
            String(repeating: "x", count: 1 << 16 + 1),
        ])
    func damaged(_ text: String) throws {
        _ = try folder.write(text, to: "account.json", mode: 0o600)
        let error = #expect(throws: CommandError.self) { try AccountRecord.read(path) }
        guard case .accountDamaged(path, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.exitStatus == .mountFailure)
        #expect(error?.message.contains("\n") == false)
    }

    @Test("the account that the database names owns its rows, also if the file names another")
    func stored() throws {
        let record = AccountRecord(accountID: "dbid:1", name: "A", email: "a@b", team: "7")
        #expect(try AccountRecord.read(path, stored: nil) == nil)
        #expect(try AccountRecord.read(path, stored: "dbid:1")?.accountID == "dbid:1")
        try record.write(to: path)
        #expect(try AccountRecord.read(path, stored: nil) == record)
        #expect(try AccountRecord.read(path, stored: "dbid:1") == record)
        let other = try AccountRecord.read(path, stored: "dbid:2")
        #expect(other?.accountID == "dbid:2")
        #expect(other?.person == "the account dbid:2")
        #expect(other?.team == nil)
        let named = try AccountRecord.read(path, stored: "dbid:2", person: "B <b@c>")
        #expect(named?.person == "B <b@c>")
        #expect(named?.accountID == "dbid:2")
        _ = try folder.write("{", to: "account.json", mode: 0o600)
        #expect(throws: CommandError.self) { try AccountRecord.read(path, stored: nil) }
        #expect(try AccountRecord.read(path, stored: "dbid:1")?.accountID == "dbid:1")
    }

    @Test("a record that others could have written, a link and a folder are refused")
    func strange() throws {
        let good = #"{"email":"a@b","name":"A","accountID":"dbid:1"}"#
        _ = try folder.write(good, to: "account.json", mode: 0o666)
        #expect(throws: CommandError.self) { try AccountRecord.read(path) }
        unlink(path)
        symlink(try folder.write(good, to: "elsewhere", mode: 0o600), path)
        #expect(throws: CommandError.self) { try AccountRecord.read(path) }
        unlink(path)
        mkdir(path, 0o700)
        #expect(throws: CommandError.self) { try AccountRecord.read(path) }
        rmdir(path)
        mkfifo(path, 0o600)
        #expect(throws: CommandError.self) { try AccountRecord.read(path) }
    }
}
