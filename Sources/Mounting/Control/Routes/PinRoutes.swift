// `pin`, `unpin` and `pins`: content that is kept for reading offline. `PinWait` decides how long
// `pin` waits.

extension ControlRoutes {
    /// Pins nodes; the replies are the progress, then the outcome.
    package static let pin = ControlRoute<PinRequest, PinReply>(.pin) {
        request, call throws(CommandError) in
        let paths = request.paths ?? []
        try call.service.setPins(true, at: paths)
        return .outcome(
            try PinWait(limit: request.timeout)
                .run(
                    call.service, paths, isHurried: call.ending.isHurried,
                    isAbandoned: { call.isAbandoned },
                    report: { call.send(.progress($0)) }))
    }

    /// Ends the pins of nodes.
    package static let unpin = ControlRoute<PathsRequest, AcceptedReply>(.unpin) {
        request, call throws(CommandError) in
        try call.service.setPins(false, at: request.paths ?? [])
        return AcceptedReply()
    }

    /// Asks for all pins. The last reply is no part.
    package static let pins = ControlRoute<NoFields, PinsReply>(.pins) {
        _, call throws(CommandError) in
        let pieces = try call.service.pins().pieces(of: pinsPerLine)
        for piece in pieces.dropLast() {
            guard call.send(PinsReply(pins: piece, isPart: true)) else { return nil }
        }
        return PinsReply(pins: pieces.last ?? [])
    }

    /// Pins per line, because a line is limited to a mebibyte: a path of up to 4,096 bytes each, of
    /// which JSON makes six times as many at worst, and a kilobyte beside it.
    private static let pinsPerLine = 40
}

/// A request to pin nodes.
package struct PinRequest: Hashable, Sendable, Codable {
    /// Paths on the mount, without the mountpoint.
    package var paths: [String]?
    /// Timeout in seconds; nil for none.
    package var timeout: Double?

    /// Memberwise and without defaults.
    package init(paths: [String], timeout: Double?) {
        self.paths = paths
        self.timeout = timeout
    }
}

/// A reply to `pin`.
package enum PinReply: Hashable, Sendable, Codable {
    /// How much is cached.
    case progress(PinProgress)
    /// The end of the wait.
    case outcome(PinOutcome)

    private enum CodingKeys: String, CodingKey {
        case progress = "pinProgress"
        case outcome = "pinOutcome"
    }

    /// Reads the field that there is.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        if let outcome = try fields.decodeIfPresent(PinOutcome.self, forKey: .outcome) {
            self = .outcome(outcome)
        } else {
            self = .progress(try fields.decode(PinProgress.self, forKey: .progress))
        }
    }

    /// Writes the field of the case.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .progress(let progress): try fields.encode(progress, forKey: .progress)
        case .outcome(let outcome): try fields.encode(outcome, forKey: .outcome)
        }
    }
}

/// The reply to `pins`.
package struct PinsReply: Hashable, Sendable, Codable {
    /// The next pins, sorted by path.
    package var pins: [PinReport]
    /// Whether another reply follows; nil in the last one, and from a mount of an earlier version.
    package var isPart: Bool?
}

/// One pin, as `dbxfs pins` lists it.
package struct PinReport: Hashable, Sendable, Codable {
    /// Its path on the mount, without the mountpoint.
    package var path: String
    /// How much of it is cached.
    package var progress: PinProgress

    /// Memberwise and without defaults.
    package init(path: String, progress: PinProgress) {
        self.path = path
        self.progress = progress
    }
}
