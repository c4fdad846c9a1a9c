// The tags of a union value that is no route's error, as `path/conflict/file`.

import Foundation

enum Tags {
    /// The tags from a value down to its leaf.
    static func of(_ value: some Encodable) -> String {
        guard let data = try? JSONEncoder().encode(value),
            let document = try? JSONSerialization.jsonObject(with: data)
        else { return "" }
        return list(document).joined(separator: "/")
    }

    private static func list(_ value: Any?) -> [String] {
        guard let document = value as? [String: Any], let tag = document[".tag"] as? String
        else { return [] }
        return [tag] + list(document[tag])
    }
}
