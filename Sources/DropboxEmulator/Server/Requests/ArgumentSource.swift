// Finds the argument of a call in the place that the route's style prescribes, and enforces the
// service's content types.

import HTTPTypes
import Hummingbird

/// The argument of a call, and the name of its place in error messages.
struct ArgumentSource: Sendable {
    let place: String
    let value: JSONValue

    private static let jsonTypes = [
        "application/json", "application/json; charset=utf-8",
        "text/plain; charset=dropbox-cors-hack",
    ]
    private static let binaryTypes = [
        "application/octet-stream", "text/plain; charset=dropbox-cors-hack",
    ]

    /// Reads the argument of a call.
    ///
    /// - Parameter demandsASCII: whether the header may hold ASCII only.
    init(
        _ request: Request, style: RouteStyle, takesNothing: Bool = false,
        demandsASCII: Bool = false, body: IncomingBody
    ) async throws {
        switch style {
        case .rpc:
            self = try await Self.fromBody(request, takesNothing: takesNothing, body: body)
        case .upload:
            try Self.checkType(request, among: Self.binaryTypes, isRequired: true)
            self = try Self.fromHeader(request, demandsASCII: demandsASCII)
        case .download:
            try Self.checkType(
                request,
                among: ["text/plain", "text/plain; charset=utf-8"] + Self.binaryTypes,
                isRequired: false)
            self = try Self.fromHeader(request, demandsASCII: demandsASCII)
        }
    }

    /// Reads all fields of the argument; a fault gets the argument's place.
    func read<Value>(
        _ read: (inout ArgumentReader) throws(ArgumentError) -> Value
    ) throws(ArgumentError) -> Value {
        do throws(ArgumentError) {
            var reader = try ArgumentReader(value)
            let fields = try read(&reader)
            try reader.finish()
            return fields
        } catch {
            throw ArgumentReader.error(place, error.message)
        }
    }

    private init(place: String, text: [UInt8]) throws {
        self.place = place
        guard let value = try? JSONParser.parse(text) else {
            throw ArgumentError(message: "\(place): could not decode input as JSON")
        }
        self.value = value
    }

    private init(place: String, value: JSONValue) {
        self.place = place
        self.value = value
    }

    private static func fromBody(
        _ request: Request, takesNothing: Bool, body: IncomingBody
    ) async throws -> ArgumentSource {
        let bytes = try await body.collect()
        if takesNothing, bytes.isEmpty {
            return ArgumentSource(place: "request body", value: .null)
        }
        try checkType(request, among: jsonTypes, isRequired: true)
        let source = try ArgumentSource(place: "request body", text: bytes)
        guard !takesNothing || source.value == .null else {
            throw ArgumentReader.error(
                source.place, "expected null, got \(source.value.kind)")
        }
        return source
    }

    private static func fromHeader(
        _ request: Request, demandsASCII: Bool
    ) throws -> ArgumentSource {
        if let name = HTTPField.Name("Dropbox-API-Arg"), let text = request.headers[name] {
            let place = "HTTP header \"Dropbox-API-Arg\""
            guard !demandsASCII || text.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw ArgumentError(message: "\(place): could not decode input as JSON")
            }
            return try ArgumentSource(place: place, text: Array(text.utf8))
        }
        guard let text = request.formFields["arg"] else {
            throw ArgumentError(
                message: "Must provide HTTP header \"Dropbox-API-Arg\" or URL parameter \"arg\".")
        }
        return try ArgumentSource(place: "URL parameter \"arg\"", text: Array(text.utf8))
    }

    private static func checkType(
        _ request: Request, among types: [String], isRequired: Bool
    ) throws {
        let type = request.headers[.contentType] ?? ""
        if type.isEmpty, !isRequired || request.method == .get { return }
        let plain = type.lowercased().replacing("\"", with: "").replacing(
            ";charset", with: "; charset")
        guard !types.contains(plain) else { return }
        let expected = types.map { "\"\($0)\"" }.joined(separator: ", ")
        throw ArgumentError(
            message: "Bad HTTP \"Content-Type\" header: \"\(type)\".  Expecting one of \(expected)."
        )
    }
}
