// Shared links to nodes on a mount.

import Blocking
import Core
import Logging
import MetadataStore
import Mounting
import RemoteStore

/// Gives shared links to files and folders.
struct MountLinks: Sendable {
    let plan: MountPlan
    let paths: MountPaths
    let remote: DropboxStore
    let log: Logger

    func link(to path: String) throws(CommandError) -> LinkReport {
        let inode = try paths.inode(at: path)
        let place = "\(paths.mountpoint)\(path)"
        let (isLocal, known) = try paths.asking { snapshot in
            (
                try snapshot.node(inode)?.flags.contains(.localOnly) ?? false,
                try snapshot.remotePath(of: inode)
            )
        }
        if isLocal { throw .noLink(path: place, reason: "it stays on this machine") }
        guard let known else { throw .noLink(path: place, reason: "it is not on Dropbox yet") }
        guard inode != .root || !plan.source.remotePath.isEmpty else {
            throw .noLink(path: place, reason: "it is the whole account")
        }
        let remote = remote
        let answer = WorkerThread.result { () async throws(RemoteError) in
            try await remote.link(to: RemotePath(rawValue: known))
        }
        switch answer {
        case .success(let link):
            // Without the address, because it grants access.
            log.notice("link given", metadata: ["path": "\(path)", "new": "\(link.isNew)"])
            return LinkReport(url: link.url, isNew: link.isNew)
        case .failure(.notFound): throw .noLink(path: place, reason: "it is not on Dropbox")
        case .failure(.forbidden(let detail)):
            throw .noLink(
                path: place,
                reason: detail + "; "
                    + CommandError.sharingAdvice(plan.source.account, plan.environment.scope))
        case .failure(let error):
            throw CommandError(refusal: error, by: plan.environment.serverName)
        case nil: throw .system("the server could not be asked")
        }
    }
}
