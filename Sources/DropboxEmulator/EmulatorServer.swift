// Runs the emulator on a port of this machine.

public import Logging
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// The configuration of an emulator.
public struct EmulatorConfiguration: Sendable {
    /// The folder that keeps accounts, files, cursors and sessions across restarts.
    public var stateFolder: String
    /// The address to listen on: `127.0.0.1`, `::1` or `localhost`. Any other is refused, because
    /// the emulator has no protection.
    public var host: String
    /// The port to listen on; 0 for any free port.
    public var port: Int
    /// Access tokens for the first account, which is created if there is none.
    public var tokens: [String]
    /// The rule for comparing names. A state folder must always be opened with the same rule.
    public var folding: FoldingRule
    /// Answers to give instead of the standard ones; nil for none. A state folder must always be
    /// opened with the same ones.
    public var observations: Observations?
    /// A file that logs each request and each response; nil for none.
    public var requestLog: String?
    /// The log of events; none unless set.
    public var logger: Logger

    /// A configuration for one account with one token, on any free port.
    public init(
        stateFolder: String, host: String = "127.0.0.1", port: Int = 0,
        tokens: [String] = ["emulator-token"], folding: FoldingRule = .unicode4,
        observations: Observations? = nil, requestLog: String? = nil,
        logger: Logger = Logger(label: "dropbox-emulator") { _ in SwiftLogNoOpLogHandler() }
    ) {
        self.stateFolder = stateFolder
        self.host = host
        self.port = port
        self.tokens = tokens
        self.folding = folding
        self.observations = observations
        self.requestLog = requestLog
        self.logger = logger
    }
}

/// An emulator that has not been started.
public struct EmulatorServer: Sendable {
    private let configuration: EmulatorConfiguration

    /// Prepares a server without starting it.
    public init(configuration: EmulatorConfiguration) {
        self.configuration = configuration
    }

    /// Opens the state and starts to listen.
    ///
    /// Throws `EmulatorError` if the address is not a loopback address, the state cannot be opened,
    /// or the port is taken.
    public func start() async throws(EmulatorError) -> RunningEmulator {
        guard ["127.0.0.1", "::1", "localhost"].contains(configuration.host) else {
            throw .notLoopback(configuration.host)
        }
        let emulator: Emulator
        do {
            emulator = try Emulator(
                folder: configuration.stateFolder, folding: configuration.folding,
                conduct: configuration.observations?.conduct ?? .init(),
                requestLog: configuration.requestLog)
            if let observations = configuration.observations {
                try emulator.updateSettings(observations.settings)
            }
            try Self.prepare(emulator, tokens: configuration.tokens)
        } catch let error as EmulatorError {
            throw error
        } catch {
            throw .state("\(error)")
        }
        return try await run(emulator)
    }

    private static func prepare(_ emulator: Emulator, tokens: [String]) throws {
        let account =
            try emulator.accounts.accounts.first
            ?? emulator.accounts.makeAccount(
                givenName: "Sample", surname: "User", email: "sample@example.com",
                isTeamMember: false)
        for token in tokens {
            if case .invalid = emulator.accounts.authenticate(token, at: .now()) {
                try emulator.accounts.add(
                    Token(account: account.id, expiresAt: nil, scopes: nil, refreshToken: nil),
                    as: token)
            }
        }
    }

    private func run(_ emulator: Emulator) async throws(EmulatorError) -> RunningEmulator {
        let (listeners, found) = AsyncThrowingStream<any Channel, any Error>.makeStream()
        let connections = AcceptedConnections()
        let application = Application(
            responder: EmulatorResponder(emulator: emulator),
            server: Self.server(connections),
            configuration: .init(address: .hostname(configuration.host, port: configuration.port)),
            onServerRunning: { channel in
                found.yield(channel)
                found.finish()
            },
            logger: configuration.logger)
        let task = Task {
            do {
                try await application.run()
                found.finish()
            } catch {
                found.finish(throwing: error)
            }
        }
        do {
            for try await listener in listeners {
                let port = listener.localAddress?.port ?? 0
                let host = configuration.host == "::1" ? "[::1]" : configuration.host
                return RunningEmulator(
                    baseURL: "http://\(host):\(port)", port: port, emulator: emulator,
                    listener: listener, connections: connections, task: task)
            }
        } catch {
            throw .cannotListen("\(error)")
        }
        throw .cannotListen("the server ended")
    }

    /// HTTP/1.1 with support for `Expect: 100-continue`, which curl sends before a large body.
    private static func server(_ connections: AcceptedConnections) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let channel = HTTP1Channel(
                responder: { request, writer, channel in
                    if request.headers[.expect]?.lowercased() == "100-continue" {
                        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                    }
                    try await responder(request, writer, channel)
                },
                // The argument of an append_batch with 1,000 entries is a header of some 150 kB.
                configuration: .init(
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: 1 << 20, maxHeaderListSize: 1 << 20)))
            return KeptChannel(base: channel, connections: connections)
        }
    }
}
