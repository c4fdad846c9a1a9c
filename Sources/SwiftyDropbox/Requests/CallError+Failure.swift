// From what became of a request to its error: the status of the answer decides, as for programs on
// Apple's systems.

import Foundation

/// The end of a request.
enum RequestResult: Sendable {
    case success(RequestReply)
    case failure(RequestFailure)
}

/// A successful answer: the result's JSON, and content.
struct RequestReply: Sendable {
    var result: [UInt8]
    var content = ReplyContent.none
}

/// The content of a download.
enum ReplyContent: Sendable {
    case none
    case data(Data)
    /// A temporary file, to be moved or removed.
    case file(URL)
}

/// Why a request failed.
enum RequestFailure: Error {
    /// The server said no.
    case answer(FailedAnswer)
    /// The answer is not what it should be.
    case serialization(any Error)
    case client(ClientError)
}

/// The answer of a server that refuses a request.
struct FailedAnswer: Sendable {
    var status: Int
    /// The body, or its beginning.
    var body = ""
    var requestID: String?
    /// The error in the body; nil where it has to be read from there.
    var error: JSON?
    var retryAfter: UInt64?
}

extension CallError {
    /// The error of a request, with the type of the route's own one.
    init<ESerial: JSONSerializer>(
        _ failure: RequestFailure, _ errorSerializer: ESerial
    ) where ESerial.ValueType == EType {
        switch failure {
        case .client(let error): self = .clientError(error)
        case .serialization(let error): self = .serializationError(error)
        case .answer(let answer):
            do {
                self = try Self.error(answer, errorSerializer)
            } catch {
                self = .serializationError(error)
            }
        }
    }

    private static func error<ESerial: JSONSerializer>(
        _ answer: FailedAnswer, _ errorSerializer: ESerial
    ) throws -> CallError where ESerial.ValueType == EType {
        let id = answer.requestID
        switch answer.status {
        case 500...599: return .internalServerError(answer.status, answer.body, id)
        case 400: return .badInputError(answer.body, id)
        case 401:
            let envelope = try ErrorEnvelope(answer)
            let error = try Auth.AuthErrorSerializer().deserialize(envelope.error)
            return .authError(error, envelope.userMessage, envelope.summary, id)
        case 403:
            let envelope = try ErrorEnvelope(answer)
            let error = try Auth.AccessErrorSerializer().deserialize(envelope.error)
            return .accessError(error, envelope.userMessage, envelope.summary, id)
        case 409:
            let envelope = try ErrorEnvelope(answer)
            let error = try errorSerializer.deserialize(envelope.error)
            return .routeError(Box(error), envelope.userMessage, envelope.summary, id)
        case 429: return rateLimit(answer)
        default: return .httpError(answer.status, answer.body, id)
        }
    }

    /// A limit is often said in plain text, or only by the header: it is the same error.
    private static func rateLimit(_ answer: FailedAnswer) -> CallError {
        if let envelope = try? ErrorEnvelope(answer),
            let error = try? Auth.RateLimitErrorSerializer().deserialize(envelope.error)
        {
            return .rateLimitError(error, envelope.userMessage, envelope.summary, answer.requestID)
        }
        let error = Auth.RateLimitError(
            reason: .tooManyRequests, retryAfter: answer.retryAfter ?? 1)
        return .rateLimitError(error, nil, nil, answer.requestID)
    }
}

/// The JSON around an error.
private struct ErrorEnvelope {
    let error: JSON
    let summary: String
    let userMessage: LocalizedUserMessage

    init(_ answer: FailedAnswer) throws {
        let document = (try? JSONSyntax.document(of: Array(answer.body.utf8))) ?? .null
        guard let error = answer.error ?? document.members?["error"] else {
            throw DeserializationError(type: "error", reason: "the answer has none")
        }
        self.error = error
        summary = document.members?["error_summary"]?.text ?? ""
        let message = document.members?["user_message"]
        userMessage = LocalizedUserMessage(
            text: message?.members?["text"]?.text ?? message?.text ?? "",
            locale: message?.members?["locale"]?.text ?? "")
    }
}
