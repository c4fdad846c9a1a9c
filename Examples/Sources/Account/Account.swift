// Whose account the examples use: a token of the environment, on Dropbox or on a server of your
// own.

import DropboxAPI
import Foundation

/// A client for the token in `DROPBOX_TOKEN`, on the server `DROPBOX_ENDPOINT` if that is set.
public func accountFromEnvironment(
    observers: [any DropboxObserver] = [],
    change: (inout DropboxConfiguration) -> Void = { _ in }
) throws -> DropboxClient {
    let environment = ProcessInfo.processInfo.environment
    guard let token = environment["DROPBOX_TOKEN"] else {
        throw Usage("set DROPBOX_TOKEN to an access token")
    }
    var configuration = DropboxConfiguration(userAgent: "examples/1.0", observers: observers)
    if let endpoint = environment["DROPBOX_ENDPOINT"] {
        configuration.hosts = try DropboxHosts(endpoint: endpoint)
    }
    change(&configuration)
    return try DropboxClient(configuration: configuration, accessToken: token)
}

/// The program's argument at a position, from 1 on.
public func argument(_ position: Int, _ usage: String) throws -> String {
    guard CommandLine.arguments.count > position else { throw Usage("usage: \(usage)") }
    return CommandLine.arguments[position]
}

/// What the user has to do differently.
public struct Usage: Error, CustomStringConvertible {
    /// What to do, in one line.
    public let description: String

    /// Takes over the line.
    public init(_ description: String) {
        self.description = description
    }
}
