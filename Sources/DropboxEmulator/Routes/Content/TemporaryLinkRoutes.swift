// Serves temporary links, which need no token.

import HTTPTypes
import Hummingbird

/// The URLs that `files/get_temporary_link` returns.
enum TemporaryLinkRoutes {
    static let prefix = "/cd/0/get/"

    /// Sends the content behind a link; 410 once it has expired.
    static func respond(to request: Request, emulator: Emulator) async throws -> RouteResponse {
        let secret = request.uri.path.dropFirst(prefix.count).prefix { $0 != "/" }
        guard let link = emulator.temporaryLinks.link(String(secret)) else {
            throw RouteFailure.plain(404, "Not found")
        }
        guard APITime.now() <= link.expiresAt else { throw RouteFailure.plain(410, "Gone") }
        return try await ContentResponse(
            space: link.space, content: link.content, range: request.headers[.range],
            knownTag: request.headers[.ifNoneMatch]
        ).response()
    }
}
