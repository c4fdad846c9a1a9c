// The parts of a mount that commands use. Not responsible for their start and end: that is `Mount`'s.

import BlockCache
import DropboxAPI
import FileSystem
import Logging
import MetadataStore
import Mounting
import RemoteStore
import Sync
import Synchronization

/// A running mount, for the control socket.
final class MountControl: Sendable {
    let plan: MountPlan
    let mountpoint: String
    /// Whether the mount uses a stored login, and not an access token.
    let isLoggedIn: Bool
    let store: MetadataStore
    let lost: LostLook
    let engine: SyncEngine
    let cache: DiskBlockCache
    /// The exports of cloud documents; nil if they are not read.
    let documents: DocumentExports?
    let pinner: Pinner
    let remote: DropboxStore
    let client: DropboxClient
    let traffic: TrafficCounter
    let rates: TransferRates
    let history: MountHistory
    let session: MountSession
    let log: Logger
    let settings: RunningSettings
    let pause: MountPause
    /// Whether an import runs: one at a time.
    let importing = Atomic(false)

    /// Takes the parts of a mount.
    init(
        plan: MountPlan, mountpoint: String, isLoggedIn: Bool, store: MetadataStore, lost: LostLook,
        engine: SyncEngine, cache: DiskBlockCache, documents: DocumentExports?, pinner: Pinner,
        remote: DropboxStore,
        client: DropboxClient, traffic: TrafficCounter, rates: TransferRates,
        history: MountHistory, session: MountSession, sink: LogSink,
        log: Logger, live: LiveSettings
    ) {
        self.plan = plan
        self.mountpoint = mountpoint
        self.isLoggedIn = isLoggedIn
        self.store = store
        self.lost = lost
        self.engine = engine
        self.cache = cache
        self.documents = documents
        self.pinner = pinner
        self.remote = remote
        self.client = client
        self.traffic = traffic
        self.rates = rates
        self.history = history
        self.session = session
        self.log = log
        settings = RunningSettings(
            live, client: client, engine: engine, cache: cache, pinner: pinner, sink: sink, log: log
        )
        pause = MountPause(engine: engine, pinner: pinner, log: log)
    }
}
