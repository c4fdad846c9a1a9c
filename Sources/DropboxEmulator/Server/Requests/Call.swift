// One call of an API function: account, argument and body.

import HTTPTypes
import Hummingbird

/// Everything that a route needs for its response.
struct Call: Sendable {
    let emulator: Emulator
    /// The function's name, as in `files/upload`.
    let function: String
    let account: Account
    let space: Space
    /// The folder that paths start from.
    let base: NodeID
    let token: String
    let argument: JSONValue
    /// The argument's place, as error messages call it.
    let place: String
    let body: IncomingBody
    let headers: HTTPFields
    /// The host by which the client reached the server, for links.
    let host: String

    /// Reads the argument of the route.
    func arguments<Value>(
        _ read: (inout ArgumentReader) throws(ArgumentError) -> Value
    ) throws(ArgumentError) -> Value {
        do throws(ArgumentError) {
            var reader = try ArgumentReader(argument)
            let value = try read(&reader)
            try reader.finish()
            return value
        } catch {
            throw ArgumentError(message: "\(place): \(error.message)")
        }
    }

    /// Applies an operation unless a fault or a setting forbids it.
    func apply<Value: Sendable>(
        _ operation: Operation, _ result: (SpaceState, NodeID?) -> Value
    ) throws -> Value {
        try OperationRefusals.check(operation)
        return try space.apply(operation, result)
    }

    /// A header of the request.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }
}

/// How the argument and the content of a route travel.
enum RouteStyle: Sendable {
    /// Argument and result are JSON bodies.
    case rpc
    /// The argument is a header, the content the body.
    case upload
    /// The argument is a header, the result one too, the content the body.
    case download
}

/// A function of the API.
struct Route: Sendable {
    let style: RouteStyle
    /// The scope that a token needs; nil for none.
    let scope: String?
    /// Whether the function takes no argument: null is all that may be sent.
    let takesNothing: Bool
    let handler: @Sendable (Call) async throws -> Reply

    init(
        _ style: RouteStyle = .rpc, scope: String?, takesNothing: Bool = false,
        _ handler: @escaping @Sendable (Call) async throws -> Reply
    ) {
        self.style = style
        self.scope = scope
        self.takesNothing = takesNothing
        self.handler = handler
    }
}
