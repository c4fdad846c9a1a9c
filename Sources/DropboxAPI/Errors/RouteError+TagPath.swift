// The tag path of an error. Not responsible for sentences: the library's `CallError` makes those.

import Essentials

extension RouteError {
    /// The tags from this error down to its leaf, as in Dropbox's error summaries:
    /// `path/conflict/folder`.
    public var tagPath: String {
        guard let data = try? JSONEncoder().encode(self),
            let document = try? JSONDecoder().decode(TaggedObject.self, from: data)
        else { return "" }
        return document.tags.joined(separator: "/")
    }
}

/// The objects of a JSON document with their tags; all else in it is left out.
struct TaggedObject: Decodable {
    private var tag: String?
    private var objects: [String: TaggedObject] = [:]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        for key in container.allKeys {
            if key == .tag {
                tag = try? container.decode(String.self, forKey: key)
            } else {
                objects[key.stringValue] = try? container.decode(Self.self, forKey: key)
            }
        }
    }

    /// The nested error is the payload, or the field of a struct that is the payload.
    var tags: [String] {
        let payload = tag.flatMap { objects[$0] }
        let inner =
            payload
            ?? objects.sorted { $0.key < $1.key }.lazy.map(\.value).first { $0.tag != nil }
        return [[tag].compactMap(\.self), inner?.tags ?? []].flatMap(\.self)
    }
}
