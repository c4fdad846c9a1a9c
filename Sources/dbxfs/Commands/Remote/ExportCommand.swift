// `dbxfs export`: cloud documents as files of this machine. Asks Dropbox itself, so it works with
// any mount and without one.

import ArgumentParser
import Blocking
import Mounting
import RemoteStore
import Saturating

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write cloud documents, such as those of Paper, to files.",
        discussion: """
            Dropbox makes a file of the document in a format, the document's first one unless --as names another. \
            The file is written into the working folder, under the document's name with the format's extension, and \
            replaces no other file unless --force says so. Exits with 2 if some were not exported.
            """)

    @Argument(
        help: ArgumentHelp(
            "Documents on mounts, or of an account.", valueName: "path|[account]:/path"),
        completion: .file())
    var paths: [String]

    @Option(
        name: .customLong("as"),
        help: "The format, such as markdown; one that there is not lists those that there are.")
    var format: String?

    @Option(
        name: [.customShort("o"), .long], help: "The file to write, or a folder for it.",
        completion: .file())
    var output: String?

    @Flag(help: "Replace a file that is there.")
    var force = false

    @Flag(help: "The accounts of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    func run() throws {
        ProcessSettings.adjustLimits()
        let target = ExportTarget(output: output, replaces: force)
        guard paths.count == 1 || output == nil || target.isFolder else {
            throw ValidationError("--output names one file: for several documents, name a folder")
        }
        let environment = try Environment(scope: system ? .system : .user)
        quietLogs(environment)
        var accounts = ExportSources(scope: environment.scope)
        var failures = 0
        for path in paths {
            do throws(CommandError) {
                let (access, place) = try accounts.access(to: path)
                let export = DocumentExport(
                    access: access, path: path, place: place.source.remotePath,
                    environment: place.environment)
                Terminal.print(Terminal.printable(try export.write(as: format, to: target)))
            } catch {
                guard paths.count > 1 else { throw error.withoutMount }
                Terminal.complain(Terminal.printable(error.message))
                failures +|= 1
            }
        }
        if failures > 0 { throw CommandError.notExported(files: failures) }
    }
}

/// The accounts of the documents that a command names.
private struct ExportSources {
    private struct Account: Hashable {
        let scope: Environment.Scope
        let name: String
    }

    private let scope: Environment.Scope
    private var known: [Account: RemoteAccess] = [:]

    init(scope: Environment.Scope) {
        self.scope = scope
    }

    /// Access to the document, and its place on Dropbox.
    mutating func access(
        to path: String
    ) throws(CommandError) -> (access: RemoteAccess, place: RemotePlace) {
        let place = try place(of: path)
        let account = Account(scope: place.environment.scope, name: place.source.account)
        if let access = known[account] { return (access.at(place.source.remotePath), place) }
        let access = try RemoteAccess(place.source, place.environment)
        known[account] = access
        return (access, place)
    }

    /// The account and the path in it, which may be named by a path on a mount. A name with a colon
    /// in it is one behind `./`.
    private func place(of path: String) throws(CommandError) -> RemotePlace {
        let first = path.utf8.first
        let isPath = first == UInt8(ascii: "/") || first == UInt8(ascii: ".")
        if !isPath, path.utf8.contains(":/".utf8) {
            return try RemotePlace(MountSource(parsing: path), scope)
        }
        let place = try RemotePlace(on: RunningMount(containing: path), scope)
        guard !place.source.remotePath.isEmpty else {
            throw .noExport(path: path, reason: "it is the whole account")
        }
        return place
    }
}

/// The export of one document.
private struct DocumentExport {
    let access: RemoteAccess
    /// The document as the user has named it, and its path on Dropbox.
    let path: String
    let place: String
    let environment: Environment

    /// Formats under the names that other programs give them.
    private static let otherNames = ["md": "markdown", "txt": "plain_text"]

    /// Writes the export, and returns a line about it.
    func write(as wanted: String?, to target: ExportTarget) throws(CommandError) -> String {
        if let taken = try target.taken() { throw Self.taken(taken) }
        let document = try document()
        let format = try wanted.map { wanted throws(CommandError) in
            try self.format(wanted, of: document)
        }
        let part = try target.part(for: document.name)
        do throws(CommandError) {
            let export = try fetch(document, as: format, into: part)
            let file = target.file(for: Self.name(of: export, of: document, as: format))
            guard try part.place(at: file, size: export.size, target.replaces) else {
                throw Self.taken(file)
            }
            return "\(path) -> \(file): \(Terminal.size(export.size))"
        } catch {
            part.remove()
            throw error
        }
    }

    private static func taken(_ file: String) -> CommandError {
        .noExport(
            path: file,
            reason: "it is there already; name another file, or add --force to replace it")
    }

    private func document() throws(CommandError) -> RemoteDocument {
        let access = access
        let answer = WorkerThread.result { () async throws(RemoteError) in
            try await access.document()
        }
        switch answer {
        case .success(let document):
            guard !document.isDownloadable else {
                throw .noExport(path: path, reason: "it is an ordinary file, which can be copied")
            }
            return document
        case .failure(.notAFile): throw .noExport(path: path, reason: "it is a folder")
        case .failure(let error): throw ListRemoteCommand.message(error, place, environment)
        case nil: throw .system("the server could not be asked")
        }
    }

    /// The format under the name that Dropbox has for it.
    private func format(
        _ wanted: String, of document: RemoteDocument
    ) throws(CommandError) -> String {
        let formats = document.formats
        if formats.isEmpty || formats.contains(wanted) { return wanted }
        if let other = Self.otherNames[wanted], formats.contains(other) { return other }
        throw .noExport(
            path: path,
            reason: "not as '\(wanted)': it has the formats \(formats.joined(separator: ", "))")
    }

    private func fetch(
        _ document: RemoteDocument, as format: String?, into part: ExportPart
    ) throws(CommandError) -> RemoteExport {
        let access = access
        let answer = WorkerThread.result { () async throws(ExportFailure) in
            try await access.export(document, as: format) { part.write($0, at: $1) }
        }
        switch answer {
        case .success(let export): return export
        case .failure(.local(let code)): throw part.failure(code)
        case .failure(.remote(.notDownloadable)):
            let end = format.map { " as '\($0)'" } ?? ""
            throw .noExport(path: path, reason: "Dropbox does not export it\(end)")
        case .failure(.remote(.busy)):
            throw .noExport(
                path: path, reason: "Dropbox does not have the export yet; try again in a while")
        case .failure(.remote(let error)):
            throw ListRemoteCommand.message(error, place, environment)
        case nil: throw .system("the server could not be asked")
        }
    }

    /// The name of the document with the extension of the export.
    private static func name(
        of export: RemoteExport, of document: RemoteDocument, as format: String?
    ) -> String {
        let name = document.name
        let short = format.flatMap { format in otherNames.first { $0.value == format }?.key }
        let end = export.fileExtension ?? short ?? "export"
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return "\(name).\(end)"
        }
        return "\(name[..<dot]).\(end)"
    }
}
