// `check/app`, which authenticates an app.

import Foundation
import HTTPTypes
import Hummingbird

/// Authenticates apps. The emulator accepts any key with any secret.
enum AppCheck {
    static let function = "check/app"

    /// Responds with the query.
    static func respond(to request: Request, body: IncomingBody) async throws -> Reply {
        guard let header = request.headers[.authorization], header.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(header.dropFirst(6))),
            String(decoding: data, as: UTF8.self).contains(":")
        else {
            throw RouteFailure.badInput(
                "Error in call to API function \"\(function)\": Invalid authorization value in HTTP "
                    + "header \"Authorization\".  Expecting \"Basic <app-key:app-secret>\".")
        }
        let source = try await ArgumentSource(
            request, style: .rpc, body: body)
        do throws(ArgumentError) {
            var reader = try ArgumentReader(source.value)
            let query = try Routes.query(&reader)
            try reader.finish()
            return .json(["result": .string(query)])
        } catch {
            throw ArgumentError(message: "\(source.place): \(error.message)")
        }
    }
}
