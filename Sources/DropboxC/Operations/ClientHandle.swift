// BorderSettings and clients as C holds them.

import DropboxAPI
import Logging
import Synchronization

/// BorderSettings of clients and logins.
struct BorderSettings {
    var configuration = DropboxConfiguration()
    var appKey: String?
    var appSecret: String?

    /// The app. Throws without a key.
    func app() throws(BorderError) -> AppCredentials {
        guard let appKey else { throw .argument("DROPBOX_APP_KEY is not set") }
        return AppCredentials(key: appKey, secret: appSecret)
    }

    /// A client of the token endpoint.
    func oauth(
        app: AppCredentials, over transport: CurlTransport
    ) -> OAuthClient {
        OAuthClient(
            app: app, configuration: configuration, transport: transport, logger: .silent)
    }

    /// Makes connections of its own.
    func transport() throws(BorderError) -> CurlTransport {
        do throws(TransportError) {
            return try CurlTransport(configuration: configuration.transport, logger: .silent)
        } catch {
            throw BorderError(error)
        }
    }
}

extension Logger {
    /// A library does not write to its program's terminal: all that it has to say is in results and
    /// errors.
    static var silent: Logger { Logger(label: "dropbox") { _ in SwiftLogNoOpLogHandler() } }
}

/// The object behind a `dropbox_config` of dropbox.h.
final class ConfigHandle: Sendable {
    private let settings = Mutex(BorderSettings())

    /// The settings of a pointer; the defaults for NULL.
    static func settings(of pointer: OpaquePointer?) throws(BorderError) -> BorderSettings {
        guard pointer != nil else { return BorderSettings() }
        return try Handle.required(pointer, "dropbox_config", ConfigHandle.self)
            .settings.withLock { $0 }
    }

    /// Changes the settings, unless the change throws.
    func change(
        _ body: (inout BorderSettings) throws(BorderError) -> Void
    ) throws(BorderError) {
        var copy = settings.withLock { $0 }
        try body(&copy)
        let changed = copy
        settings.withLock { $0 = changed }
    }
}

/// The object behind a `dropbox_client` of dropbox.h.
final class ClientHandle: Sendable {
    let client: DropboxClient
    /// The connections, which several clients may share.
    private let transport: CurlTransport

    init(_ client: DropboxClient, over transport: CurlTransport) {
        self.client = client
        self.transport = transport
    }

    /// A client by tokens.
    convenience init(
        _ settings: BorderSettings, _ tokens: any AccessTokenProvider, over transport: CurlTransport
    ) {
        self.init(
            DropboxClient(
                configuration: settings.configuration, tokens: tokens, transport: transport,
                logger: .silent), over: transport)
    }

    /// The client of a pointer that must not be NULL.
    static func required(_ pointer: OpaquePointer?) throws(BorderError) -> ClientHandle {
        try Handle.required(pointer, "dropbox_client")
    }

    /// Another view of the same account, over the same connections.
    func derived(_ client: DropboxClient) -> ClientHandle {
        ClientHandle(client, over: transport)
    }

    /// Ends all operations, and returns when the connections are closed.
    func shutDown() async {
        await client.shutDown()
        await transport.shutDown()
    }
}
