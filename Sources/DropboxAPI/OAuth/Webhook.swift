// Dropbox's notifications to a server: the question whether an address is the app's, and the proof
// that a notification is Dropbox's. Not responsible for the changes themselves: a notification
// names accounts, and listings have the rest. https://www.dropbox.com/developers/reference/webhooks

import ContentHashing
public import Essentials

/// A notification: these accounts have changes.
public struct WebhookNotification: Hashable, Sendable, Decodable {
    /// The accounts with changes in files, by their ids `dbid:…`.
    public let accounts: [String]
    /// The whole notification as Dropbox sent it, JSON with kinds that this version does not know;
    /// empty if it was decoded by itself.
    public internal(set) var payload = Data()

    private enum Key: String, CodingKey {
        case listFolder = "list_folder"
        case accounts
    }

    /// Reads the body of a notification; kinds that it does not know are ignored.
    public init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: Key.self)
        guard body.contains(.listFolder) else {
            accounts = []
            return
        }
        let changes = try body.nestedContainer(keyedBy: Key.self, forKey: .listFolder)
        accounts = try changes.decodeIfPresent([String].self, forKey: .accounts) ?? []
    }
}

/// Why a request is not a notification of Dropbox.
@nonexhaustive public enum WebhookError: Error, Hashable, Sendable {
    /// The app's credentials have no secret, so nothing can be proved.
    case noSecret
    /// The signature is missing, or is not that of this body. Answer with status 403.
    case notSigned
    /// The body is signed, but is not a notification.
    case malformed(String)
}

extension WebhookError: DropboxError {
    /// One line: what happened, and what to do.
    public var summary: String {
        switch self {
        case .noSecret: "the app's secret is not configured"
        case .notSigned: "the request is not signed by Dropbox"
        case .malformed(let text): "the notification cannot be read: \(text)"
        }
    }
}

/// The address of an app that Dropbox notifies.
///
///     // GET: text/plain, with X-Content-Type-Options: nosniff
///     return webhook.challenge(inQuery: request.query)
///     // POST: answer at once, and list what changed afterwards
///     let changed = try webhook.notification(body, signature: request.headers["X-Dropbox-Signature"])
public struct Webhook: Sendable {
    private let app: AppCredentials

    /// The app whose secret signs the notifications.
    public init(app: AppCredentials) {
        self.app = app
    }

    /// The text to answer a GET request with, which asks whether the address is the app's; nil if
    /// it asks for nothing.
    public func challenge(inQuery query: String) -> String? {
        FormEncoding.fields(ofAddress: query)["challenge"]
    }

    /// The notification in a POST request. Throws `notSigned` unless the signature is Dropbox's for
    /// this body.
    ///
    /// The signature is compared in the same time wherever it differs.
    public func notification(
        _ body: [UInt8], signature: String?
    ) throws(WebhookError) -> WebhookNotification {
        guard let secret = app.secret, !secret.isEmpty else { throw .noSecret }
        let code = SHA256.authenticationCode(of: body, key: Array(secret.utf8))
        // Both are 32 bytes, and every byte is looked at.
        guard let signature, let claimed = ContentHash(hex: signature),
            zip(claimed.bytes, code).reduce(0 as UInt8, { $0 | ($1.0 ^ $1.1) }) == 0
        else { throw .notSigned }
        do {
            var notification = try JSON.decode(WebhookNotification.self, from: body)
            notification.payload = Data(body)
            return notification
        } catch {
            throw .malformed(error.message)
        }
    }
}
