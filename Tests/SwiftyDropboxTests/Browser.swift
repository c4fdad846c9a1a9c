// The user of a login: opens the emulator's page, allows the app, and says where that leads.

import DropboxAPI
import Foundation

/// The answer of the page to a user who allows the app, or who does not.
enum PageAnswer: Sendable {
    case code(String)
    case redirect(URL)
    case other(Int)
}

/// Opens a page and chooses the first account, or none.
func visit(_ page: URL, isAllowed: Bool = true) async throws -> PageAnswer {
    let transport = try CurlTransport()
    let form = try await transport.send(TransportRequest(method: .get, url: page.absoluteString))
    let html = String(decoding: try await form.body.collect(upTo: 1 << 20), as: UTF8.self)
    let account = html.split(separator: "value=\"").dropFirst().first.map {
        $0.prefix { $0 != "\"" }
    }
    let fields = isAllowed ? "account_id=\(account ?? "")" : ""
    let response = try await transport.send(
        TransportRequest(
            url: page.absoluteString,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: BytesBody(Array(fields.utf8))))
    let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
    await transport.shutDown()
    if let target = response.headers["Location"].flatMap({ URL(string: $0) }) {
        return .redirect(target)
    }
    guard let code = text.split(separator: "id=\"code\">").dropFirst().first else {
        return .other(response.status)
    }
    return .code(String(code.prefix { $0 != "<" }))
}

/// Follows an address, as a browser does; the status of the answer.
func follow(_ address: URL) async throws -> Int {
    let transport = try CurlTransport()
    let response = try await transport.send(
        TransportRequest(method: .get, url: address.absoluteString))
    _ = try await response.body.collect(upTo: 1 << 20)
    await transport.shutDown()
    return response.status
}
