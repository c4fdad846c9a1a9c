// From the errors of DropboxAPI to those of requests: what Apple's network library reports for the
// same fault.

import DropboxAPI
import Foundation
import Saturating

/// The error of any route, as it stands in the answer.
struct AnyRouteError: RouteError {
    let text: String

    init(from decoder: any Decoder) throws {
        text = JSONSyntax.text(of: try DecodedJSON(from: decoder).json)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A document of any form, for decoders.
private struct DecodedJSON: Decodable {
    let json: JSON

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            json = .null
        } else if let truth = try? container.decode(Bool.self) {
            json = .bool(truth)
        } else if let number = try? container.decode(Int64.self) {
            json = .number(NSNumber(value: number))
        } else if let number = try? container.decode(UInt64.self) {
            json = .number(NSNumber(value: number))
        } else if let number = try? container.decode(Double.self) {
            json = .number(NSNumber(value: number))
        } else if let text = try? container.decode(String.self) {
            json = .str(text)
        } else if let elements = try? container.decode([DecodedJSON].self) {
            json = .array(elements.map(\.json))
        } else {
            json = .dictionary(try container.decode([String: DecodedJSON].self).mapValues(\.json))
        }
    }
}

extension RequestFailure {
    init(_ error: DropboxAPI.CallError<AnyRouteError>) {
        switch error.kind {
        case .transport(let failure): self = .client(failure.clientError)
        case .cancelled: self = .client(.urlSessionError(URLError(.cancelled)))
        case .token(let failure): self = .client(.oauthError(OAuth2Error(failure)))
        case .response(.missingResult):
            self = .serialization(SwiftyDropbox.SerializationError.missingResultHeader)
        case .response(let fault): self = .client(.other(UnfitContent(description: "\(fault)")))
        case .serialization(let message):
            self = .serialization(DeserializationError(type: "result", reason: message))
        case .rateLimited(_, let wait) where error.context.status != 429:
            // The server asked another request to wait, and this one was not sent.
            self = .answer(
                FailedAnswer(
                    status: 429, requestID: error.context.requestID,
                    retryAfter: wait.map(\.wholeSeconds)))
        default:
            guard let status = error.context.status else {
                self = .client(.other(UnfitContent(description: error.summary)))
                return
            }
            self = .answer(FailedAnswer(error, status: status))
        }
    }
}

extension FailedAnswer {
    fileprivate init(_ error: DropboxAPI.CallError<AnyRouteError>, status: Int) {
        self.init(
            status: status, body: error.context.answer?.body ?? "",
            requestID: error.context.requestID)
        switch error.kind {
        case .route(let failure, _):
            self.error = try? JSONSyntax.document(of: Array(failure.text.utf8))
        case .rateLimited(_, let wait):
            retryAfter = wait.map(\.wholeSeconds)
        default: break
        }
    }
}

/// Content or a request that cannot be right.
struct UnfitContent: Error, CustomStringConvertible {
    let description: String
}

extension TransportError {
    /// The failure as an error of Apple's network library.
    var clientError: ClientError {
        let code: URLError.Code =
            switch kind {
            case .nameResolution: .cannotFindHost
            case .connect: .cannotConnectToHost
            case .certificate: .serverCertificateUntrusted
            case .tls: .secureConnectionFailed
            case .reset, .bodyCutShort: .networkConnectionLost
            case .timedOut: .timedOut
            case .tooLarge: .dataLengthExceedsMaximum
            case .malformedResponse: .badServerResponse
            case .bodySource: .requestBodyStreamExhausted
            case .invalidRequest: .badURL
            case .cancelled, .shutDown: .cancelled
            case .other: .unknown
            }
        return .urlSessionError(URLError(code, userInfo: [NSLocalizedDescriptionKey: message]))
    }
}

extension Duration {
    /// Rounded up: after so many seconds the time is over.
    fileprivate var wholeSeconds: UInt64 {
        let (seconds, rest) = components
        return UInt64(clamping: seconds) +| (rest > 0 ? 1 : 0)
    }
}
