// The environment variables of this process.

import CLibrary

/// The variables that this process was started with, by name.
package enum ProcessVariables {
    /// All variables at this moment.
    package static var all: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next = next.advanced(by: 1)
        }
        return variables
    }
}
