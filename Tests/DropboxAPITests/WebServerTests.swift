// The needs of a web server besides calls: logins over several requests, notifications with their
// proof, jobs as values, and Foundation's dates.

import ContentHashing
import Foundation
import Synchronization
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct WebServerTests {
    private static let grant = #"{"access_token":"fresh","expires_in":14400,"refresh_token":"r"}"#

    // MARK: Logins

    private func login(
        _ answers: [[Step]] = [.json(grant)],
        _ body: (OAuthClient, ScriptedServer) async throws -> Void
    ) async throws {
        let server = try ScriptedServer(answers: answers)
        defer { server.stop() }
        let transport = try TransportUnderTest()
        var client = OAuthClient(
            app: AppCredentials(key: "key"),
            configuration: .init(hosts: try DropboxHosts(endpoint: server.url)),
            transport: transport)
        client.clock = StepClock().callClock
        try await body(client, server)
        await transport.shutDown()
    }

    @Test("the page is asked for all that a login can ask for")
    func parameters() throws {
        let client = OAuthClient(
            app: AppCredentials(key: "key"), transport: try TransportUnderTest())
        let request = LoginRequest(
            scopes: ["files.content.read"], grantedScopes: .team, access: .online, locale: "de",
            asksAgain: true, forcesNewSession: true, hidesSignup: true, role: .work)
        let page = client.authorizationURL(request, pkce: PKCE())
        let fields = FormEncoding.fields(ofAddress: page)
        #expect(fields["token_access_type"] == "online")
        #expect(fields["include_granted_scopes"] == "team")
        #expect(fields["scope"] == "files.content.read")
        #expect(fields["locale"] == "de")
        #expect(fields["force_reapprove"] == "true")
        #expect(fields["force_reauthentication"] == "true")
        #expect(fields["disable_signup"] == "true")
        #expect(fields["require_role"] == "work")
        let plain = FormEncoding.fields(ofAddress: client.authorizationURL(.init(), pkce: PKCE()))
        #expect(
            Set(plain.keys) == [
                "client_id", "response_type", "code_challenge", "code_challenge_method",
                "token_access_type",
            ])
    }

    @Test("a login survives in a session, and its code is exchanged with its own verifier")
    func returned() async throws {
        try await login { client, server in
            let (page, begun) = client.beginLogin(redirect: "https://app.example/back?x=1")
            let pending = try JSONDecoder().decode(
                PendingLogin.self, from: try JSONEncoder().encode(begun))
            let asked = FormEncoding.fields(ofAddress: page)
            #expect(asked["state"] == pending.state)
            #expect(asked["code_challenge"] == PKCE(verifier: pending.verifier)?.challenge)
            let grant = try await client.finishLogin(
                pending,
                returned: "https://app.example/back?x=1&state=\(pending.state)&code=c%2F1#top")
            #expect(grant.accessToken == "fresh")
            let sent = FormEncoding.fields(ofAddress: server.requests[0].text)
            #expect(sent["code"] == "c/1")
            #expect(sent["code_verifier"] == pending.verifier)
            #expect(sent["redirect_uri"] == "https://app.example/back?x=1")
            #expect(!"\(pending)".contains(pending.verifier))
        }
    }

    @Test(
        "a return that is not this login's, or without a code, exchanges nothing",
        arguments: [
            ("state=other&code=c", .otherState),
            ("code=c", .otherState),
            ("state=S&error=access_denied&error_description=no", .denied),
            (
                "state=S&error=invalid_scope&error_description=not+one%21",
                .refused(code: "invalid_scope", description: "not one!")
            ),
            ("state=S", .malformed),
            ("state=other&state=S&code=c", .otherState),
        ] as [(String, LoginError)])
    func refused(query: String, expected: LoginError) async throws {
        try await login { client, server in
            let (_, pending) = client.beginLogin(redirect: "https://app.example/")
            let query = query.replacingOccurrences(of: "state=S", with: "state=" + pending.state)
            await #expect(throws: expected) {
                _ = try await client.finishLogin(pending, returned: query)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("a renewal can ask for fewer scopes")
    func fewerScopes() async throws {
        try await login { client, server in
            _ = try await client.refresh("r", scopes: ["a", "b"])
            #expect(FormEncoding.fields(ofAddress: server.requests[0].text)["scope"] == "a b")
        }
    }

    // MARK: Notifications

    private let webhook = Webhook(app: AppCredentials(key: "key", secret: "app-secret"))
    private let body = Array(
        (#"{"list_folder": {"accounts": ["dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc", "dbid:2"]}, "#
            + #""delta": {"users": [1]}}"#).utf8)
    /// By Python's `hmac.new(b'app-secret', body, hashlib.sha256).hexdigest()`.
    private let signature = "22cf7ade440208691e85975090d90eeea599dd3f59bf5a8e9cd5d0be63dbc46d"

    @Test("a notification that Dropbox has signed names the accounts")
    func notification() throws {
        let notification = try webhook.notification(body, signature: signature)
        #expect(
            notification.accounts == ["dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc", "dbid:2"])
        #expect(notification.payload == Data(body))
        #expect(webhook.challenge(inQuery: "challenge=a%20b&x=1") == "a b")
        #expect(webhook.challenge(inQuery: "x=1") == nil)
    }

    @Test("one that Dropbox has not signed is refused, and so is all without a secret")
    func unsigned() throws {
        let other = String(signature.dropLast()) + (signature.hasSuffix("0") ? "1" : "0")
        for wrong in [nil, "", "zz", other, String(signature.dropLast(2))] {
            #expect(throws: WebhookError.notSigned) {
                try webhook.notification(body, signature: wrong)
            }
        }
        #expect(throws: WebhookError.notSigned) {
            try webhook.notification(body + [0x20], signature: signature)
        }
        let none = Webhook(app: AppCredentials(key: "key"))
        #expect(throws: WebhookError.noSecret) {
            try none.notification(body, signature: signature)
        }
    }

    // MARK: Jobs

    private func jobs(
        _ answers: [String], _ body: (DropboxClient, StepClock) async throws -> Void
    ) async throws {
        let server = try ScriptedServer(answers: answers.map { .json($0) })
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        try await body(client, clock)
        await client.shutDown()
    }

    @Test("a job is asked about, with growing pauses, until it has ended")
    func job() async throws {
        let running = #"{".tag":"in_progress"}"#
        let answers = [
            #"{".tag":"async_job_id","async_job_id":"job"}"#, running, running, running,
            #"{".tag":"complete","entries":[{".tag":"failure","failure":{".tag":"other"}}]}"#,
        ]
        try await jobs(answers) { client, clock in
            let job = try await client.files.deleteJob([.init(path: "/a")])
            #expect(job.id == "job")
            #expect(try await job.result().count == 1)
            #expect(clock.sleeps == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        }
    }

    @Test("a job that has ended at once is not asked about, and one that fails is an error")
    func endedJobs() async throws {
        try await jobs([#"{".tag":"complete","entries":[]}"#]) { client, clock in
            let job = try await client.files.moveJob([])
            #expect(job.id == nil)
            #expect(try await job.result().isEmpty)
            #expect(clock.sleeps.isEmpty)
        }
        let failed = #"{".tag":"failed","failed":{".tag":"too_many_files"}}"#
        try await jobs([#"{".tag":"async_job_id","async_job_id":"job"}"#, failed]) { client, _ in
            do throws(JobError) {
                _ = try await client.files.createFolderJob(["/a"]).result()
                Issue.record("a failed job has a result")
            } catch {
                guard case .failed("too_many_files") = error else { throw error }
            }
        }
    }

    // MARK: Foundation's values

    @Test("dates become timestamps and come back, also those out of range")
    func dates() {
        let date = Date(timeIntervalSince1970: 1_700_000_000.75)
        #expect(Timestamp(date).secondsSince1970 == 1_700_000_000)
        #expect(Timestamp(date).date == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(Timestamp(Date(timeIntervalSince1970: -0.5)).secondsSince1970 == -1)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) > Timestamp(.distantPast))
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) > Timestamp(date))
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)).secondsSince1970 == 0)
    }

    @Test("a date stands for a timestamp wherever a program gives one to the API")
    func datesOfArguments() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.75)
        let time = Timestamp(secondsSince1970: 1_700_000_000)
        let template = "ptid:1"
        let groups = [FileProperties.PropertyGroup(templateID: template, fields: [])]
        #expect(
            Files.CommitInfo(
                path: "/a", mode: .overwrite, autorename: true, clientModified: date, mute: true,
                propertyGroups: groups, strictConflict: true)
                == Files.CommitInfo(
                    path: "/a", mode: .overwrite, autorename: true, clientModified: time,
                    mute: true, propertyGroups: groups, strictConflict: true))
        let hash = ContentHasher.hash([1])
        let argument = Files.UploadArg(
            path: "/a", mode: .overwrite, autorename: true, clientModified: time, mute: true,
            propertyGroups: groups, strictConflict: true, contentHash: hash)
        #expect(
            Files.UploadArg(
                path: "/a", mode: .overwrite, autorename: true, clientModified: date, mute: true,
                propertyGroups: groups, strictConflict: true, contentHash: hash) == argument)
        #expect(
            Sharing.SharedLinkSettings(
                requirePassword: true, linkPassword: "p", expires: date, audience: .password,
                access: .viewer, requestedVisibility: .password, allowDownload: false)
                == Sharing.SharedLinkSettings(
                    requirePassword: true, linkPassword: "p", expires: time, audience: .password,
                    access: .viewer, requestedVisibility: .password, allowDownload: false))
        let server = try ScriptedServer(answers: [.json(Examples.file)])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        _ = try await client.files.upload(
            path: "/a", mode: .overwrite, autorename: true, clientModified: date, mute: true,
            propertyGroups: groups, strictConflict: true, contentHash: hash, body: BytesBody([1]))
        let sent = try #require(server.requests.first?.headers["dropbox-api-arg"])
        #expect(try JSONDecoder().decode(Files.UploadArg.self, from: Data(sent.utf8)) == argument)
        await client.shutDown()
    }

    @Test("a login goes by URLs from its page to its end, and asks for what its text would")
    func loginByURL() async throws {
        try await login { client, server in
            let redirect = try #require(URL(string: "https://app.example/back?x=1&y=a%20b"))
            let (page, pending) = try client.beginLogin(
                redirect: redirect, request: .init(scopes: ["files.content.read"]))
            #expect(page.absoluteString.hasPrefix("\(server.url)/oauth2/authorize?"))
            let asked = FormEncoding.fields(ofAddress: page.absoluteString)
            #expect(asked["redirect_uri"] == redirect.absoluteString)
            #expect(asked["state"] == pending.state)
            #expect(asked["scope"] == "files.content.read")
            let back = try #require(
                URL(string: "\(redirect.absoluteString)&state=\(pending.state)&code=c%2F1#top"))
            #expect(try await client.finishLogin(pending, returned: back).accessToken == "fresh")
            let sent = FormEncoding.fields(ofAddress: server.requests[0].text)
            #expect(sent["code"] == "c/1")
            #expect(sent["redirect_uri"] == redirect.absoluteString)

            let pkce = PKCE()
            #expect(
                try client.authorizationURL(
                    pkce: pkce, redirect: redirect, state: "s", scopes: ["a"],
                    includesGrantedScopes: true
                ).absoluteString
                    == client.authorizationURL(
                        pkce: pkce, redirect: redirect.absoluteString, state: "s", scopes: ["a"],
                        includesGrantedScopes: true))
            let request = LoginRequest(locale: "de", role: .work)
            #expect(
                try client.authorizationURL(request, pkce: pkce, redirect: redirect, state: "s")
                    .absoluteString
                    == client.authorizationURL(
                        request, pkce: pkce, redirect: redirect.absoluteString, state: "s"))
        }
    }

    @Test("a server whose address is not a URL is an error that has no secrets of the login")
    func loginWithoutURL() throws {
        let client = OAuthClient(
            app: AppCredentials(key: "key"),
            configuration: .init(hosts: try DropboxHosts(endpoint: "https://app.example:port")),
            transport: try TransportUnderTest())
        let redirect = try #require(URL(string: "https://app.example/back"))
        let error = #expect(throws: TransportError.self) {
            try client.beginLogin(redirect: redirect)
        }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message == "the address 'https://app.example:port' is not a URL")
    }
}
