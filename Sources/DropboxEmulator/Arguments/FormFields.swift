// Fields as forms and addresses have them: `application/x-www-form-urlencoded`, where a plus sign is
// a space.

import Foundation
import Hummingbird

/// Reads form fields.
enum FormFields {
    /// The fields of a text; of a repeated one, the last.
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
    /// The fields in the address.
    var formFields: [String: String] { FormFields.read((uri.query ?? "").utf8) }
}
