// Programs that open every file they see, such as indexers and makers of thumbnails: they get
// cached content, and nothing is fetched for them.

import BlockCache
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging

/// Refuses opens of these programs whose reads could need the network.
final class CachedOnlyPrograms: Sendable {
    private let names: ProgramNames
    private let reader: any ContentReading
    /// The name of the caller's program, if it can be known.
    private let programName: @Sendable (CallingProcess) -> String?
    private let log: Logger

    init(
        _ names: ProgramNames, reader: any ContentReading,
        programName: @escaping @Sendable (CallingProcess) -> String?, log: Logger
    ) {
        self.names = names
        self.reader = reader
        self.programName = programName
        self.log = log
    }

    /// Refuses an open of this content by one of these programs if its reads could need the
    /// network.
    ///
    /// At open, because a program skips a file that it cannot open; an error in the middle of one
    /// may end it, as that of a mapping does.
    func refuse(
        _ content: OpenFile.Content, of inode: InodeID, flags: OpenFlags, caller: CallingProcess
    ) throws(FileSystemError) {
        guard !names.isEmpty, flags.reads, !flags.truncates,
            let fetched = fetchedContent(of: content), fetched.size > 0
        else { return }
        // Of small files, the cache answers sooner than /proc.
        let isSmall = fetched.size <= DiskBlockCache.blockSize
        if isSmall && reader.isCached(fetched) { return }
        try refuse(
            of: inode, caller: caller, unless: !isSmall && reader.isCached(fetched))
    }

    /// Refuses an open that would fetch content for one of these programs, unless the content is
    /// here.
    ///
    /// `isHere` is evaluated for these programs only.
    func refuse(
        of inode: InodeID, caller: CallingProcess, unless isHere: @autoclosure () -> Bool = false
    ) throws(FileSystemError) {
        guard !names.isEmpty, let program = programName(caller),
            names.contains(program), !isHere()
        else { return }
        log.debug(
            "content is not fetched for this program",
            metadata: ["program": "\(program)", "inode": "\(inode)"])
        throw .accessDenied
    }

    /// The revision that reads of a file may fetch.
    private func fetchedContent(of content: OpenFile.Content) -> FileVersion? {
        switch content {
        case .unknown: nil
        case .revision(let content): content
        case .staged(let staged): staged.base.map { FileVersion(of: $0) }
        // It is here.
        case .exported: nil
        }
    }
}
