// The account that a statement is put to, with a folder of the statement's own. Names are relative
// to that folder. Not responsible for what the answers mean: each statement says what it expects.

import DropboxAPIComplete
import Foundation

/// The preparations of a statement failed, which says nothing about it.
struct Unprepared: Error {
    let reason: String
}

/// The statement cannot be put to this server or account.
struct Unaskable: Error {
    let reason: String
}

/// An account on some server, and a folder in it.
struct ConformanceAccount: Sendable {
    let client: DropboxClient
    let transport: PacedTransport
    let token: AccessToken
    /// The base URL of an emulator; nil for the real service.
    let emulator: String?
    /// The folder of the statement; all of it is in small letters.
    let folder: String

    var files: Files.Calls { client.files }

    /// The path of a name in the folder; ids, revs and namespaces stay as they are.
    func path(_ name: String = "") -> String {
        if name.hasPrefix("id:") || name.hasPrefix("rev:") || name.hasPrefix("ns:") { return name }
        return name.isEmpty ? folder : "\(folder)/\(name)"
    }

    /// A path below the folder, as a name; `.` is the folder itself.
    func name(_ path: String?) -> String {
        guard let path else { return "?" }
        guard path.lowercased().hasPrefix(folder) else { return path }
        let name = path.dropFirst(folder.count + 1)
        return name.isEmpty ? "." : String(name)
    }

    // MARK: Preparations

    /// Makes the preparations of a question.
    @discardableResult
    func given<Value>(
        _ work: (ConformanceAccount) async throws -> Value
    ) async throws -> Value {
        do {
            return try await work(self)
        } catch let error as any DropboxError {
            throw Unprepared(reason: error.summary)
        }
    }

    /// A file that is there before the question.
    @discardableResult
    func file(_ name: String, _ text: String = "text") async throws -> Files.FileMetadata {
        try await given { try await $0.put(name, text, .overwrite) }
    }

    /// An empty folder that is there before the question; returns its id.
    @discardableResult
    func makeFolder(_ name: String) async throws -> Files.FolderMetadata {
        try await given { try await $0.files.createFolderV2(path: $0.path(name)).metadata }
    }

    /// Changes the emulator as only its admin routes can; the real service cannot be changed so.
    func admin(_ route: String, _ argument: String, reason: String) async throws {
        guard let emulator else { throw Unaskable(reason: reason) }
        let reply = try await send(
            .init(
                url: "\(emulator)/admin/\(route)", headers: ["Content-Type": "application/json"],
                body: BytesBody(Array(argument.utf8))))
        guard reply.status == 200 else {
            throw Unprepared(reason: "/admin/\(route): \(reply.body)")
        }
    }

    // MARK: Calls

    @discardableResult
    func put(
        _ name: String, _ text: String, _ mode: Files.WriteMode = .add, autorename: Bool = false,
        strict: Bool = false, modified: String? = nil
    ) async throws -> Files.FileMetadata {
        try await files.upload(
            path: path(name), mode: mode, autorename: autorename,
            clientModified: modified.flatMap { Timestamp($0) }, strictConflict: strict,
            body: BytesBody(Array(text.utf8)))
    }

    func text(_ name: String) async throws -> String {
        let bytes = try await files.download(path: path(name)).body.collect(upTo: 1 << 20)
        return String(decoding: bytes, as: UTF8.self)
    }

    func metadata(_ name: String, deleted: Bool = false) async throws -> Files.Metadata {
        try await files.getMetadata(path: path(name), includeDeleted: deleted)
    }

    /// The metadata of a file.
    func fileMetadata(_ name: String) async throws -> Files.FileMetadata {
        guard case .file(let file) = try await metadata(name) else {
            throw Unprepared(reason: "\(name) is not a file")
        }
        return file
    }

    @discardableResult
    func move(_ from: String, _ to: String, autorename: Bool = false) async throws -> Files.Metadata
    {
        try await files.moveV2(fromPath: path(from), toPath: path(to), autorename: autorename)
            .metadata
    }

    @discardableResult
    func copy(_ from: String, _ to: String, autorename: Bool = false) async throws -> Files.Metadata
    {
        try await files.copyV2(fromPath: path(from), toPath: path(to), autorename: autorename)
            .metadata
    }

    @discardableResult
    func delete(_ name: String, parentRev: String? = nil) async throws -> Files.Metadata {
        try await files.deleteV2(path: path(name), parentRev: parentRev).metadata
    }

    /// The file that a move or copy left.
    func moved(_ from: String, _ to: String, autorename: Bool = false) async throws
        -> Files.FileMetadata
    {
        guard case .file(let file) = try await move(from, to, autorename: autorename) else {
            throw Unprepared(reason: "what was moved is not a file")
        }
        return file
    }

    // MARK: Requests that the library does not send

    /// An answer as it came.
    struct RawReply: Sendable {
        let status: Int
        let headers: TransportHeaders
        let body: String
    }

    func send(_ request: TransportRequest) async throws -> RawReply {
        let response = try await transport.send(request)
        let body = try await response.body.collect(upTo: 1 << 20)
        return RawReply(
            status: response.status, headers: response.headers,
            body: String(decoding: body, as: UTF8.self))
    }

    /// Sends an argument as it is to a route of the rpc style.
    func rpc(_ route: String, _ argument: String, token: String? = nil) async throws -> RawReply {
        try await send(
            .init(
                url: "\(emulator ?? "https://api.dropboxapi.com")/2/\(route)",
                headers: [
                    "Authorization": "Bearer \(token ?? self.token.secret)",
                    "Content-Type": "application/json",
                ], body: BytesBody(Array(argument.utf8))))
    }

    /// Sends content with an argument as it is.
    func content(
        _ route: String, _ argument: String, text: String? = nil, headers: [String: String] = [:]
    ) async throws -> RawReply {
        var fields: TransportHeaders = [
            "Authorization": "Bearer \(token.secret)", "Dropbox-API-Arg": argument,
        ]
        if text != nil { fields.append("Content-Type", "application/octet-stream") }
        for (name, value) in headers { fields.append(name, value) }
        return try await send(
            .init(
                url: "\(emulator ?? "https://content.dropboxapi.com")/2/\(route)", headers: fields,
                body: BytesBody(Array((text ?? "").utf8)),
                purpose: text == nil ? .download : .upload))
    }
}
