// A transport client without a network, for tests of apps: it keeps the requests, and a test
// answers them.

public import Foundation
import Synchronization

// Sendable: a test makes it in place, of values that no other task has.
/// The answer of a test to a request, as JSON.
public enum MockInput: @unchecked Sendable {
    case none
    /// The result of the route.
    case success(json: [String: Any])
    /// A result, and a file with the content.
    case downloadSuccess(json: [String: Any], downloadLocation: URL)
    /// An answer with a status.
    case requestError(json: [String: Any], code: Int)
    /// The route's own error, within its envelope.
    case routeError(json: [String: Any])
    /// A failure on this side of the connection.
    case clientError(error: ClientError)
}

/// The answer of a test to a request, as generated types.
public enum MockInputWithModel: Sendable {
    case none
    /// The result of the route.
    case success(model: any JSONRepresentable)
    /// A result, and a file with the content.
    case downloadSuccess(model: any JSONRepresentable, downloadLocation: URL)
    /// An answer with a status.
    case requestError(model: any JSONRepresentable, code: Int)
    /// The route's own error.
    case routeError(model: any JSONRepresentable)
}

/// A request that waits for its answer from a test.
public final class MockApiRequest: Sendable {
    /// The address that it would have been sent to.
    public let requestUrl: URL?
    /// The argument, as it would have been sent.
    public let argument: JSON
    let work = RequestWork()

    /// A request to an address.
    public init(requestUrl: URL? = nil, argument: JSON = .null) {
        self.requestUrl = requestUrl
        self.argument = argument
    }

    /// Answers the request. Throws where the JSON is none.
    public func handleMockInput(_ mockInput: MockInput) throws {
        switch mockInput {
        case .none: break
        case .success(let json):
            let document = try SerializeUtil.document(json)
            finish(document, content: .data(Data()))
        case .downloadSuccess(let json, let location):
            finish(try SerializeUtil.document(json), content: .file(location))
        case .requestError(let json, let code): fail(try SerializeUtil.document(json), status: code)
        case .routeError(let json): fail(try SerializeUtil.document(json), status: 409)
        case .clientError(let error): work.finish(.failure(.client(error)))
        }
    }

    /// Answers the request as the test wants it.
    public func handleMockInput(_ mockInput: MockInputWithModel) throws {
        switch mockInput {
        case .none: break
        case .success(let model): finish(MockingUtilities.json(of: model), content: .data(Data()))
        case .downloadSuccess(let model, let location):
            finish(MockingUtilities.json(of: model), content: .file(location))
        case .requestError(let model, let code):
            fail(MockingUtilities.envelope(of: model), status: code)
        case .routeError(let model): fail(MockingUtilities.envelope(of: model), status: 409)
        }
    }

    private func finish(_ document: JSON, content: ReplyContent) {
        work.finish(
            .success(
                RequestReply(result: Array(JSONSyntax.text(of: document).utf8), content: content)))
    }

    private func fail(_ document: JSON, status: Int) {
        work.finish(
            .failure(.answer(FailedAnswer(status: status, body: JSONSyntax.text(of: document)))))
    }
}

/// Makes mocks and their answers.
public enum MockingUtilities {
    /// Routes of a namespace, or a client, over a mock.
    public static func makeMock<T: DropboxTransportClientOwning>(
        forType: T.Type
    ) -> (T, MockDropboxTransportClient) {
        let transport = MockDropboxTransportClient()
        return (T(client: transport), transport)
    }

    /// The JSON of a value; as an error, within its envelope.
    public static func jsonObject<T: JSONRepresentable>(
        from result: T, isError: Bool
    ) throws -> [String: Any] {
        let document = isError ? envelope(of: result) : json(of: result)
        guard let object = SerializeUtil.object(document) as? [String: Any] else {
            throw DeserializationError(document, as: [String: Any].self)
        }
        return object
    }

    /// With the tag of its class, also where the test knows it by another type.
    static func json(of model: any JSONRepresentable) -> JSON {
        (model as? any StoneStruct)?.taggedStone ?? model.stone
    }

    static func envelope(of model: any JSONRepresentable) -> JSON {
        .dictionary(["error": json(of: model), "error_summary": .str("error_summary")])
    }
}

/// A transport client without a network.
public final class MockDropboxTransportClient: DropboxTransportClient {
    /// The function that each request is given to when it is made.
    public typealias MockRequestHandler = @Sendable (MockApiRequest) -> Void

    private struct State: Sendable {
        var selectUser: String?
        var pathRoot: Common.PathRoot?
        var didFinish: (@Sendable () -> Void)?
        var provider: (any AccessTokenProvider)? = LongLivedAccessTokenProvider(
            accessToken: "accessToken")
        var identifier: String?
        var handler: MockRequestHandler = { _ in }
        var requests: [(name: String, request: MockApiRequest)] = []
    }

    /// Held for an access only.
    private let state = Mutex(State())
    private let filesAccess = FilesAccessImpl()

    /// A client without requests.
    public init() {}

    /// Leaves requests to the test.
    public static let noopMockRequestHandler: MockRequestHandler = { _ in }

    /// Has each request fail.
    public static let alwaysFailMockRequestHandler: MockRequestHandler = { request in
        request.work.finish(
            .failure(.client(.other(UnfitContent(description: "a mock that fails")))))
    }

    /// The setting of the real client, which reads answers.
    public static var serializeOnBackgroundThread: Bool {
        get { DropboxTransportClientImpl.serializeOnBackgroundThread }
        set { DropboxTransportClientImpl.serializeOnBackgroundThread = newValue }
    }

    /// A member of a team.
    public var selectUser: String? {
        get { state.withLock(\.selectUser) }
        set { state.withLock { $0.selectUser = newValue } }
    }

    /// The root that paths are relative to.
    public var pathRoot: Common.PathRoot? {
        get { state.withLock(\.pathRoot) }
        set { state.withLock { $0.pathRoot = newValue } }
    }

    /// Kept for the app, and never called.
    public var didFinishBackgroundEvents: (@Sendable () -> Void)? {
        get { state.withLock { $0 }.didFinish }
        set { state.withLock { $0.didFinish = newValue } }
    }

    /// A token that is sent to no server.
    public var accessTokenProvider: (any AccessTokenProvider)? {
        get { state.withLock(\.provider) }
        set { state.withLock { $0.provider = newValue } }
    }

    /// Always false for a mock.
    public var isBackgroundClient: Bool { false }

    /// A name of the test's.
    public var identifier: String? {
        get { state.withLock(\.identifier) }
        set { state.withLock { $0.identifier = newValue } }
    }

    /// The function that each request is given to when it is made.
    public var mockRequestHandler: MockRequestHandler {
        get { state.withLock { $0 }.handler }
        set { state.withLock { $0.handler = newValue } }
    }

    /// The request that was made last.
    public func getLastRequest() -> MockApiRequest? {
        state.withLock(\.requests).last?.request
    }

    /// The last request of a route, by its name without the namespace.
    public func getRequest(with tag: String) -> MockApiRequest? {
        state.withLock(\.requests).last { $0.name == tag }?.request
    }

    private func record<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, _ argument: ASerial.ValueType?
    ) -> RequestWork {
        let request = MockApiRequest(
            requestUrl: URL(string: "\(BaseHosts.default.apiHost)/2/\(route.path)"),
            argument: argument.flatMap { try? route.argSerializer.serialize($0) } ?? .null)
        let handler = state.withLock { state in
            state.requests.append((route.name, request))
            return Handler(call: state.handler)
        }
        handler.call(request)
        return request.work
    }

    private struct Handler: Sendable {
        let call: MockRequestHandler
    }

    /// A request without an argument.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>
    ) -> RpcRequest<RSerial, ESerial> {
        request(route, serverArgs: nil)
    }

    /// Records a request of the rpc style.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType?
    ) -> RpcRequest<RSerial, ESerial> {
        RpcRequest(record(route, serverArgs), route.responseSerializer, route.errorSerializer)
    }

    /// A request with content.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType, input: UploadBody
    ) -> UploadRequest<RSerial, ESerial> {
        UploadRequest(record(route, serverArgs), route.responseSerializer, route.errorSerializer)
    }

    /// A request for content, into a file.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType, overwrite: Bool,
        destination: URL
    ) -> DownloadRequestFile<RSerial, ESerial> {
        DownloadRequestFile(
            record(route, serverArgs), route.responseSerializer, route.errorSerializer,
            to: DownloadDestination(place: destination, overwrite: overwrite, access: filesAccess))
    }

    /// A request for content, into memory.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType
    ) -> DownloadRequestMemory<RSerial, ESerial> {
        DownloadRequestMemory(
            record(route, serverArgs), route.responseSerializer, route.errorSerializer)
    }

    /// Nothing: there are no connections.
    public func shutdown() {}
}
