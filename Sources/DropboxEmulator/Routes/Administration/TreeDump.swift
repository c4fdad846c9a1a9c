// The current tree for tests: one JSON text with a line for each entry.

import NIOCore

/// Every living entry of a Dropbox, in the order of their paths.
struct TreeDump: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    /// Maximum entries read under one lock.
    private static let batch = 1000

    let space: Space

    func makeAsyncIterator() -> Iterator { Iterator(space: space) }

    struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case start
            case after([String], isFirst: Bool)
            case end
        }

        fileprivate let space: Space
        private var state = State.start

        fileprivate init(space: Space) {
            self.space = space
        }

        mutating func next() async throws -> ByteBuffer? {
            switch state {
            case .start:
                state = .after([], isFirst: true)
                return ByteBuffer(string: "{\"entries\": [")
            case .after(let names, let isFirst):
                let (lines, next) = space.tree { $0.dump(after: names, limit: TreeDump.batch) }
                var text = lines.isEmpty ? "" : (isFirst ? "\n" : ",\n")
                text += lines.joined(separator: ",\n")
                if let next {
                    state = .after(next, isFirst: false)
                } else {
                    state = .end
                    text += "\n]}\n"
                }
                return ByteBuffer(string: text)
            case .end: return nil
            }
        }
    }
}

extension AccountTree {
    /// A part of the tree as JSON lines, and the position after it; nil at the end.
    fileprivate func dump(after names: [String], limit: Int) -> ([String], [String]?) {
        var walk = TreeWalk(self, folder: .root, after: names, isRecursive: true)
        var lines: [String] = []
        while lines.count < limit, let node = walk.next(in: self) {
            lines.append(dumpEntry(node).text())
        }
        return (lines, walk.isFinished(in: self) ? nil : walk.position(in: self))
    }

    private func dumpEntry(_ node: NodeID) -> JSONValue {
        let entry: JSONValue = [
            "path": .string(nodes.paths(of: node, from: .root).display),
            "id": .string(idText(node)),
        ]
        guard let revision = self[node].revision else { return entry }
        let content = self[self[revision].content]
        return
            entry
            .adding("rev", .string(revText(revision)))
            .adding("size", .integer(content.size))
            .adding("content_hash", .string(content.hash.hex))
            .adding("client_modified", .string(self[revision].clientModified.text))
    }
}
