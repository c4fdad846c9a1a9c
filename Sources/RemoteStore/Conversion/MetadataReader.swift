// Validates metadata from the server and converts it to entries that a filesystem can hold. A
// broken or hostile server must not be able to name a path outside of the mount. Pure.

import Core
import DropboxAPI
import Saturating

/// Parses metadata of entries below one folder of an account.
struct MetadataReader: Sendable {
    /// The result of reading a piece of metadata.
    enum Reading: Equatable {
        /// An entry below the mount's root.
        case entry(RemoteEntry)
        /// The mount's root itself, with its folder's id; nil if it is deleted.
        case root(FileID?)
        /// An entry outside of the mount.
        case outside
        /// An entry that cannot be represented.
        case refused
    }

    /// Maximum depth of folders. Linux's longest path (`PATH_MAX`) has room for 2,048, and programs
    /// that walk trees recursively need stack for each.
    static let maximumDepth = 1024
    /// Largest plausible file, 4 TiB: twice Dropbox's largest (2^41 - 2^22 bytes). An entry that
    /// claims more is left out.
    static let maximumSize: UInt64 = 0x400_0000_0000
    /// Longest plausible id or revision, in bytes; real ones have about 25.
    static let maximumIdentifierLength = 1024
    /// Longest plausible cursor, in bytes. Dropbox's have about 200; those of a server that has a
    /// folder's path in them, some 350,000 at the maximum depth.
    static let maximumCursorLength = 1 << 20

    /// The field of a property that has POSIX facts.
    static let factsField = "facts"

    private let prefix: [String]
    /// The templates whose properties were requested.
    private let templates: [String]

    /// Takes the server's folded path of the mounted folder.
    init(prefix: RemotePath, templates: [String] = []) {
        self.prefix = Self.components(of: prefix.rawValue) ?? []
        self.templates = templates
    }

    func read(_ metadata: Files.Metadata) -> Reading {
        // Without a path, it is outside of the account's folders: an unmounted shared folder.
        guard let path = metadata.pathLower else { return .outside }
        guard let components = Self.components(of: path) else { return .refused }
        guard let below = withoutPrefix(components) else { return .outside }
        guard !below.isEmpty else { return .root(id(of: metadata)) }
        guard below.count <= Self.maximumDepth,
            below.allSatisfy({ (try? FileName($0)) != nil }),
            let filed = below.last, let name = try? FileName(metadata.name, key: filed),
            Self.canFold(name),
            let kind = kind(of: metadata)
        else { return .refused }
        let folded = prefix.isEmpty ? path : below.map { "/\($0)" }.joined()
        return .entry(
            RemoteEntry(foldedPath: RemotePath(rawValue: folded), name: name, kind: kind))
    }

    /// The entry in a response about one. Throws `malformed` unless its name is valid.
    func entry(_ metadata: Files.Metadata) throws(RemoteError) -> RemoteEntry {
        guard case .entry(let entry) = read(metadata) else {
            throw .malformed("an entry without a usable name, path or size")
        }
        return entry
    }

    /// A revision of a file, regardless of its path. Throws `malformed` for invalid metadata.
    func version(_ metadata: Files.FileMetadata) throws(RemoteError) -> RemoteFile {
        guard let file = file(metadata) else {
            throw .malformed("a revision without a usable name or size")
        }
        return file
    }

    // MARK: Paths

    /// Whether a path is that of a folder that can be mounted.
    static func isPlace(_ path: String) -> Bool {
        components(of: path).map { !$0.isEmpty && $0.count <= maximumDepth && !$0.contains("") }
            ?? false
    }

    /// The names in a path. Split by bytes: a slash and a combining mark are one `Character`.
    private static func components(of path: String) -> [String]? {
        if path.isEmpty { return [] }
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        return path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
    }

    private func withoutPrefix(_ components: [String]) -> [String]? {
        guard components.count >= prefix.count,
            zip(prefix, components).allSatisfy({ $0.utf8.elementsEqual($1.utf8) })
        else { return nil }
        return Array(components.dropFirst(prefix.count))
    }

    /// Whether the server may use the name's key as its folded form.
    ///
    /// ASCII folds in one known way. Dropbox's folding of other characters is not documented, and
    /// hiding a file because of a wrong guess would be worse than anything a server could gain by
    /// lying here.
    private static func canFold(_ name: FileName) -> Bool {
        // A name has a key if it is not the predicted one.
        name.key == nil || !name.isASCII
    }

    // MARK: Facts

    private func kind(of metadata: Files.Metadata) -> RemoteEntry.Kind? {
        switch metadata {
        case .deleted: .deleted
        case .unknown: nil
        case .folder(let folder): self.folder(folder).map { .folder($0) }
        case .file(let file): self.file(file).map { .file($0) }
        }
    }

    private func id(of metadata: Files.Metadata) -> FileID? {
        if case .folder(let folder) = metadata { FileID(folder.id) } else { nil }
    }

    private func folder(_ folder: Files.FolderMetadata) -> RemoteFolder? {
        guard Self.isIdentifier(folder.id) else { return nil }
        let sharing = folder.sharingInfo
        return RemoteFolder(
            id: FileID(folder.id),
            sharedFolderID: sharing?.sharedFolderID.flatMap { Self.isIdentifier($0) ? $0 : nil },
            isReadOnly: sharing?.readOnly ?? false,
            isTraverseOnly: sharing?.traverseOnly ?? false,
            isNoAccess: sharing?.noAccess ?? false, posix: facts(in: folder.propertyGroups))
    }

    private func file(_ file: Files.FileMetadata) -> RemoteFile? {
        guard Self.isIdentifier(file.id), Self.isIdentifier(file.rev),
            file.size <= Self.maximumSize
        else { return nil }
        let target = file.symlinkInfo.map { LinkTarget($0.target) }
        // A link that cannot be one here.
        if case .some(nil) = target { return nil }
        return RemoteFile(
            id: FileID(file.id), revision: Revision(file.rev), hash: file.contentHash,
            size: Int64(clamping: file.size),
            clientModified: WallTime(seconds: file.clientModified.secondsSince1970),
            serverModified: WallTime(seconds: file.serverModified.secondsSince1970),
            symbolicLinkTarget: target ?? nil,
            // Without a hash the bytes cannot be verified.
            isDownloadable: file.isDownloadable && file.contentHash != nil,
            isReadOnly: file.sharingInfo?.readOnly ?? false,
            posix: facts(in: file.propertyGroups))
    }

    /// The facts in properties. Of two templates, which two machines may have made at the same
    /// moment, the first one counts.
    private func facts(in groups: [FileProperties.PropertyGroup]?) -> PosixReport {
        if templates.isEmpty { return .untold }
        for template in templates {
            let group = groups?.first { $0.templateID == template }
            let field = group?.fields.first { $0.name == Self.factsField }
            guard let field else { continue }
            // A text of a later version is left alone until users here change something.
            return PosixFacts(text: field.value).map { .told($0) } ?? .untold
        }
        return .missing
    }

    /// A position in a listing. Throws `malformed` for one that is too long to store.
    static func cursor(_ text: String) throws(RemoteError) -> Core.Cursor {
        guard !text.isEmpty else { throw .malformed("a page without a cursor") }
        guard text.utf8.count <= maximumCursorLength else {
            throw .malformed("a cursor of \(text.utf8.count) bytes")
        }
        return Core.Cursor(text)
    }

    static func isIdentifier(_ text: String) -> Bool {
        (1...maximumIdentifierLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }
}

extension RemoteSpace {
    init(_ usage: Users.SpaceUsage) {
        let used = Self.bytes(usage.used)
        switch usage.allocation {
        case .individual(let individual):
            self.init(
                used: used, allocated: Self.bytes(individual.allocated), isPersonal: true)
        case .team(let team)
        where team.userWithinTeamSpaceAllocated > 0
            && team.userWithinTeamSpaceLimitType == .stopSync:
            // A member's cap does not help when the team's quota is used up.
            let memberUsed = Self.bytes(team.userWithinTeamSpaceUsedCached)
            let ofMember = max(
                0, Self.bytes(team.userWithinTeamSpaceAllocated) -| memberUsed)
            let ofTeam = max(0, Self.bytes(team.allocated) -| Self.bytes(team.used))
            self.init(used: memberUsed, allocated: memberUsed +| min(ofMember, ofTeam))
        case .team(let team):
            self.init(used: Self.bytes(team.used), allocated: Self.bytes(team.allocated))
        case .unknown:
            // The quota is unknown; a full account shows in the errors of uploads.
            self.init(used: used, allocated: Self.bytes(.max))
        }
    }

    /// A byte count clamped to 2^60, so that sums and block counts do not overflow.
    private static func bytes(_ number: UInt64) -> Int64 {
        Int64(clamping: min(number, 0x1000_0000_0000_0000))
    }
}
