// A login of another client on this machine that dbxfs goes on with, and why one cannot be used.
// `RcloneLogin` and `MaestralLogin` read them. Not responsible for trying it (`LoginCommand`).

package import DropboxAPI
import LocalIO
import SystemPackage

/// The refresh token of another client, and the app that it is for.
package struct TakenLogin: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The client's name, for messages.
    package var client: String
    /// The app of the token. Some apps renew their tokens with a secret.
    package var app: AppCredentials
    /// The refresh token, which must never be printed.
    package var refreshToken: String
    /// The address of the server that the token is for; nil for Dropbox.
    package var server: String?
    /// Whether the app is the user's own. Otherwise Dropbox shows dbxfs under the name of the other
    /// client.
    package var isOwnApp: Bool

    /// A text without the secrets.
    package var description: String { "<login of \(client)>" }
    /// A mirror without the secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Throws if the token is not for the server that mounts talk to: it must not get there.
    package func check(_ environment: Environment) throws(CommandError) {
        let own: String
        if let server {
            do throws(CommandError) {
                own = try Endpoint(parsing: server).server
            } catch {
                throw .notTaken(client, "its server \(server) is none that dbxfs can talk to")
            }
        } else {
            own = Endpoint.dropbox
        }
        guard own == environment.server else {
            throw .notTaken(client, "it is for \(own), and dbxfs talks to \(environment.server)")
        }
    }

    /// Most bytes that are read of another client's file.
    static let fileLimit = 1 << 20

    /// Whether a file is there to be read.
    static func isThere(_ path: String) -> Bool {
        do throws(Errno) {
            _ = try readText(path, limit: 1)
            return true
        } catch {
            return error != .noSuchFileOrDirectory && error != .notDirectory
        }
    }

    /// The text of another client's file.
    static func text(of path: String, _ client: String) throws(CommandError) -> String {
        do throws(Errno) {
            return try readText(path, limit: fileLimit)
        } catch {
            throw .notTaken(client, "\(path) cannot be read: \(error.description)")
        }
    }
}

extension CommandError {
    /// Why the login of another client cannot be used.
    static func notTaken(_ client: String, _ reason: String) -> CommandError {
        .loginFailed("the login of \(client) cannot be used: \(reason)")
    }
}
