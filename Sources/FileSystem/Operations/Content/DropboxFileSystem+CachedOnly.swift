// Programs that open every file they see, such as indexers and makers of thumbnails: they get cached content,
// and nothing is fetched for them.

import BlockCache
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging

extension DropboxFileSystem {
    /// Refuses an open by one of these programs if its reads could need the network.
    ///
    /// At open, because a program skips a file that it cannot open; an error in the middle of one may end it, as
    /// that of a mapping does.
    func refuseFetching(
        _ file: OpenFile, flags: OpenFlags, caller: CallingProcess
    ) throws(FileSystemError) {
        guard !options.cachedOnly.isEmpty, flags.reads, !flags.truncates,
            let content = fetchedContent(of: file), content.size > 0
        else { return }
        // Of small files, the cache answers sooner than /proc.
        let isSmall = content.size <= DiskBlockCache.blockSize
        if isSmall && reader.isCached(content) { return }
        try refuseFetching(
            of: file.inode, caller: caller, unless: !isSmall && reader.isCached(content))
    }

    /// Refuses an open that would fetch content for one of these programs, unless the content is here.
    ///
    /// `isHere` is evaluated for these programs only.
    func refuseFetching(
        of inode: InodeID, caller: CallingProcess, unless isHere: @autoclosure () -> Bool = false
    ) throws(FileSystemError) {
        guard !options.cachedOnly.isEmpty, let program = programName(caller),
            options.cachedOnly.contains(program), !isHere()
        else { return }
        log.debug(
            "content is not fetched for this program",
            metadata: ["program": "\(program)", "inode": "\(inode)"])
        throw .accessDenied
    }

    /// The revision that reads of a file may fetch.
    private func fetchedContent(of file: OpenFile) -> FileVersion? {
        switch file.content {
        case .unknown: nil
        case .revision(let content): content
        case .staged(let staged): staged.base.map { self.content(of: $0) }
        // It is here.
        case .exported: nil
        }
    }
}
