// `check/app`, which authenticates an app.

import Foundation
import HTTPTypes
import Hummingbird

/// Authenticates apps. The emulator accepts any key with any secret.
enum AppCheck {
    /// Responds with the query.
    static func respond(to request: Request, body: IncomingBody) async throws -> RouteResponse {
        guard let header = request.headers[.authorization], header.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(header.dropFirst(6))),
            String(decoding: data, as: UTF8.self).contains(":")
        else {
            throw ArgumentError(
                message: "Invalid authorization value in HTTP header \"Authorization\".  "
                    + "Expecting \"Basic <app-key:app-secret>\".")
        }
        let source = try await ArgumentSource(request, style: .rpc, body: body)
        return .json(["result": .string(try source.read(Routes.query))])
    }
}
