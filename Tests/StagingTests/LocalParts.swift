// A mount's files, which are opened again as after the death of the process or of the system. Not
// responsible for what these leave.

import MetadataStore

@testable import Staging

/// A mount's local parts.
struct LocalParts {
    let store: MetadataStore
    let staging: StagingArea

    /// Opens those in a folder.
    init(in folder: String, removalDelay: Double = 1, flushDelay: Double = 1000) throws {
        store = try MetadataStore(path: folder + "/tree.sqlite")
        staging = try StagingArea(
            directory: folder + "/staging", store: store, removalDelay: removalDelay,
            flushDelay: flushDelay)
    }
}

extension MetadataStore {
    /// The next start is in another system's memory: unflushed bytes are gone.
    func forgetSystem() throws {
        try write { try $0.setSetting("staging.system", to: "another boot") }
    }
}
