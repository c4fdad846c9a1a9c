// How requests name the node that they are about: by its id, which the API takes in place of a path. A
// service that refuses that is asked where the node is, and sent that path.

public import Core
import DropboxAPI
import Logging

/// How one request names a node.
struct NodeName: Hashable, Sendable {
    /// What stands for the path.
    var text: String
    /// Whether that is an id, and so means this node wherever it is.
    var isID: Bool
}

/// The answer to one change of a batch.
struct BatchAnswer<Value: Sendable>: Sendable {
    var outcome: RemoteOutcome<Value>
    /// Whether the form is refused in which the node was named.
    var isFormRefused = false
}

extension DropboxStore {
    /// Questions that are asked at once before a batch.
    private static let checksAtOnce = 8

    /// What has an id, wherever it is now.
    public func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        guard id.isSendable else { return nil }
        try await mountedFolder()
        let metadata: Files.Metadata
        do {
            metadata = try await client.call(
                Files.getMetadata, Files.GetMetadataArg(path: id.rawValue), options: .interactive)
        } catch {
            let mapped = RemoteError(error) { RemoteError($0) }
            if mapped == .notFound || mapped == .disallowedName { return nil }
            throw mapped
        }
        switch reader.read(metadata) {
        case .outside, .root: return nil
        case .refused: throw .malformed("an entry without a usable name, path or size")
        case .entry(let entry):
            guard entry.id == id else { throw .malformed("\(id) was asked for, another came") }
            return entry
        }
    }

    /// What a request is to call a node.
    ///
    /// Where only paths can be sent, this asks where the node is now, unless the change is guarded by a
    /// revision, which no other node has. Throws `notFound` if the node is gone.
    func name(
        of node: RemoteReference, isGuarded: Bool = false
    ) async throws(RemoteError) -> NodeName {
        try await mountedFolder()
        let path = NodeName(text: serverPath(node.path), isID: false)
        guard let id = node.id, id.isSendable else { return path }
        guard refusesIDs else { return NodeName(text: id.rawValue, isID: true) }
        if isGuarded { return path }
        guard let entry = try await entry(of: id) else { throw .notFound }
        return NodeName(text: serverPath(entry.foldedPath), isID: false)
    }

    /// Takes note if a failure says that the service does not take ids in changes. Returns whether it does.
    func noteRefusal<Failure: NamingError>(
        of name: NodeName, _ error: CallError<Failure>
    ) -> Bool {
        guard name.isID, error.isFormRefused else { return false }
        noteRefusalOfIDs()
        return true
    }

    /// Says so if an answer is about another node than was meant.
    func compare(_ entry: RemoteEntry, with node: RemoteReference) {
        guard let id = node.id, let found = entry.id, found != id else { return }
        log.warning(
            "a change sent by path met another node than was meant",
            metadata: ["path": "\(node.path)", "meant": "\(id)", "met": "\(found)"])
    }

    // MARK: Batches

    /// Sends changes of nodes as one batch. What is refused because it was named by an id is sent again by
    /// its path.
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
            let again = try await sendNamed(
                refused.map { changes[$0] }, isGuarded: isGuarded, node: node, send: send)
            for (index, outcome) in zip(refused, again) { outcomes[index] = outcome }
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
            // The whole request is refused when one of its paths is none for the API.
            guard error == .disallowedName, changes.contains(where: \.name.isID) else {
                throw error
            }
            return changes.map { _ in BatchAnswer(outcome: .failure(error), isFormRefused: true) }
        }
    }

    /// What requests are to call nodes, in their order.
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

    /// What a request is to call a node, or why there is no such name. A function of its own: in a child task's
    /// closure that returns it with the index, Swift 6.3 optimizes the index away (seen as an index out of range).
    private func outcome(
        of node: RemoteReference, isGuarded: Bool
    ) async -> RemoteOutcome<NodeName> {
        do throws(RemoteError) {
            return .success(try await name(of: node, isGuarded: isGuarded))
        } catch {
            return .failure(error)
        }
    }
}

extension FileID {
    /// Whether it has the form of an id, and cannot be taken for a path.
    fileprivate var isSendable: Bool { rawValue.hasPrefix("id:") }
}

/// The error of a route whose argument names a node.
protocol NamingError {
    /// Whether it says that the node is not named in a form that the route takes.
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
    /// Whether the node is not named in a form that the route takes.
    fileprivate var isFormRefused: Bool {
        switch kind {
        case .route(let failure, _): failure.isFormRefused
        case .badInput(let message):
            message.contains("did not match pattern") && !message.contains("to_path")
        default: false
        }
    }
}
