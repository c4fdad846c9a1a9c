// Shared links: URLs that give access to an entry to all who have the URL.

/// `sharing.CreateSharedLinkWithSettingsError`, as far as the emulator uses it.
enum CreateLinkError: APIUnion, Equatable {
    case path(LookupError)
    case alreadyExists

    var json: JSONValue {
        switch self {
        case .path(let error): .tag("path", error.json)
        // The service may send the link itself with the error; it leaves it out for some callers.
        case .alreadyExists: .tag("shared_link_already_exists")
        }
    }
}

/// `sharing.ListSharedLinksError`, as far as the emulator uses it.
enum ListLinksError: APIUnion, Equatable {
    case path(LookupError)
    case reset

    var json: JSONValue {
        switch self {
        case .path(let error): .tag("path", error.json)
        case .reset: .tag("reset")
        }
    }
}

/// `sharing.RevokeSharedLinkError`, as far as the emulator uses it.
enum RevokeLinkError: APIUnion, Equatable {
    case notFound
    case malformed

    var json: JSONValue {
        .tag(self == .notFound ? "shared_link_not_found" : "shared_link_malformed")
    }
}

extension AccountTree {
    /// Creates a link to an entry. It follows moves of the entry, and ends when the entry is
    /// deleted.
    mutating func addLink(
        _ path: String, secret: String, from base: NodeID
    ) throws(CreateLinkError) -> NodeID {
        let node: NodeID
        do throws(LookupError) {
            node = try livingNode(path, from: base)
        } catch {
            throw .path(error)
        }
        guard node != .root, node != base else { throw .path(.malformedPath) }
        guard sharedLinks[node] == nil else { throw .alreadyExists }
        sharedLinks.add(secret, to: node)
        return node
    }

    /// Revokes the link with a secret.
    mutating func removeLink(_ secret: String) throws(RevokeLinkError) {
        guard sharedLinks.remove(secret) else { throw .notFound }
    }

    /// The entries with a link, in the order of their paths: all of them, or one entry and, unless
    /// `directOnly`, its ancestor folders.
    func linked(
        _ path: String?, directOnly: Bool, from base: NodeID
    ) throws(ListLinksError) -> [NodeID] {
        let living = sharedLinks.nodes.filter { self[$0].isAlive }
        guard let path else {
            return living.sorted {
                nodes.paths(of: $0, from: base).key < nodes.paths(of: $1, from: base).key
            }
        }
        var current: NodeID
        do throws(LookupError) {
            current = try livingNode(path, from: base)
        } catch {
            throw .path(error)
        }
        var found: [NodeID] = []
        while current != .root {
            if sharedLinks[current] != nil { found.append(current) }
            if directOnly { break }
            current = self[current].parent
        }
        return found
    }
}
