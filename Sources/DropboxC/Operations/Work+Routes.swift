// The work of calls by name: rpc, upload and download styles, and pages.

import CDropbox
import DropboxAPI
import Saturating

/// A function of C that receives content.
typealias ContentReceiver =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32
/// A function of C that receives pages.
typealias PageReceiver =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32

extension Work {
    /// A call of a route, with content for one of the upload style.
    static func call(
        _ client: OpaquePointer?, _ route: CString?, _ argument: CString?,
        content: [UInt8]? = nil
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let name = try CText.required(route, "route")
        let route = try JSONRoute.named(name, style: content == nil ? .rpc : .upload)
        let argument = try CText.document(argument, "argument")
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            try await client.send(route, argument, content ?? [], run.callOptions)
        }
    }

    /// A call of a route of the download style.
    static func download(
        _ client: OpaquePointer?, _ route: CString?, _ argument: CString?,
        from offset: UInt64, length: UInt64, to receiver: ContentReceiver?,
        _ context: UnsafeMutableRawPointer?
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let route = try JSONRoute.named(try CText.required(route, "route"), style: .download)
        let argument = try CText.document(argument, "argument")
        let receiver = try contentReceiver(receiver, context)
        let range: ByteRange? =
            switch (offset, length) {
            case (0, .max): nil
            case (_, .max): .from(offset)
            default: .bytes(offset ..<| offset +| length)
            }
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            do throws(CallError<JSONRouteError>) {
                let download = try await client.download(
                    route, argument, range: range, options: run.callOptions)
                var chunks = download.body.makeAsyncIterator()
                while let chunk = try await chunks.next() {
                    guard await run.give(chunk, to: receiver) else { return nil }
                }
                return download.result
            } catch {
                throw BorderError(error)
            }
        }.cancelledWithoutResult
    }

    /// The pages of a route.
    static func pages(
        _ client: OpaquePointer?, _ route: CString?, _ argument: CString?,
        to receiver: PageReceiver?, _ context: UnsafeMutableRawPointer?
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let route = try JSONRoute.named(try CText.required(route, "route"), style: .rpc)
        guard let continuation = route.continuation else {
            throw .argument("\(route.name) has no route to continue by a cursor")
        }
        let argument = try CText.document(argument, "argument")
        let receiver = try pageReceiver(receiver, context)
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            var page = try await client.send(route, argument, [], run.callOptions)
            var cursor: String?
            while await run.give(page, to: receiver) {
                guard let next = try PageEnd(of: page).next(after: cursor) else { return nil }
                cursor = next
                let argument = try JSONText(encoding: ["cursor": next])
                page = try await client.send(continuation, argument, [], run.callOptions)
            }
            try run.checkCancellation()
            return nil
        }
    }

    /// A function for content that must not be NULL.
    static func contentReceiver(
        _ receiver: ContentReceiver?, _ context: UnsafeMutableRawPointer?
    ) throws(BorderError) -> Callee<ContentReceiver> {
        guard let receiver else { throw .argument("content is NULL") }
        return Callee(function: receiver, context: context)
    }

    /// A function for pages that must not be NULL.
    static func pageReceiver(
        _ receiver: PageReceiver?, _ context: UnsafeMutableRawPointer?
    ) throws(BorderError) -> Callee<PageReceiver> {
        guard let receiver else { throw .argument("the function for pages is NULL") }
        return Callee(function: receiver, context: context)
    }

    /// The same work, which is cancelled where it ends without a result.
    var cancelledWithoutResult: Work {
        let work = self
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            guard let result = try await work.run(run) else { throw .cancelled }
            return result
        }
    }
}

extension Run {
    /// Gives content to C; false if it is not to go on.
    func give(_ chunk: [UInt8], to receiver: Callee<ContentReceiver>) async -> Bool {
        await ask {
            chunk.withUnsafeBytes {
                receiver.function(receiver.context, $0.baseAddress, $0.count)
            }
        }
    }

    /// Gives a page to C; false if it is not to go on.
    func give(_ page: JSONText, to receiver: Callee<PageReceiver>) async -> Bool {
        await ask {
            let text = CText.make(page.bytes)
            defer { dropbox_free(text) }
            return receiver.function(receiver.context, text)
        }
    }

    /// Throws `cancelled` if the operation was ended by its program's other threads.
    func checkCancellation() throws(BorderError) {
        guard !Task.isCancelled else { throw .cancelled }
    }
}

/// How a page ends: with a cursor, and perhaps a flag.
private struct PageEnd: Decodable {
    let cursor: String?
    let hasMore: Bool?

    private enum CodingKeys: String, CodingKey {
        case cursor
        case hasMore = "has_more"
    }

    init(of page: JSONText) throws(BorderError) {
        do throws(SerializationError) {
            self = try JSON.decode(Self.self, from: page.bytes)
        } catch {
            throw .unreadable("the page: \(error.message)")
        }
    }

    /// The cursor of the next page; nil behind the last one. Throws for a page that leads to
    /// itself.
    func next(after last: String?) throws(BorderError) -> String? {
        guard let cursor, !cursor.isEmpty, hasMore != false else { return nil }
        guard !ListingRules.isEndless(next: cursor, hasMore: true, after: last) else {
            throw BorderError(FolderListingError.endless)
        }
        return cursor
    }
}

extension DropboxClient {
    /// Calls a route by name.
    func send(
        _ route: JSONRoute, _ argument: JSONText, _ content: [UInt8], _ options: CallOptions
    ) async throws(BorderError) -> JSONText {
        // The error of a whole file in one request says that nothing of it was kept, so it is sent
        // again; others cannot tell.
        guard route.name == Files.upload.name else {
            return try await send(any: route, argument, content, options)
        }
        return try await send(
            any: route.failing(as: Files.UploadError.self), argument, content, options)
    }

    private func send<Failure>(
        any route: Route<JSONText, JSONText, Failure>, _ argument: JSONText,
        _ content: [UInt8], _ options: CallOptions
    ) async throws(BorderError) -> JSONText {
        var options = options
        if route.host == .notify { options.timeouts = longpollTimeouts(for: argument) }
        do throws(CallError<Failure>) {
            return try await upload(route, argument, body: BytesBody(content), options: options)
        } catch {
            throw BorderError(error)
        }
    }

    /// Timeouts for a server that waits before it answers.
    private func longpollTimeouts(for argument: JSONText) -> TransferTimeouts {
        let wanted = try? JSON.decode(WaitingArgument.self, from: argument.bytes)
        let wait = Duration.longpoll(seconds: wanted?.timeout ?? 30)
        var timeouts = configuration.callTimeouts
        timeouts.response = wait
        timeouts.total = wait +| timeouts.connect +| timeouts.stall
        return timeouts
    }
}

/// The argument of a route that waits.
private struct WaitingArgument: Decodable {
    let timeout: UInt64?
}

extension JSONText {
    /// The JSON of a value.
    init(encoding value: some Encodable) throws(BorderError) {
        guard let bytes = try? JSON.encode(value), let text = JSONText(bytes) else {
            throw .unwritable
        }
        self = text
    }
}
