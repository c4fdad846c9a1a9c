// Sending and receiving without the types of a route: JSON and content.

import Blocking
import Synchronization
import DropboxAPI
import Foundation
import Saturating

/// A call without the types of its argument, result and error.
struct PlainCall: Sendable {
    let path: String
    let attributes: RouteAttributes
    let isRepeatable: Bool
    let argument: Result<JSONText, any Error>

    init<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, _ argument: ASerial.ValueType?
    ) {
        path = route.path
        attributes = route.attributes
        isRepeatable = route.isRepeatable
        self.argument = Result {
            let json = try argument.map { try route.argSerializer.serialize($0) } ?? .null
            guard let text = JSONText(JSONSyntax.text(of: json)) else {
                throw DeserializationError(type: "JSON document", reason: "too many levels")
            }
            return text
        }
    }

    /// The route for DropboxAPI.
    var route: DropboxAPI.Route<JSONText, JSONText, AnyRouteError> {
        DropboxAPI.Route(
            path, host: host, style: style, authentication: authentication,
            isSafeToRepeat: isRepeatable)
    }

    private var host: DropboxAPI.RouteHost {
        switch attributes.host {
        case .api: .api
        case .content: .content
        case .notify: .notify
        }
    }

    private var style: DropboxAPI.RouteStyle {
        switch attributes.style {
        case .rpc: .rpc
        case .upload: .upload
        case .download: .download
        }
    }

    private var authentication: RouteAuthentication {
        let auth = Set(attributes.auth)
        if auth.contains(.noauth) { return .none }
        if auth == [.app] { return .app }
        if auth.contains(.app) { return .userOrApp }
        return auth == [.team] ? .team : .user
    }
}

extension DropboxTransportClientImpl {
    private typealias Failure = DropboxAPI.CallError<AnyRouteError>

    /// The client of DropboxAPI for this client's caller and root.
    private func client(_ client: DropboxAPI.DropboxClient) throws -> DropboxAPI.DropboxClient {
        let settings = box.settings.withLock { $0 }
        var client = client
        if case .appKeyAndSecret = settings.strategy { client = client.acting(as: .app) }
        if let member = settings.selectUser { client = client.acting(as: .teamMember(member)) }
        guard let root = settings.pathRoot else { return client }
        let bytes = Array(JSONSyntax.text(of: root.stone).utf8)
        return client.rooted(at: try JSONReading.pathRoot(bytes))
    }

    private func options(_ call: PlainCall, for work: RequestWork? = nil) -> CallOptions {
        let isLongpoll = call.attributes.host == .notify
        let configuration = isLongpoll ? longpollConfiguration : configuration
        let idle = Duration.seconds(clamping: configuration.timeoutIntervalForRequest)
        let progress = work.map { work in
            { @Sendable (progress: TransferProgress) in
                work.report(done: progress.bytesDone, total: progress.bytesTotal)
            }
        }
        return CallOptions(
            timeouts: TransferTimeouts(
                connect: min(idle, .seconds(60)), response: idle, stall: idle,
                total: .seconds(clamping: configuration.timeoutIntervalForResource)),
            comparesHashes: false, progress: progress)
    }

    /// Runs a call with the app's headers, and turns its errors into failures.
    private func run(
        _ call: PlainCall, for work: RequestWork,
        _ body: @Sendable (Connections, JSONText) async throws -> RequestReply
    ) async -> RequestResult {
        do {
            try await waitForStart(of: work)
            let connections = try connections.get()
            let argument = try call.argument.get()
            let headers = headersForRouteHost?(call.attributes.host) ?? [:]
            let reply = try await HeaderTransport.$headers.withValue(headers) {
                try await body(connections, argument)
            }
            return .success(reply)
        } catch let error as Failure {
            return .failure(RequestFailure(error))
        } catch let error as TransportError {
            return .failure(.client(error.clientError))
        } catch let error as ClientError {
            return .failure(.client(error))
        } catch let error as DeserializationError {
            return .failure(.serialization(error))
        } catch is CancellationError {
            return .failure(.client(.urlSessionError(URLError(.cancelled))))
        } catch {
            return .failure(.client(.other(error)))
        }
    }

    /// An app names the earliest time right after it has made the request.
    private func waitForStart(of work: RequestWork) async throws {
        while let start = work.earliestStart, start.timeIntervalSinceNow > 0.0 {
            // An hour at most: the clock may be set, and the system's timers do not take every
            // time.
            let pause = Double.minimum(start.timeIntervalSinceNow, 3_600.0)
            try await Task.sleep(for: .seconds(clamping: pause))
        }
        try Task.checkCancellation()
    }

    func send(_ call: PlainCall, for work: RequestWork) async -> RequestResult {
        await run(call, for: work) { connections, argument in
            let document = try await self.client(connections.calls)
                .call(call.route, argument, options: self.options(call))
            return RequestReply(result: document.bytes)
        }
    }

    func upload(_ call: PlainCall, _ source: UploadBody.Source, for work: RequestWork) async
        -> RequestResult
    {
        await run(call, for: work) { connections, argument in
            let body: any BodySource
            do {
                body = try await source.body()
            } catch {
                throw ClientError.fileAccessError(error)
            }
            let document = try await self.client(connections.calls)
                .upload(call.route, argument, body: body, options: self.options(call, for: work))
            return RequestReply(result: document.bytes)
        }
    }

    func download(_ call: PlainCall, toFile: Bool, for work: RequestWork) async -> RequestResult {
        await run(call, for: work) { connections, argument in
            let download = try await self.client(connections.downloads)
                .download(call.route, argument, options: self.options(call, for: work))
            let check = ContentCheck(result: download.result.bytes, of: call.path)
            let content =
                toFile
                ? ReplyContent.file(try await self.file(of: download.body, check))
                : ReplyContent.data(try await self.data(of: download.body, check))
            return RequestReply(result: download.result.bytes, content: content)
        }
    }

    private func data(of body: DownloadBody<AnyRouteError>, _ check: ContentCheck) async throws
        -> Data
    {
        var check = check
        var data = Data()
        for try await chunk in body {
            check.update(chunk)
            data.append(contentsOf: chunk)
        }
        try check.finish()
        return data
    }

    private func file(of body: DownloadBody<AnyRouteError>, _ check: ContentCheck) async throws
        -> URL
    {
        var check = check
        let file: TemporaryFile
        do {
            file = try await TemporaryFile.disk.run { () throws(SystemError) in try TemporaryFile()
            }
        } catch {
            throw ClientError.fileAccessError(error)
        }
        do {
            var length: UInt64 = 0
            for try await chunk in body {
                check.update(chunk)
                let offset = length
                try await Self.write(chunk, to: file, at: offset)
                length +|= UInt64(clamping: chunk.count)
            }
            try check.finish()
            return file.place
        } catch {
            file.remove()
            throw error
        }
    }

    private static func write(_ chunk: [UInt8], to file: TemporaryFile, at offset: UInt64)
        async throws
    {
        do {
            try await TemporaryFile.disk.run { () throws(SystemError) in
                try file.write(chunk, at: offset)
            }
        } catch {
            throw ClientError.fileAccessError(error)
        }
    }
}

/// Compares the content of a file with the hash that its metadata has.
private struct ContentCheck {
    private let hash: String?
    private var hasher = ContentHasher()

    /// Only the metadata of a file itself has the hash of what comes with it: that of a preview has
    /// not.
    init(result: [UInt8], of path: String) {
        let metadata = path == "files/download" ? try? JSONSyntax.document(of: result) : nil
        hash = metadata?.members?["content_hash"]?.text
    }

    mutating func update(_ chunk: [UInt8]) {
        if hash != nil { hasher.update(chunk) }
    }

    mutating func finish() throws {
        guard let hash else { return }
        let read = "\(hasher.finalized())"
        guard read == hash else {
            throw ClientError.other(
                UnfitContent(
                    description: "the content should have the hash \(hash) and has \(read)"))
        }
    }
}

/// Reads types of DropboxAPI.
private enum JSONReading {
    static func pathRoot(_ bytes: [UInt8]) throws -> DropboxAPI.Common.PathRoot {
        try JSONDecoder().decode(DropboxAPI.Common.PathRoot.self, from: Data(bytes))
    }
}
