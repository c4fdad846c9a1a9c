// Routes that transfer content: download, upload, temporary links.

import HTTPTypes

extension Routes {
    /// `files/download`: sends the content of a file, or a range of it.
    static func download(_ call: Call) async throws -> RouteResponse {
        let path = try call.arguments { reader throws(ArgumentError) -> String in
            let path = try reader.path("path", .readPath)
            // The deprecated parameter for a revision.
            return try reader.optionalRev("rev").map { "rev:\($0)" } ?? path
        }
        let metadata = try downloadable(path, call)
        var response = try await ContentResponse(
            space: call.space, content: metadata.content, range: call.headers[.range],
            knownTag: call.headers[.ifNoneMatch]
        ).response()
        response.setHeader("Dropbox-API-Result", call.presented(metadata.json).text(.ascii))
        return response
    }

    /// `files/get_temporary_link`: returns a link to the content of a file.
    static func temporaryLink(_ call: Call) async throws -> RouteResponse {
        let path = try call.arguments { reader throws(ArgumentError) in
            try reader.path("path", .readPath)
        }
        let metadata = try downloadable(path, call)
        let secret = call.emulator.temporaryLinks.add(metadata.content, in: call.space, at: .now())
        return .json([
            "metadata": call.presented(metadata.json),
            "link": .string("http://\(call.host)\(TemporaryLinkRoutes.prefix)\(secret)/file"),
        ])
    }

    private static func downloadable(_ path: String, _ call: Call) throws -> FileMetadata {
        let base = call.base
        let metadata = try call.space.tree { tree throws(PathFailure) in
            try PathFailure.wrap { () throws(LookupError) in
                tree.fileMetadata(of: try tree.fileRevision(path, from: base), from: base)
            }
        }
        guard metadata.marks?.exportAs == nil else {
            throw RouteFailure.route(.tag("unsupported_file"))
        }
        return metadata
    }

    /// `files/download_zip`: sends a folder as an archive.
    static func downloadZip(_ call: Call) async throws -> RouteResponse {
        let path = try call.arguments { reader throws(ArgumentError) in
            try reader.path("path", .readPath)
        }
        let base = call.base
        let (metadata, entries) = try call.space.tree {
            tree throws(PathFailure) -> (JSONValue, [ZipArchive.Entry]) in
            let folder = try PathFailure.wrap { () throws(LookupError) in
                try tree.livingNode(path, from: base)
            }
            guard tree[folder].isFolder else { throw PathFailure(.notFolder) }
            let entries = tree.nodes.subtree(folder).map { node in
                ZipArchive.Entry(
                    name: tree[folder].name + tree.nodes.paths(of: node, from: folder).display,
                    content: tree[node].revision.map { tree[tree[$0].content] })
            }
            return (tree.folderMetadata(of: folder, from: base).json, entries)
        }
        let archive = try ZipArchive(entries, store: call.space.content)
        return RouteResponse(
            headers: [
                .init("Content-Type", "application/zip"),
                .init(
                    "Dropbox-API-Result",
                    JSONValue.object([.init("metadata", call.presented(metadata))]).text(.ascii)),
            ],
            body: .stream(length: nil, archive))
    }

    // MARK: Upload

    /// `files/upload`: stores the body as a file.
    static func upload(_ call: Call) async throws -> RouteResponse {
        let (commit, announced) = try call.arguments {
            reader throws(ArgumentError) -> (CommitArguments, ContentDigest?) in
            let commit = try CommitArguments(&reader, base: call.base)
            return (commit, try reader.optionalHash("content_hash"))
        }
        let space = call.space
        let file = try space.content.makeIncoming()
        do {
            let received = try await BodyReceiver(file: file).receive(call.body)
            try ContentHashMismatch.check(received, announced)
            let metadata = try await commitUpload(received, file, commit.commit, in: space)
            space.content.discard(file.path)
            try call.attach(commit.properties, to: metadata.id)
            return .json(call.presented(metadata.json))
        } catch {
            space.content.discard(file.path)
            throw error
        }
    }

    /// Commits a received body. If the commit is refused, the body becomes a session that can be
    /// finished at another path (`files.UploadWriteFailed`).
    private static func commitUpload(
        _ received: ReceivedBody, _ file: BlockingFile, _ commit: Commit, in space: Space
    ) async throws -> FileMetadata {
        let content = Content(
            hash: received.hasher.contentHash, size: received.size, source: .stored)
        do {
            return try space.commitFile(file.path, content: content, commit: commit)
        } catch let error as WriteError {
            let session = try space.startSession(isConcurrent: false, isClosed: false)
            try space.content.keep(file.path, asSession: session)
            try space.apply(
                .append(
                    session: session, offset: 0, length: received.size, closes: true, digests: []))
            space.hashes.remember(received.hasher, of: session, size: received.size)
            throw RouteFailure.route(
                .tagged(
                    "path",
                    ["reason": error.json, "upload_session_id": .string(session)]))
        }
    }
}
