// Results of requests for tasks.

public import Dispatch
import Foundation

/// A request that has a handler for its result.
public protocol HasRequestResponse: Sendable {
    /// The type of the result.
    associatedtype ValueType: Sendable
    /// Reads the error of the request.
    associatedtype ESerial: JSONSerializer

    /// Has a handler called with the result or the error.
    @discardableResult
    func response(
        queue: DispatchQueue?,
        completionHandler: @escaping (ValueType?, CallError<ESerial.ValueType>?) -> Void
    ) -> Self

    /// Ends the request before its answer.
    func cancel()
}

/// Where the results that tasks wait for are handed over: no app's code runs there.
private let handover = DispatchQueue(label: "SwiftyDropbox.tasks", attributes: .concurrent)

extension HasRequestResponse {
    /// The result or the error of the request, which ends with the task that waits for it.
    public func responseResult() async -> Result<ValueType, CallError<ESerial.ValueType>> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                response(queue: handover) { result, error in
                    if let result {
                        continuation.resume(returning: .success(result))
                    } else {
                        continuation.resume(
                            returning: .failure(error ?? .clientError(.unexpectedState)))
                    }
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The result of the request. Throws its `CallError`.
    public func response() async throws -> ValueType {
        try await responseResult().get()
    }
}

extension RpcRequest: HasRequestResponse {}
extension UploadRequest: HasRequestResponse {}
extension DownloadRequestFile: HasRequestResponse {}
extension DownloadRequestMemory: HasRequestResponse {}
