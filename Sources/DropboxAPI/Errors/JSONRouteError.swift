// The error of a route of which only the name is known: its tags. Not responsible for its payloads,
// which the answer's body has (`FailureAnswer`).

/// An error of any route.
package struct JSONRouteError: RouteError, CustomStringConvertible {
    /// The tags from the outermost to the leaf.
    package let tags: [String]

    /// Reads an object with tags, or a bare tag.
    package init(from decoder: any Decoder) throws {
        if let tag = try? decoder.singleValueContainer().decode(String.self) {
            tags = [tag]
        } else {
            tags = try TaggedObject(from: decoder).tags
        }
    }

    /// Writes the tags, each within the one before.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        for (index, tag) in tags.enumerated() {
            try container.encode(tag, forKey: .tag)
            guard index < tags.count &- 1 else { break }
            container = container.nestedContainer(
                keyedBy: JSONKey.self, forKey: JSONKey(stringValue: tag))
        }
    }

    /// The leaf tells. Of content the server may have kept a part: only a request with an empty
    /// body is sent again.
    package var remedy: RouteErrorRemedy {
        switch tags.last {
        case "too_many_write_operations": .waitForWritersUnlessBody
        case "content_hash_mismatch": .resendBody
        default: .none
        }
    }

    /// The tags as in Dropbox's summaries.
    package var description: String { tags.joined(separator: "/") }
}
