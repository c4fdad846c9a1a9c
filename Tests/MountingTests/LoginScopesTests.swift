// The permissions that logins ask for, by their options, and the messages about an app that lacks
// some.

import Testing

@testable import Mounting

@Suite("Scopes of logins") struct LoginScopesTests {
    private static let reading = ["account_info.read", "files.metadata.read", "files.content.read"]

    private func scopes(
        sharing: Bool? = nil, posix: Bool = true, readOnly: Bool = false
    ) -> LoginScopes {
        LoginScopes(sharing: sharing, posix: posix, isReadOnly: readOnly)
    }

    @Test("the first login asks for all that dbxfs can use, and needs no more than mounts do")
    func standard() {
        #expect(scopes().needed == Self.reading + ["files.content.write"])
        #expect(scopes().wished == ["files.metadata.write", "sharing.read", "sharing.write"])
        #expect(scopes().lesser == "--no-sharing and --no-posix")
    }

    @Test("options ask for less, or insist")
    func options() {
        #expect(scopes(sharing: false).wished == ["files.metadata.write"])
        #expect(scopes(sharing: false).lesser == "--no-posix")
        #expect(scopes(posix: false).wished == ["sharing.read", "sharing.write"])
        let insisting = scopes(sharing: true, posix: false)
        #expect(insisting.needed.suffix(2) == ["sharing.read", "sharing.write"])
        #expect(insisting.lesser == nil)
        #expect(!insisting.refusalAdvice.contains("--no"))
    }

    @Test("a read-only login asks for nothing that writes", arguments: [nil, true, false])
    func readOnly(sharing: Bool?) {
        let scopes = scopes(sharing: sharing, readOnly: true)
        #expect(scopes.all.allSatisfy { $0.hasSuffix(".read") })
        #expect(scopes.all == Self.reading + (sharing == false ? [] : ["sharing.read"]))
    }

    @Test("what an app lacks is named, with what goes without it, and nothing else is")
    func consequences() {
        let scopes = scopes()
        #expect(scopes.consequences(of: scopes.all, takenFrom: nil).isEmpty)
        let partly = scopes.consequences(of: scopes.needed + ["sharing.read"], takenFrom: nil)
        #expect(partly.count == 2)
        #expect(partly[0].contains("files.metadata.write") && !partly[0].contains("sharing"))
        #expect(partly[1].contains("lacks sharing.write,") && partly[1].contains("--no-sharing"))
        #expect(
            self.scopes(sharing: false, posix: false).consequences(of: [], takenFrom: nil).isEmpty)
        #expect(
            scopes.consequences(of: scopes.needed + ["sharing.read"], takenFrom: "rclone") == [
                "the login of rclone lacks files.metadata.write, sharing.write: dbxfs goes on without"
            ])
    }

    @Test("a grant without a needed scope is refused, and the option that asks for less is named")
    func needed() throws {
        let scopes = scopes()
        #expect(scopes.refusal(of: scopes.needed) == nil)
        let written = try #require(scopes.refusal(of: Self.reading))
        #expect(written.contains("permission files.content.write:"))
        #expect(written.hasSuffix("--read-only does without"))
        let insisting = self.scopes(sharing: true)
        let shared = try #require(insisting.refusal(of: scopes.needed))
        #expect(shared.contains("permission sharing.read, sharing.write:"))
        #expect(!shared.contains("--read-only"))
    }

    @Test("the advice after a refusal names all scopes, their place, and the options for less")
    func refusal() {
        let advice = scopes().refusalAdvice
        for part in scopes().all + [CommandError.appConsole, "--no-sharing and --no-posix"] {
            #expect(advice.contains(part), "\(part)")
        }
    }
}
