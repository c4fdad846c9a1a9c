// The clients of async-http-client behind a transport: the app's, or some of its own, which are
// replaced when their connections are suspected to be dead. Not responsible for their settings: see
// `ClientFactory`.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import Dispatch
    import DropboxAPI
    import NIOCore
    import Saturating
    import Synchronization

    /// A client that a transfer uses, until it gives the client back.
    struct ClientLease: Sendable {
        let client: HTTPClient
        fileprivate let generation: UInt64
    }

    /// Lends clients to transfers.
    final class ClientPool: Sendable {
        private enum Origin: Sendable {
            case shared(HTTPClient)
            case own(ClientFactory)
        }

        fileprivate struct Generation {
            var clients: [ClientFactory.Kind: HTTPClient] = [:]
            var users = 0
        }

        fileprivate struct State {
            /// By number; all but the last are there for the transfers that still use them.
            var generations: [UInt64: Generation] = [:]
            var current: UInt64 = 0
            var isClosed = false
        }

        private let origin: Origin
        /// Held for a few instructions, and for making a client, which connects nowhere.
        private let state = Mutex(State())
        /// Has the clients whose connections are being closed.
        private let ending = DispatchGroup()

        init(shared client: HTTPClient) {
            origin = .shared(client)
        }

        init(_ factory: ClientFactory) {
            origin = .own(factory)
        }

        var group: any EventLoopGroup {
            switch origin {
            case .shared(let client): client.eventLoopGroup
            case .own(let factory): factory.group
            }
        }

        /// Whether the client is the app's, with settings that are not known here.
        var isShared: Bool {
            if case .shared = origin { true } else { false }
        }

        /// A client for a request; it has to be given back. Throws when the clients were shut down.
        func lend(
            for url: ServerURL, _ purpose: TransferPurpose
        ) throws(TransportError) -> ClientLease {
            switch origin {
            case .shared(let client): return ClientLease(client: client, generation: 0)
            case .own(let factory):
                let kind = factory.kind(for: url, purpose)
                let lease: ClientLease? = state.withLock { state in
                    guard !state.isClosed else { return nil }
                    let number = state.current
                    let client =
                        state.generations[number]?.clients[kind] ?? factory.makeClient(kind)
                    state.generations[number, default: Generation()].clients[kind] = client
                    state.generations[number, default: Generation()].users +|= 1
                    return ClientLease(client: client, generation: number)
                }
                guard let lease else { throw .shutDown(mayHaveBeenReceived: false) }
                return lease
            }
        }

        func takeBack(_ lease: ClientLease) {
            guard !isShared else { return }
            end { state in
                state.generations[lease.generation]?.users -|= 1
                return lease.generation == state.current ? [] : state.takeUnused()
            }
        }

        /// Makes further requests use new connections; those of transfers under way stay until
        /// these are over.
        func replaceConnections() {
            guard !isShared else { return }
            end { state in
                state.current &+= 1
                return state.takeUnused()
            }
        }

        func networkChanged(addresses: Set<String>) {
            guard case .own(let factory) = origin else { return }
            factory.connections.close(notFrom: addresses)
            replaceConnections()
        }

        /// Ends the clients of its own, without waiting for them.
        func close() {
            end { $0.takeAll() }
        }

        /// Ends the clients of its own, and returns when all of them are closed, those that were
        /// replaced before, too.
        func shutDown() async {
            close()
            await withCheckedContinuation { continuation in
                ending.notify(queue: .global()) { continuation.resume() }
            }
        }

        /// Closes the clients that are taken out of the state, without waiting for them.
        private func end(_ take: (inout State) -> [HTTPClient]) {
            let clients = state.withLock { state in
                let clients = take(&state)
                // Before others see the state, so that `shutDown` misses none.
                for _ in clients { ending.enter() }
                return clients
            }
            for client in clients {
                // An error would be a client that was shut down before, which none of these was.
                client.shutdown { [ending] _ in ending.leave() }
            }
        }
    }

    extension ClientPool.State {
        /// Removes the clients of earlier generations that no transfer uses.
        fileprivate mutating func takeUnused() -> [HTTPClient] {
            let unused = generations.filter { $0.key != current && $0.value.users <= 0 }
            for number in unused.keys { generations[number] = nil }
            return unused.values.flatMap(\.clients.values)
        }

        fileprivate mutating func takeAll() -> [HTTPClient] {
            defer { generations = [:] }
            isClosed = true
            return generations.values.flatMap(\.clients.values)
        }
    }
#endif
