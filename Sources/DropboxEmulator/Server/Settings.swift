// Settings of the emulator beyond the API's specification; changed by the admin route.

/// Latency, bandwidth and the choices that the specification leaves to the service.
struct Settings: Sendable {
    /// Added to every request, or to those of one route, in milliseconds.
    var latency: [String: Int64] = [:]
    /// Delay between a call's arrival and its execution, in milliseconds, by route as `latency`.
    var latencyAfter: [String: Int64] = [:]
    /// Bytes per second; nil for no limit.
    var uploadRate: Int64?
    var downloadRate: Int64?
    /// Maximum seconds of random jitter added to a longpoll's timeout (files.stone: up to 90).
    var longpollJitter: Int64 = 90
    /// Replaces the timeout that longpolls request, jitter included, in milliseconds.
    var longpollTimeout: Int64?
    /// Delay between a change and the longpoll's response, in milliseconds.
    var longpollDelay: Int64 = 0
    /// `backoff` in longpoll responses, in seconds.
    var longpollBackoff: Int64?
    /// How often a job responds `in_progress` before it is complete.
    var jobPolls: Int64 = 0
    /// Maximum size of batches of folders and moves that are answered synchronously. A batch of 100
    /// folders was recorded to be a job (github.com/Jesus/dropbox_api).
    var synchronousBatch: Int64 = 99
    /// Maximum length of pages, regardless of the client's limit.
    var pageSize: Int64 = 2000
    /// Every second page of a listing is empty, with `has_more`.
    var hasEmptyPages = false
    /// Gives parents in `path_display` in an arbitrary case.
    var hasUnreliableParentCase = false

    /// Listings tell of an entry whose properties alone have changed.
    var tellsProperties = true

    /// Refuses writes whose path is an id, as if ids were for reading only.
    var refusesIDs = false
    /// Refuses a `Dropbox-API-Arg` header that is not ASCII. The documentation demands ASCII;
    /// rclone, whose tests run against the service, sends UTF-8.
    var demandsASCIIArguments = false

    /// The scopes that apps have under Permissions; nil for all. Others that a page is asked for
    /// are left out of the grant, as Dropbox leaves them out as long as one remains ("No scope
    /// requested can be granted for this app", github.com/keeweb/keeweb#1597).
    var appScopes: [String]?
    /// Refuses a page with a scope that apps do not have, as RFC 6749 allows.
    var refusesScopes = false

    /// All settings, as the admin route gives them.
    var json: JSONValue {
        [
            "latency_ms": Self.json(latency),
            "latency_after_ms": Self.json(latencyAfter),
            "upload_bytes_per_second": .optional(uploadRate),
            "download_bytes_per_second": .optional(downloadRate),
            "longpoll_jitter_seconds": .integer(longpollJitter),
            "longpoll_timeout_ms": .optional(longpollTimeout),
            "longpoll_delay_ms": .integer(longpollDelay),
            "longpoll_backoff_seconds": .optional(longpollBackoff),
            "job_polls": .integer(jobPolls),
            "synchronous_batch": .integer(synchronousBatch),
            "page_size": .integer(pageSize),
            "empty_pages": .boolean(hasEmptyPages),
            "unreliable_parent_case": .boolean(hasUnreliableParentCase),
            "tell_properties": .boolean(tellsProperties),
            "refuse_ids": .boolean(refusesIDs),
            "ascii_arguments": .boolean(demandsASCIIArguments),
            "app_scopes": appScopes.map { .array($0.map { .string($0) }) } ?? .null,
            "refuse_scopes": .boolean(refusesScopes),
        ]
    }

    private static func json(_ milliseconds: [String: Int64]) -> JSONValue {
        .object(
            milliseconds.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
    }

    /// A function's value of a setting by route.
    static func value(_ milliseconds: [String: Int64], of function: String) -> Int64 {
        milliseconds[function] ?? milliseconds["*"] ?? 0
    }

    /// Changes the settings that a struct contains.
    mutating func update(_ value: JSONValue) throws(ArgumentError) {
        var reader = try ArgumentReader(value)
        if let value = try reader.take("latency_ms") {
            latency = try Self.byRoute(value, at: "latency_ms")
        }
        if let value = try reader.take("latency_after_ms") {
            latencyAfter = try Self.byRoute(value, at: "latency_after_ms")
        }
        try reader.update("upload_bytes_per_second", &uploadRate)
        try reader.update("download_bytes_per_second", &downloadRate)
        longpollJitter = try reader.integer(
            "longpoll_jitter_seconds", in: 0...3600, default: longpollJitter)
        try reader.update("longpoll_timeout_ms", &longpollTimeout)
        longpollDelay = try reader.integer(
            "longpoll_delay_ms", in: 0...ChangeTimes.longestDelay, default: longpollDelay)
        try reader.update("longpoll_backoff_seconds", &longpollBackoff)
        jobPolls = try reader.integer("job_polls", in: 0...1_000_000, default: jobPolls)
        synchronousBatch = try reader.integer(
            "synchronous_batch", in: 0...1_000_000, default: synchronousBatch)
        pageSize = try reader.integer("page_size", in: 1...2000, default: pageSize)
        hasEmptyPages = try reader.boolean("empty_pages", default: hasEmptyPages)
        hasUnreliableParentCase = try reader.boolean(
            "unreliable_parent_case", default: hasUnreliableParentCase)
        tellsProperties = try reader.boolean("tell_properties", default: tellsProperties)
        refusesIDs = try reader.boolean("refuse_ids", default: refusesIDs)
        demandsASCIIArguments = try reader.boolean(
            "ascii_arguments", default: demandsASCIIArguments)
        if let value = try reader.take("app_scopes") {
            appScopes = try Self.scopes(value)
        }
        refusesScopes = try reader.boolean("refuse_scopes", default: refusesScopes)
        try reader.finish()
    }

    private static func scopes(_ value: JSONValue) throws(ArgumentError) -> [String]? {
        if value == .null { return nil }
        var scopes: [String] = []
        for scope in value.array ?? [value] {
            scopes.append(try ArgumentReader.string(scope, at: "app_scopes"))
        }
        return scopes
    }

    /// A number applies to all routes, an object to those it names ("*" for all others).
    private static func byRoute(
        _ value: JSONValue, at place: String
    ) throws(ArgumentError) -> [String: Int64] {
        guard case .object(let members) = value else {
            return ["*": try ArgumentReader.integer(value, in: 0...3_600_000, at: place)]
        }
        var milliseconds: [String: Int64] = [:]
        for member in members {
            milliseconds[member.name] = try ArgumentReader.integer(
                member.value, in: 0...3_600_000, at: "\(place).\(member.name)")
        }
        return milliseconds
    }
}

extension ArgumentReader {
    /// Takes a number, or null to switch the setting off; an absent field leaves the value
    /// unchanged.
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
    /// A number as JSON, null for nil.
    static func optional(_ number: Int64?) -> JSONValue {
        number.map { .integer($0) } ?? .null
    }
}
