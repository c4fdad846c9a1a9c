// Fields of forms and query strings: `application/x-www-form-urlencoded`, where a plus sign is a
// space.

import Foundation
import Hummingbird

enum FormFields {
    /// The fields of a text; the last value of a repeated one.
    static func read(_ bytes: some Sequence<UInt8>) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: Array(bytes), as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            if let name = parts.first { fields[name] = parts.count > 1 ? parts[1] : "" }
        }
        return fields
    }
}

extension Request {
    /// The fields of the URL's query.
    var formFields: [String: String] { FormFields.read((uri.query ?? "").utf8) }
}
