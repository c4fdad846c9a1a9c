// Handlers of a web server's routes, and errors in closures:   route-handlers show|delete PATH
// Vapor, Hummingbird and others take closures like these. In a closure of several statements, `do`
// has to say which error it throws; in a function it need not. A web framework is left out, because
// nothing here depends on one.

import Account
import DropboxAPI
import Foundation

/// An answer of the server.
struct Answer: Sendable {
    var status: Int
    var text: String
}

typealias Handler = @Sendable (_ path: String) async throws -> Answer

@main
struct RouteHandlers {
    static func main() async throws {
        let name = try argument(1, "route-handlers show|delete PATH")
        let path = try argument(2, "route-handlers show|delete PATH")
        // A client that waits for nothing as long as a user at a browser would not.
        let client = try accountFromEnvironment { configuration in
            configuration.callLimit = .seconds(20)
            configuration.retryPolicy.maxThrottles = 0
        }
        guard let handler = handlers(client)[name] else { throw Usage("show or delete") }
        let answer = await handled(by: handler, path)
        print("\(answer.status) \(answer.text)")
        await client.shutDown()
    }

    private static func handlers(_ client: DropboxClient) -> [String: Handler] {
        [
            "show": { path in
                let entry = try await client.files.getMetadata(path: path)
                return Answer(status: 200, text: entry.name)
            },
            "delete": { path in
                // With its own answer to one of the route's errors; all others are the
                // middleware's.
                do throws(CallError<Files.DeleteError>) {
                    return Answer(
                        status: 200,
                        text: "deleted "
                            + (try await client.files.deleteV2(path: path)).metadata.name)
                } catch {
                    guard case .route(.pathLookup(.notFound), _) = error.kind else { throw error }
                    return Answer(status: 204, text: "it was gone already")
                }
            },
        ]
    }

    /// The middleware: every error of the library becomes a status and a sentence for the user.
    private static func handled(by handler: Handler, _ path: String) async -> Answer {
        do {
            return try await handler(path)
        } catch let error as any DropboxError {
            let status =
                switch error.failedCall?.kind {
                case .route, .badInput: 409
                case .auth, .access, .token: 403
                case .rateLimited: 503
                default: 502
                }
            return Answer(status: status, text: error.localizedDescription)
        } catch {
            return Answer(status: 500, text: "\(error)")
        }
    }
}
