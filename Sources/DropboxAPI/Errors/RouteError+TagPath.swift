// The tag path of an error. Not responsible for sentences: the library's `CallError` makes those.

import Foundation

extension RouteError {
    /// The tags from this error down to its leaf, as in Dropbox's error summaries:
    /// `path/conflict/folder`.
    public var tagPath: String {
        guard let data = try? JSONEncoder().encode(self),
            let document = try? JSONSerialization.jsonObject(with: data)
        else { return "" }
        return Self.tags(document as? [String: Any]).joined(separator: "/")
    }

    /// The nested error is the payload, or the field of a struct that is the payload.
    private static func tags(_ document: [String: Any]?) -> [String] {
        guard let document else { return [] }
        let tag = document[".tag"] as? String
        let payload = tag.flatMap { document[$0] as? [String: Any] }
        let inner =
            payload
            ?? document.sorted { $0.key < $1.key }.lazy.compactMap { $0.value as? [String: Any] }
            .first { $0[".tag"] != nil }
        return [[tag].compactMap(\.self), tags(inner)].flatMap(\.self)
    }
}
