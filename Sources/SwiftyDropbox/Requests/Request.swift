// Requests as an app sees them: handlers, progress and cancelling. A request starts when it gets
// the handler of its response, or when the app has let go of it; until then it can be given a
// string and a time.

import Dispatch
public import Foundation

/// The content of an upload.
public enum UploadBody {
    /// The content is bytes in memory.
    case data(Data)
    /// The content is a file of this machine.
    case file(URL)
    /// A stream, which is read to its end into a temporary file first: a request has to know its
    /// length.
    case stream(InputStream)
}

// Sendable: its fields are constants, and each is Sendable.
/// A request, with the functions that all kinds have.
public class Request<RSerial: JSONSerializer, ESerial: JSONSerializer>: @unchecked Sendable {
    let responseSerializer: RSerial
    let errorSerializer: ESerial
    let work: RequestWork

    init(_ work: RequestWork, _ responseSerializer: RSerial, _ errorSerializer: ESerial) {
        self.work = work
        self.responseSerializer = responseSerializer
        self.errorSerializer = errorSerializer
    }

    deinit {
        work.start()
    }

    /// The app's own string, from ``persistingString(string:)``.
    public var clientPersistedString: String? { work.clientString }

    /// The earliest time at which it may start, from ``settingEarliestBeginDate(date:)``.
    public var earliestBeginDate: Date? { work.earliestStart }

    /// Keeps a string of the app with the request.
    @discardableResult
    public func persistingString(string: String?) -> Self {
        work.clientString = string
        return self
    }

    /// Has the request wait until a time.
    @discardableResult
    public func settingEarliestBeginDate(date: Date?) -> Self {
        work.earliestStart = date
        return self
    }

    /// Ends the request: its handler is called with `URLError.cancelled`.
    public func cancel() {
        work.cancel()
    }

    func addProgress(_ handler: @escaping (Progress) -> Void) {
        work.setProgress(RequestProgress(call: handler))
    }

    /// Has a handler called with what `read` makes of the answer.
    func complete<Value>(
        on queue: DispatchQueue?,
        with handler: @escaping (Value?, CallError<ESerial.ValueType>?) -> Void,
        read: @escaping @Sendable (RequestReply) throws -> Value
    ) {
        let errorSerializer = errorSerializer
        work.setCompletion(
            RequestCompletion(queue: queue) { result in
                let outcome: Result<Value, CallError<ESerial.ValueType>>
                switch result {
                case .success(let reply):
                    do {
                        outcome = .success(try read(reply))
                    } catch let error as ClientError {
                        outcome = .failure(.clientError(error))
                    } catch {
                        outcome = .failure(.serializationError(error))
                    }
                case .failure(let failure):
                    outcome = .failure(CallError(failure, errorSerializer))
                }
                switch outcome {
                case .success(let value): return { handler(value, nil) }
                case .failure(let error):
                    GlobalErrorResponseHandler.shared.reportGlobalError(error.typeErased)
                    return { handler(nil, error) }
                }
            })
    }
}

/// A request whose argument and result are JSON.
public final class RpcRequest<RSerial: JSONSerializer, ESerial: JSONSerializer>:
    Request<RSerial, ESerial>, @unchecked Sendable
{
    /// Has a handler called with the result or the error; on the main queue, unless another is
    /// given.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping (RSerial.ValueType?, CallError<ESerial.ValueType>?) -> Void
    ) -> Self {
        let serializer = responseSerializer
        complete(on: queue, with: completionHandler) { reply in
            try serializer.deserialize(try JSONSyntax.document(of: reply.result))
        }
        return self
    }
}

/// A request that sends content.
public final class UploadRequest<RSerial: JSONSerializer, ESerial: JSONSerializer>:
    Request<RSerial, ESerial>, @unchecked Sendable
{
    /// Has a handler called as content goes up; on the queue of the response.
    @discardableResult
    public func progress(_ progressHandler: @escaping (Progress) -> Void) -> Self {
        addProgress(progressHandler)
        return self
    }

    /// Has a handler called with the result or the error; on the main queue, unless another is
    /// given.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping (RSerial.ValueType?, CallError<ESerial.ValueType>?) -> Void
    ) -> Self {
        let serializer = responseSerializer
        complete(on: queue, with: completionHandler) { reply in
            try serializer.deserialize(try JSONSyntax.document(of: reply.result))
        }
        return self
    }
}

/// A request that downloads into a file.
public final class DownloadRequestFile<RSerial: JSONSerializer, ESerial: JSONSerializer>:
    Request<RSerial, ESerial>, @unchecked Sendable
{
    private let destination: DownloadDestination

    init(
        _ work: RequestWork, _ responseSerializer: RSerial, _ errorSerializer: ESerial,
        to destination: DownloadDestination
    ) {
        self.destination = destination
        super.init(work, responseSerializer, errorSerializer)
    }

    /// Has a handler called as content comes down; on the queue of the response.
    @discardableResult
    public func progress(_ progressHandler: @escaping (Progress) -> Void) -> Self {
        addProgress(progressHandler)
        return self
    }

    /// Has a handler called with the result and the place of the file, or the error; on the main
    /// queue, unless another is given.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler:
            @escaping ((RSerial.ValueType, URL)?, CallError<ESerial.ValueType>?) ->
            Void
    ) -> Self {
        let serializer = responseSerializer
        let destination = destination
        complete(on: queue, with: completionHandler) { reply in
            guard case .file(let temporary) = reply.content else {
                throw ClientError.unexpectedState
            }
            let place = try destination.move(temporary)
            let result = try serializer.deserialize(try JSONSyntax.document(of: reply.result))
            return (result, place)
        }
        return self
    }
}

/// Where the file of a download goes.
struct DownloadDestination: Sendable {
    let place: URL
    let overwrite: Bool
    let access: any FilesAccess

    func move(_ temporary: URL) throws -> URL {
        do {
            return try access.moveFile(from: temporary, to: place, overwrite: overwrite)
        } catch {
            try? FileManager.default.removeItem(at: temporary)
            throw ClientError.fileAccessError(error)
        }
    }
}

/// A request that downloads into memory.
public final class DownloadRequestMemory<RSerial: JSONSerializer, ESerial: JSONSerializer>:
    Request<RSerial, ESerial>, @unchecked Sendable
{
    /// Has a handler called as content comes down; on the queue of the response.
    @discardableResult
    public func progress(_ progressHandler: @escaping (Progress) -> Void) -> Self {
        addProgress(progressHandler)
        return self
    }

    /// Has a handler called with the result and the content, or the error; on the main queue,
    /// unless another is given.
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler:
            @escaping ((RSerial.ValueType, Data)?, CallError<ESerial.ValueType>?) ->
            Void
    ) -> Self {
        let serializer = responseSerializer
        complete(on: queue, with: completionHandler) { reply in
            guard case .data(let data) = reply.content else { throw ClientError.unexpectedState }
            let result = try serializer.deserialize(try JSONSyntax.document(of: reply.result))
            return (result, data)
        }
        return self
    }
}
