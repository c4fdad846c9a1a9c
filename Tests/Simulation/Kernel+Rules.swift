// Whether the kernel's caches have what the filesystem would answer now.

import Core
import FileSystem

extension Kernel {
    /// Throws a `Violation` if a cached answer is not what the filesystem answers now. `text` is
    /// the content of a file.
    func check(_ name: String, text: (InodeID) -> String?) throws {
        guard comeToRest() else { return }
        for cached in sortedNames { try checkName(cached, name) }
        for inode in sortedInodes {
            try checkAttributes(inode, name)
            try checkListing(inode, name)
            try checkPages(inode, name, text)
        }
    }

    private func checkName(_ cached: Name, _ mount: String) throws {
        guard let known = names[cached], known.end > scheduler.now,
            case .ready(let result) = fs.lookup(cached.bytes, in: cached.parent)
        else { return }
        var inode: InodeID?
        if case .found(let entry) = result {
            inode = entry.attributes.inode
            fs.forget(entry.attributes.inode, count: 1)
        }
        guard inode != known.inode, !isDead.isSet else { return }
        throw Violation(
            rule: "the kernel keeps an old name",
            detail: "\(mount) \(cached.parent)/\(String(decoding: cached.bytes, as: UTF8.self)): "
                + "\(String(describing: known.inode)), not \(String(describing: inode))")
    }

    private func checkAttributes(_ inode: InodeID, _ mount: String) throws {
        guard let known = inodes[inode], let cached = known.attributes, known.end > scheduler.now,
            case .ready(let entry) = fs.attributes(of: inode)
        else { return }
        let now = entry.attributes
        let isOld =
            cached.kind != now.kind || cached.size != now.size
            || cached.permissions != now.permissions
            || cached.modificationTime != now.modificationTime
        guard isOld,
            !isDead.isSet
        else { return }
        throw Violation(
            rule: "the kernel keeps old attributes", detail: "\(mount) \(cached), not \(now)")
    }

    private func checkListing(_ folder: InodeID, _ mount: String) throws {
        guard let cached = inodes[folder]?.listing, let names = namesNow(in: folder)
        else { return }
        guard names != cached, !isDead.isSet else { return }
        throw Violation(
            rule: "the kernel keeps an old listing",
            detail: "\(mount) \(folder): \(cached.sorted()), not \(names.sorted())")
    }

    /// The next reader opens the file, and gets the pages if the filesystem lets them stay.
    private func checkPages(
        _ inode: InodeID, _ mount: String, _ text: (InodeID) -> String?
    ) throws {
        guard let pages = inodes[inode]?.pages, !refused.contains(inode),
            case .ready(let opened) = fs.open(
                inode, flags: OpenFlags(reads: true), caller: User.caller)
        else { return }
        defer { fs.release(inode, handle: opened.handle) }
        self.opened(inode, opened)
        guard opened.keepsCache, !opened.isDirect, let text = text(inode) else { return }
        let cached = String(decoding: pages, as: UTF8.self)
        guard cached != text, !isDead.isSet else { return }
        throw Violation(
            rule: "the kernel keeps old pages", detail: "\(mount) \(inode): \(cached), not \(text)")
    }
}
