// The page for access: what an app may be granted of the scopes that it asks for.

import Foundation
import FoundationNetworking
import Testing

@testable import DropboxEmulator

@Suite("Authorization")
struct AuthorizationTests {
    /// A user's answer on the page, and the scopes of the login that follows; nil if it shows no
    /// code.
    private func granted(
        _ client: EmulatorClient, _ asked: String?
    ) async throws -> (status: Int, text: String, scopes: [Substring]?) {
        let query = "client_id=app&response_type=code" + (asked.map { "&scope=\($0)" } ?? "")
        let account = try #require(client.emulator.emulator.accounts.accounts.first?.id)
        let (status, text) = try await post(
            client, "oauth2/authorize?\(query)", "account_id=\(account)")
        guard let code = text.firstMatch(of: /id="code">([^<]*)</)?.1 else {
            return (status, text, nil)
        }
        let (_, body) = try await post(
            client, "oauth2/token", "grant_type=authorization_code&code=\(code)&client_id=app")
        let scope = try JSONParser.parse(body.utf8)["scope"]?.string
        return (status, text, scope?.split(separator: " "))
    }

    private func post(
        _ client: EmulatorClient, _ path: String, _ body: String
    ) async throws -> (Int, String) {
        var request = URLRequest(
            url: try #require(URL(string: "\(client.emulator.baseURL)/\(path)")))
        request.httpMethod = "POST"
        request.setValue(
            "application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return (
            try #require(response as? HTTPURLResponse).statusCode,
            String(decoding: data, as: UTF8.self)
        )
    }

    @Test("a grant has the scopes that are asked for, as far as the app has them")
    func scopes() async throws {
        try await withEmulator { client in
            #expect(try await granted(client, "a.read+b.write").scopes == ["a.read", "b.write"])
            try client.emulator.updateSettings(["app_scopes": ["a.read"]])
            #expect(try await granted(client, "a.read+b.write").scopes == ["a.read"])
            #expect(try await granted(client, nil).scopes == ["a.read"])
            let none = try await granted(client, "b.write")
            #expect(none.status == 400 && none.text.contains("No scope requested can be granted"))
            try client.emulator.updateSettings(["app_scopes": .null])
            #expect(try await granted(client, "b.write").scopes == ["b.write"])
        }
    }

    @Test("if it is told so, one scope that the app lacks is an error, on the page or at the app")
    func refusal() async throws {
        try await withEmulator { client in
            try client.emulator.updateSettings([
                "app_scopes": ["a.read"], "refuse_scopes": true,
            ])
            let answer = try await granted(client, "a.read+b.write")
            #expect(answer.status == 400 && answer.text.contains("b.write"))
            #expect(try await granted(client, "a.read").scopes == ["a.read"])
            // A client would follow the redirect.
            let port = try #require(URL(string: client.emulator.baseURL)?.port)
            let page = try await RawSocket.exchange(
                "GET /oauth2/authorize?client_id=app&response_type=code&scope=b.write&state=s"
                    + "&redirect_uri=http://localhost:1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    + "Connection: close\r\n\r\n", port: UInt16(port))
            #expect(page.hasPrefix("HTTP/1.1 302 "), "\(page)")
            let place =
                page.split(separator: "\r\n").first {
                    $0.lowercased().hasPrefix("location: http://localhost:1/?")
                } ?? ""
            #expect(place.contains("error=invalid_scope") && place.contains("state=s"))
        }
    }
}
