// Tells plug-ins of file managers which files have changed their state, so that emblems live.

import Blocking
import Core
import Logging
import MetadataStore
import Mounting
import Saturating
import Synchronization

/// The plug-ins' sockets of a mount, and the thread that tells of changes.
final class DesktopWatch: Sendable {
    /// Seconds between two comparisons, and as a multiple of the time that one takes.
    private static let interval = 1.0
    private static let pauseFactor = 20.0
    /// Paths that are told at once; a file manager asks for each again.
    private static let mostPaths = 500

    private let desktop: MountDesktop
    private let server: PluginServer
    private let end = Latch()

    /// Begins to serve plug-ins; throws if another program does.
    init(_ control: MountControl, home: String) throws(CommandError) {
        desktop = MountDesktop(control)
        server = try PluginServer(home: home, service: desktop, log: control.log)
        server.start()
        WorkerThread.start { self.run() }
    }

    /// Ends the connections of all plug-ins.
    func stop() {
        end.set()
        server.stop()
    }

    private func run() {
        var known: UnsentNodes?
        var pause = Self.interval
        while !end.wait(seconds: pause) {
            let byHand = desktop.touched.withLock { touched in
                defer { touched = [] }
                return touched
            }
            guard server.hasListeners else {
                known = nil
                continue
            }
            let start = ContinuousClock.now
            let (current, paths) = changes(since: known)
            known = current
            server.touch([byHand, paths].flatMap(\.self))
            let spent = start.duration(to: .now) / .seconds(1)
            pause = Double.maximum(Self.interval, Self.pauseFactor * spent)
        }
    }

    /// The nodes with unsent changes, and the paths of nodes whose state has changed.
    private func changes(since known: UnsentNodes?) -> (UnsentNodes?, [String]) {
        let mountpoint = desktop.control.mountpoint
        let found = try? desktop.control.store.read { snapshot -> (UnsentNodes, [String]) in
            let current = try snapshot.unsentNodes()
            guard let known else { return (current, []) }
            let changed = Set(known.states.keys).union(current.states.keys)
                .filter { known.states[$0] != current.states[$0] }
            let paths = try changed.prefix(Self.mostPaths).compactMap {
                try snapshot.localPath(of: $0).map { "\(mountpoint)\(MountPaths.path($0))" }
            }
            return (current, paths)
        }
        guard let found else { return (known, []) }
        return found
    }
}
