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
    let argument: ArgumentSource
    let body: IncomingBody
    let headers: HTTPFields
    /// The host by which the client reached the server, for links.
    let host: String

    /// Reads the argument of the route.
    func arguments<Value>(
        _ read: (inout ArgumentReader) throws(ArgumentError) -> Value
    ) throws(ArgumentError) -> Value {
        try argument.read(read)
    }

    /// Applies an operation unless a fault or a setting forbids it.
    func apply<Value: Sendable>(
        _ operation: Operation, _ result: (SpaceState, NodeID?) -> Value
    ) throws -> Value {
        try OperationRefusals.check(operation)
        return try space.apply(operation, result)
    }

    /// Applies an operation likewise and discards its result.
    func apply(_ operation: Operation) throws {
        try apply(operation) { _, _ in }
    }

    /// A header of the request.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }
}
