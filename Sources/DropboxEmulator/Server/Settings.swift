// How the emulator behaves apart from what the API prescribes; changed by the admin route.

/// Latency, bandwidth and the choices that the specification leaves to the service.
struct Settings: Sendable {
    /// Added to every request, or to those of one route, in milliseconds.
    var latency: [String: Int64] = [:]
    /// Bytes per second; nil for no cap.
    var uploadRate: Int64?
    var downloadRate: Int64?
    /// Most seconds of random jitter added to a longpoll's timeout (files.stone: up to 90).
    var longpollJitter: Int64 = 90
    /// Replaces the timeout that longpolls ask for, jitter included, in milliseconds.
    var longpollTimeout: Int64?
    /// `backoff` in the answers to longpolls, in seconds.
    var longpollBackoff: Int64?
    /// How often a job answers `in_progress` before it is complete.
    var jobPolls: Int64 = 0
    /// Batches up to this size that may be answered at once are.
    var synchronousBatch: Int64 = 100
    /// Pages are no longer than this, whatever a client asks for.
    var pageSize: Int64 = 2000
    /// Every second page of a listing is empty, with `has_more`.
    var hasEmptyPages = false
    /// Gives parents in `path_display` in a case of the server's own choice.
    var hasUnreliableParentCase = false

    /// Refuses a `Dropbox-API-Arg` header that is not ASCII. The documentation demands that it be;
    /// rclone, whose tests run against the service, sends UTF-8.
    var demandsASCIIArguments = false

    /// All settings, as the admin route gives them.
    var json: JSONValue {
        [
            "latency_ms": .object(
                latency.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }),
            "upload_bytes_per_second": .optional(uploadRate),
            "download_bytes_per_second": .optional(downloadRate),
            "longpoll_jitter_seconds": .integer(longpollJitter),
            "longpoll_timeout_ms": .optional(longpollTimeout),
            "longpoll_backoff_seconds": .optional(longpollBackoff),
            "job_polls": .integer(jobPolls),
            "synchronous_batch": .integer(synchronousBatch),
            "page_size": .integer(pageSize),
            "empty_pages": .boolean(hasEmptyPages),
            "unreliable_parent_case": .boolean(hasUnreliableParentCase),
            "ascii_arguments": .boolean(demandsASCIIArguments),
        ]
    }

    /// Changes the settings that a struct names.
    mutating func update(_ value: JSONValue) throws(ArgumentError) {
        var reader = try ArgumentReader(value)
        if let latency = try reader.take("latency_ms") {
            try setLatency(latency)
        }
        try reader.update("upload_bytes_per_second", &uploadRate)
        try reader.update("download_bytes_per_second", &downloadRate)
        longpollJitter = try reader.integer(
            "longpoll_jitter_seconds", in: 0...3600, default: longpollJitter)
        try reader.update("longpoll_timeout_ms", &longpollTimeout)
        try reader.update("longpoll_backoff_seconds", &longpollBackoff)
        jobPolls = try reader.integer("job_polls", in: 0...1_000_000, default: jobPolls)
        synchronousBatch = try reader.integer(
            "synchronous_batch", in: 0...1_000_000, default: synchronousBatch)
        pageSize = try reader.integer("page_size", in: 1...2000, default: pageSize)
        hasEmptyPages = try reader.boolean("empty_pages", default: hasEmptyPages)
        hasUnreliableParentCase = try reader.boolean(
            "unreliable_parent_case", default: hasUnreliableParentCase)
        demandsASCIIArguments = try reader.boolean(
            "ascii_arguments", default: demandsASCIIArguments)
        try reader.finish()
    }

    /// A number holds for all routes, an object for those that it names ("*" for all others).
    private mutating func setLatency(_ value: JSONValue) throws(ArgumentError) {
        switch value {
        case .integer(let milliseconds): latency = ["*": milliseconds]
        case .object(let members):
            latency = [:]
            for member in members {
                latency[member.name] = try ArgumentReader.integer(
                    member.value, in: 0...3_600_000, at: "latency_ms.\(member.name)")
            }
        default:
            throw ArgumentReader.error("latency_ms", "expected integer, got \(value.kind)")
        }
    }
}

extension ArgumentReader {
    /// Takes a number that null switches off; leaves the value as it is where the field is absent.
    fileprivate mutating func update(
        _ name: String, _ value: inout Int64?
    ) throws(ArgumentError) {
        guard let field = try take(name) else { return }
        value =
            field == .null
            ? nil : try Self.integer(field, in: 0...Int64.max, at: at(name))
    }
}

extension JSONValue {
    /// A number, or null.
    static func optional(_ number: Int64?) -> JSONValue {
        number.map { .integer($0) } ?? .null
    }
}
