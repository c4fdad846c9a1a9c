// The rules that hold when all has come to rest: nothing is lost, torn, there twice, or back. Not
// responsible for the equality of the views, which rest means.

import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting

extension World {
    /// Whether a power cut may bring back a link that an unflushed save has replaced: if another
    /// client stores the bytes of the save, they are on the server, and the link beside them.
    private var mayReturnLinks: Bool {
        plan.hasEqualContents && mounts.indices.contains { plan.cutsPower(of: $0) }
            && plan.makesLinks
    }

    /// Throws a `Violation` if one is broken.
    func checkEnd() throws {
        if let violation { throw violation }
        try checkInvariants()
        let entries = server.otherClient.snapshot.entries
        let texts = serverTexts()
        if let flaw = ledger.flaw(of: texts) { throw Violation(rule: "torn", detail: flaw) }
        for bytes in belated.again {
            ledger.allowCopies(of: Self.text(of: bytes))
        }
        // A listing may leave out a file that moves between two pages; two mounts that have moved a
        // file which a third client deletes both keep it; a power cut may undo the rename of a save
        // whose bytes another client has stored; and so may a file's that becomes local-only. A
        // file that leaves an ignored name is a new one, beside the old one if its deletion is
        // refused.
        let isToldOnce =
            mounts.count == 1 && !plan.steps.contains(.resetCursors) && !hasMovedWhileListing
            && !(plan.hasEqualContents && (plan.cutsPower(of: 0) || plan.ignoresNames))
            && !(rights.hasUndone && plan.ignoresNames)
        if isToldOnce, let text = ledger.copied(in: texts) {
            throw Violation(rule: "twice", detail: text)
        }
        if !mayReturnLinks, let token = ledger.returned(in: texts).first {
            throw Violation(rule: "replaced content is back", detail: token)
        }
        if let token = removals.back(in: texts).first(where: { !ledger.mayBeCopied($0) }) {
            throw Violation(rule: "what was removed is back", detail: token)
        }
        let lost = ledger.lost(from: texts)
        // Folders whose deletions cannot be searched are named in `status`: where a cursor expired
        // at that moment, people have to look among the deleted files.
        for mount in mounts { mount.noteReports() }
        let isReported = mounts.contains { !$0.reported.isEmpty }
        if isReported { count("reports") }
        if !lost.isEmpty, !isReported {
            throw Violation(rule: "lost", detail: lost.joined(separator: " "))
        }
        try checkKept()
        try checkFolders()
        try checkUnseen()
        try checkConflicts(in: entries)
        try checkOwnNames()
        try checkToldNames()
        try checkCopies(of: entries)
        try checkTimes()
        try checkHistories()
        try checkModes()
        let temporary = entries.keys.filter { $0.rawValue.contains(".dbxfs-") }
        if let path = temporary.first {
            throw Violation(rule: "temporary name", detail: path.rawValue)
        }
        // The next process removes files that a full disk kept from being removed.
        let settled = mounts.filter { plan.flushes($0.machine.index) }
        let files = try settled.compactMap(\.process).map { process in
            try process.store.read { try $0.stagedNodes().count }
        }
        if files != files.map({ _ in 0 }) {
            throw Violation(rule: "staged content stays", detail: "\(files)")
        }
        let requests = mounts.map(\.requests).reduce(0, +)
        if requests > 3000 + 200 * plan.steps.count {
            throw Violation(rule: "too many requests", detail: "\(requests)")
        }
    }

    /// Two new folders of a name become one: where nothing is moved, only a file of its name makes
    /// a folder step aside.
    private func checkCopies(of entries: [RemotePath: TreeSnapshot.Entry]) throws {
        // A folder that is not to be deleted may come back beside a new one.
        guard mounts.count == 1, plan.folding == .scalar, !plan.hasMoves, !rights.hasUndone else {
            return
        }
        for (path, entry) in entries where entry == .folder {
            let name = path.components.last ?? ""
            guard let range = name.range(of: " (m0's conflicted copy") else { continue }
            if namesOfFiles.contains(Folding.fold(String(name[..<range.lowerBound]))) { continue }
            throw Violation(rule: "a folder has stepped aside for a folder", detail: path.rawValue)
        }
    }
}
