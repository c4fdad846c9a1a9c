// How requests name a node: by its id, which the API accepts in place of a path. For a service that
// refuses ids in changes, the current path is looked up and sent.

package import Core
import DropboxAPI
import Logging

/// The name of a node in one request.
struct NodeName: Hashable, Sendable {
    /// The id or path sent.
    var text: String
    /// Whether that is an id, and so refers to this node at any path.
    var isID: Bool
}

/// The response to one change of a batch.
struct BatchAnswer<Value: Sendable>: Sendable {
    var outcome: RemoteOutcome<Value>
    /// Whether the service refused the form of the node's name.
    var isFormRefused = false
}

extension BatchAnswer {
    /// The response to a change that was refused.
    init(failure: RemoteError, isFormRefused: Bool = false) {
        self.init(outcome: .failure(failure), isFormRefused: isFormRefused)
    }
}

extension DropboxStore {
    /// Concurrent lookups before a batch.
    private static let checksAtOnce = 8

    /// The entry with an id, at its current path.
    package func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        guard id.isSendable else { return nil }
        let mounted = try await mountedFolder()
        let templates = template.ids
        let metadata: Files.Metadata
        do {
            metadata = try await client.call(
                Files.getMetadata,
                Files.GetMetadataArg(
                    path: id.rawValue, includePropertyGroups: FeedPosition.filter(of: templates)),
                options: .interactive)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound { return nil }
            // Not of the node: nothing is known to be gone.
            throw mapped == .disallowedName
                ? .malformed("the id of a node was refused as no id") : mapped
        }
        switch MetadataReader(prefix: mounted.prefix, templates: templates).read(metadata) {
        case .outside, .root: return nil
        case .refused: throw .malformed("an entry without a usable name, path or size")
        case .entry(let entry):
            guard entry.id == id else { throw .malformed("\(id) was asked for, another came") }
            return entry
        }
    }

    /// The name of a node for the request of a change.
    ///
    /// If only paths can be sent, this requests the current path, unless a revision guards the
    /// change, which no other node has. A change that is void elsewhere names the path. Throws
    /// `notFound` if the node is gone.
    func nameInChange(
        of node: RemoteReference, isGuarded: Bool = false
    ) async throws(RemoteError) -> NodeName {
        do throws(RemoteError) {
            return try await name(of: node, isGuarded: isGuarded)
        } catch {
            throw error.beforeChange
        }
    }

    private func name(
        of node: RemoteReference, isGuarded: Bool
    ) async throws(RemoteError) -> NodeName {
        try await mountedFolder()
        let path = NodeName(text: serverPath(node.path), isID: false)
        guard let id = node.id, id.isSendable else { return path }
        if node.isOnlyAtPath {
            // The API has no condition for it, and would move another node that has come there.
            if let found = try await entry(at: node.path), found.id != id { throw .notFound }
            return path
        }
        guard refusesIDs else { return NodeName(text: id.rawValue, isID: true) }
        if isGuarded { return path }
        guard let entry = try await entry(of: id) else { throw .notFound }
        return NodeName(text: serverPath(entry.foldedPath), isID: false)
    }

    /// Records if a failure means that the service refuses ids in changes. Returns whether it does.
    func noteRefusal<Failure: NamingError>(
        of name: NodeName, _ error: CallError<Failure>
    ) -> Bool {
        guard name.isID, error.isFormRefused else { return false }
        noteRefusalOfIDs()
        return true
    }

    /// Logs if a response is about another node than the intended one.
    func compare(_ entry: RemoteEntry, with node: RemoteReference) {
        guard let id = node.id, let found = entry.id, found != id else { return }
        log.warning(
            "a change sent by path met another node than was meant",
            metadata: ["path": "\(node.path)", "meant": "\(id)", "met": "\(found)"])
    }

    /// The same, for a move. Throws `conflict` if another node was at the path of one that was to
    /// move from there only.
    func check(_ moved: RemoteEntry, is node: RemoteReference) throws(RemoteError) {
        compare(moved, with: node)
        if node.isOnlyAtPath, let id = node.id, moved.id != id { throw .conflict(.other) }
    }

    // MARK: Batches

    /// Sends changes of nodes as one batch. Changes refused because of an id are resent with the
    /// path.
    func sendNamed<Change: Sendable, Value: Sendable>(
        _ changes: [Change], isGuarded: Bool = false, node: (Change) -> RemoteReference,
        send: ([(change: Change, name: NodeName)]) async throws(RemoteError) -> [BatchAnswer<Value>]
    ) async throws(RemoteError) -> [RemoteOutcome<Value>] {
        let names = await names(of: changes.map(node), isGuarded: isGuarded)
        var outcomes: [RemoteOutcome<Value>?] = []
        var named: [(index: Int, name: NodeName)] = []
        for (index, name) in names.enumerated() {
            switch name {
            case .success(let name):
                named.append((index, name))
                outcomes.append(nil)
            case .failure(let error): outcomes.append(.failure(error))
            }
        }
        let answers = try await answers(named.map { (changes[$0.index], $0.name) }, send)
        for (sent, answer) in zip(named, answers) where !(answer.isFormRefused && sent.name.isID) {
            outcomes[sent.index] = answer.outcome
        }
        let refused = outcomes.indices.filter { outcomes[$0] == nil }
        if !refused.isEmpty {
            noteRefusalOfIDs()
            do throws(RemoteError) {
                let again = try await sendNamed(
                    refused.map { changes[$0] }, isGuarded: isGuarded, node: node, send: send)
                for (index, outcome) in zip(refused, again) { outcomes[index] = outcome }
            } catch {
                // The others are made.
                for index in refused { outcomes[index] = .failure(error) }
            }
        }
        return outcomes.map { $0 ?? .failure(.malformed("a change without an answer")) }
    }

    private func answers<Change: Sendable, Value: Sendable>(
        _ changes: [(change: Change, name: NodeName)],
        _ send: ([(change: Change, name: NodeName)]) async throws(RemoteError) -> [BatchAnswer<
            Value
        >]
    ) async throws(RemoteError) -> [BatchAnswer<Value>] {
        if changes.isEmpty { return [] }
        do throws(RemoteError) {
            return try await send(changes)
        } catch {
            // The server refuses the whole request when one of its paths is malformed.
            guard error == .disallowedName, changes.contains(where: \.name.isID) else {
                throw error
            }
            return changes.map { _ in BatchAnswer(outcome: .failure(error), isFormRefused: true) }
        }
    }

    /// The names of nodes for requests, in their order.
    private func names(
        of nodes: [RemoteReference], isGuarded: Bool
    ) async -> [RemoteOutcome<NodeName>] {
        await withTaskGroup(of: (Int, RemoteOutcome<NodeName>).self) { group in
            var rest = nodes.enumerated().makeIterator()
            func ask() {
                guard let (index, node) = rest.next() else { return }
                group.addTask { (index, await self.outcome(of: node, isGuarded: isGuarded)) }
            }
            for _ in 0..<Self.checksAtOnce { ask() }
            var names = [RemoteOutcome<NodeName>](
                repeating: .failure(.cancelled), count: nodes.count)
            for await (index, name) in group {
                names[index] = name
                ask()
            }
            return names
        }
    }

    /// The name of a node for a request, or the error. A separate function: in a child task's
    /// closure that returns it with the index, Swift 6.3 optimizes the index away (seen as an index
    /// out of range).
    private func outcome(
        of node: RemoteReference, isGuarded: Bool
    ) async -> RemoteOutcome<NodeName> {
        do throws(RemoteError) {
            return .success(try await nameInChange(of: node, isGuarded: isGuarded))
        } catch {
            return .failure(error)
        }
    }
}

extension FileID {
    /// Whether it has the form of an id, and cannot be mistaken for a path.
    var isSendable: Bool { rawValue.hasPrefix("id:") }
}

/// The error of a route whose argument names a node.
protocol NamingError {
    /// Whether the route refused the form of the node's name.
    var isFormRefused: Bool { get }
}

extension Files.DeleteError: NamingError {
    var isFormRefused: Bool {
        switch self {
        case .pathLookup(.malformedPath), .pathWrite(.malformedPath): true
        default: false
        }
    }
}

extension Files.RelocationError: NamingError {
    var isFormRefused: Bool {
        switch self {
        case .fromLookup(.malformedPath), .fromWrite(.malformedPath): true
        default: false
        }
    }
}

extension Files.RelocationBatchErrorEntry: NamingError {
    var isFormRefused: Bool {
        if case .relocationError(let error) = self { error.isFormRefused } else { false }
    }
}

extension CallError where Failure: NamingError {
    /// Whether the route refused the form of the node's name.
    fileprivate var isFormRefused: Bool {
        switch kind {
        case .route(let failure, _): failure.isFormRefused
        case .badInput(let message):
            message.contains("did not match pattern") && !message.contains("to_path")
        default: false
        }
    }
}
