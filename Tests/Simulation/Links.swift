// Symbolic links in histories: a link's target is a token, and so is the text that the server has
// of it. Not responsible for the rules, which are those of files.

import Core
import FileSystem
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport

extension World {
    /// The text of a content; of a link's, its target.
    static func text(of bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains(linkHeading) else { return text }
        // Others, and users of a mount that takes it for a file, may have added to it.
        return text.replacing(linkHeading, with: "").replacing("\n", with: "")
    }

    /// The part of each link's content before the target.
    static let linkHeading: String = {
        let sample = LinkTarget("x").map { String(decoding: $0.content, as: UTF8.self) } ?? ""
        return String(sample.prefix { $0 != "\n" }) + "\n"
    }()

    /// The mark of a link in a view, by which the views of a mount and of the server differ if one
    /// has a file. A link whose facts the server does not keep is a file for all others.
    var linkMark: String { rights.hasRefusedFacts ? "=" : "→" }

    /// Whether the server keeps a target for a content at a path.
    func isLink(_ bytes: [UInt8], at path: String) -> Bool {
        guard let link = server.facts(at: path)?.link else { return false }
        return link.content == bytes
    }
}

extension User {
    /// Makes a link to nothing.
    func link(_ path: String) async throws {
        let token = ledger.issue(name)
        try await within(path) { name, parent in
            let entry = try await self.kernel.holding([parent]) {
                try await self.fs.makeSymbolicLink(
                    name, in: parent, target: Array(token.utf8), caller: Self.caller
                ).value()
            }
            self.kernel.made(entry, name, in: parent)
            self.kernel.letGo(entry.attributes.inode)
            guard !self.isDead else { return }
            self.world.count("links")
            self.ledger.acknowledgeLink(token)
        }
    }
}

extension Ledger {
    /// A link was made. No file is flushed after a while for its sake, as closed ones are.
    func acknowledgeLink(_ token: String) { acknowledge(token, at: .max / 2) }
}

extension Plan {
    /// Has users make links in place of some files.
    mutating func addLinks(using random: inout SeededRandom) {
        steps = steps.map { step in
            switch step {
            case .user(let mount, .write(let path)) where Bool.random(using: &random):
                .user(mount, .link(path))
            // A restored file has no facts, and is a text for all.
            case .user(let mount, .restore(let path)): .user(mount, .unlink(path))
            default: step
            }
        }
    }
}
