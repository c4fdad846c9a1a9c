// The connections that a transport has open: which are admitted, and which a change of the network
// ends.

#if AsyncHTTPClient
    import ContentHashing
    import DropboxAPI
    import Essentials
    import NIOCore
    import NIOSSL
    import Synchronization

    /// The open connections of a transport's own clients.
    final class OpenConnections: Sendable {
        private let pinnedKeys: Set<PinnedKey>
        /// Held for a few instructions.
        private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        init(pinnedKeys: [PinnedKey]) {
            self.pinnedKeys = Set(pinnedKeys)
        }

        /// Succeeds when the server has one of the pinned keys, or none is needed; otherwise the
        /// connection is closed before a request goes over it.
        func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
            channels.withLock { $0[ObjectIdentifier(channel)] = channel }
            channel.closeFuture.whenComplete { [weak self] _ in
                _ = self?.channels.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
            }
            guard !pinnedKeys.isEmpty else { return channel.eventLoop.makeSucceededVoidFuture() }
            return channel.nioSSL_peerCertificate().flatMapThrowing { [pinnedKeys] certificate in
                guard let certificate else { throw Self.notPinned }
                let key = try certificate.extractPublicKey().toSPKIBytes()
                let hash = Data(SHA256.hash(key)).base64EncodedString()
                guard PinnedKey(hash).map(pinnedKeys.contains) == true else { throw Self.notPinned }
            }.flatMapErrorThrowing { error in
                // Loopback may be without TLS, where there is no key.
                guard !(error is ChannelPipelineError) else { return }
                channel.close(promise: nil)
                throw error
            }
        }

        /// Closes connections from addresses that the machine no longer has: no byte will arrive
        /// there.
        func close(notFrom addresses: Set<String>) {
            for channel in channels.withLock({ Array($0.values) }) {
                guard let address = channel.localAddress?.ipAddress, !addresses.contains(address)
                else { continue }
                channel.close(promise: nil)
            }
        }

        private static let notPinned = TransportError(
            kind: .certificate, message: "the server has none of the pinned public keys",
            mayHaveBeenReceived: false)
    }
#endif
