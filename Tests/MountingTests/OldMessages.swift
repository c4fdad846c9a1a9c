// The messages of programs and mounts up to version 0.1.0: one request and one reply for all
// commands, each with a field for everything. Tests talk in them, so that those programs and mounts
// go on to understand one another.

import DropboxAPI
import LocalIO

@testable import Mounting

/// A request of those programs.
struct ControlRequest: Codable {
    var command: ControlCommand
    var timeout: Double?
    var paths: [String]?
    var includesPinned: Bool?
    var settings: [MountOptionSetting]?
    var limit: Int?
    var revision: String?

    init(
        _ command: ControlCommand, timeout: Double? = nil, paths: [String]? = nil,
        includesPinned: Bool? = nil, settings: [MountOptionSetting]? = nil, limit: Int? = nil,
        revision: String? = nil
    ) {
        self.command = command
        self.timeout = timeout
        self.paths = paths
        self.includesPinned = includesPinned
        self.settings = settings
        self.limit = limit
        self.revision = revision
    }
}

/// A reply of those mounts.
struct ControlReply: Codable {
    var status: MountStatus?
    var progress: Backlog?
    var outcome: DrainOutcome?
    var freedBytes: Int64?
    var cache: CacheReport?
    var pinProgress: PinProgress?
    var pinOutcome: PinOutcome?
    var pins: [PinReport]?
    var conflicts: [ConflictReport]?
    var isTreeKnown: Bool?
    var revisions: RevisionList?
    var link: LinkReport?
    var restored: RevisionReport?
    var limits: LiveSettings?
    var isAccepted: Bool?
    var failure: String?
}

extension ControlConnection {
    /// Receives a reply as those programs did.
    func receive(_ type: ControlReply.Type) -> ControlReply? {
        receiveLine().flatMap { try? JSON.decode(type, from: $0) }
    }
}
