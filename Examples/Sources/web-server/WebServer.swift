// A web server over its users' Dropboxes, with Hummingbird:   web-server PORT FOLDER
// A login in the browser, files up and down as streams, and Dropbox's notifications.
// DROPBOX_APP_KEY and DROPBOX_APP_SECRET name the app; FOLDER keeps the logins. Sessions are in
// memory: a real server has them elsewhere.

// [step 6]
import DropboxAPI
import DropboxLifecycle
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

// [step 7]
struct Usage: Error, CustomStringConvertible {
    let description = "usage: DROPBOX_APP_KEY=… DROPBOX_APP_SECRET=… web-server PORT FOLDER"
}

@main
// [step 6]
struct WebServer {
    // [step 7]
    static func main() async throws {
        let arguments = CommandLine.arguments
        let environment = ProcessInfo.processInfo.environment
        guard arguments.count == 3, let port = Int(arguments[1]),
            let key = environment["DROPBOX_APP_KEY"], let secret = environment["DROPBOX_APP_SECRET"]
        else { throw Usage() }

        var configuration = DropboxConfiguration(
            userAgent: "examples/1.0",
            // A user at a browser does not wait longer.
            callLimit: .seconds(20))
        configuration.retryPolicy.maxThrottles = 0
        if let endpoint = environment["DROPBOX_ENDPOINT"] {
            configuration.hosts = try DropboxHosts(endpoint: endpoint)
        }
        // All users' clients share its connections.
        let transport = try CurlTransport(configuration: configuration.transport)
        let users = Users(
            app: AppCredentials(key: key, secret: secret), configuration: configuration,
            transport: transport, logins: FolderTokenStore(folder: arguments[2]),
            address: "http://127.0.0.1:\(port)/back")

        let router = Router()
        router.add(middleware: Failures())
        addLogin(to: router, users)
        // [step 8]
        addFiles(to: router, users)
        // [step 10]
        addNotifications(to: router, Webhook(app: users.app))
        // [step 7]
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            services: [DropboxService { await transport.shutDown() }],
            onServerRunning: { _ in print("listening") })
        try await server.runService()
    }

    // [step 6]
    private static func addLogin(to router: Router<BasicRequestContext>, _ users: Users) {
        router.get("login") { _, _ in
            let (page, cookie) = users.beginLogin()
            var response = Response.redirect(to: page)
            response.setCookie(
                Cookie(name: "session", value: cookie, path: "/", httpOnly: true, sameSite: .lax))
            return response
        }
        router.get("back") { request, _ in
            let account = try await users.finishLogin(
                session: request.cookies["session"]?.value, query: request.uri.query ?? "")
            return "logged in as \(account)"
        }
    }

    // [step 8]
    private static func addFiles(to router: Router<BasicRequestContext>, _ users: Users) {
        router.put("files/**") { request, context in
            let client = try users.client(request)
            let path = "/" + context.parameters.getCatchAll().joined(separator: "/")
            // Of any length, and never in memory as a whole.
            let file = try await client.files.upload(
                request.body.map { Array(buffer: $0) }, to: path, mode: .overwrite)
            return "\(file.name) \(file.size)"
        }
        // [step 9]
        router.get("files/**") { request, context in
            let client = try users.client(request)
            let path = "/" + context.parameters.getCatchAll().joined(separator: "/")
            // A lost connection to Dropbox is no end: the content goes on where it was lost.
            let content = try await client.files.content(of: path)
            return Response(
                status: .ok, headers: [.eTag: "\"\(content.metadata.rev)\""],
                body: .init(contentLength: Int(clamping: content.metadata.size)) { writer in
                    for try await chunk in content {
                        try await writer.write(ByteBuffer(bytes: chunk))
                    }
                    try await writer.finish(nil)
                })
        }
    }

    // [step 10]
    private static func addNotifications(
        to router: Router<BasicRequestContext>, _ webhook: Webhook
    ) {
        router.get("webhook") { request, _ in
            guard let challenge = webhook.challenge(inQuery: request.uri.query ?? "") else {
                throw HTTPError(.badRequest)
            }
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain", .xContentTypeOptions: "nosniff"],
                body: .init(byteBuffer: ByteBuffer(string: challenge)))
        }
        // [step 11]
        router.post("webhook") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            let signature = HTTPField.Name("X-Dropbox-Signature").flatMap { request.headers[$0] }
            let changed = try webhook.notification(Array(buffer: body), signature: signature)
            // Dropbox waits ten seconds for the answer; the work is done after it.
            for account in changed.accounts { print("changes in \(account)") }
            return HTTPResponse.Status.ok
        }
    }
}
