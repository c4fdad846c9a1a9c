// The sockets of Dropbox's plug-ins for file managers, in the folder where the official client has
// them: one for their requests, one that tells them of changes. Not responsible for the messages
// (`PluginMessage.swift`, `PluginCommand.swift`).

import Blocking
import Glibc
import LocalFiles
import LocalIO
package import Logging
import Saturating
import Synchronization
import SystemPackage

/// Serves the plug-ins of one user.
package final class PluginServer: Sendable {
    /// Connections to each socket. A file manager has one, a script some.
    private static let limit = 32
    /// Timeout in seconds for a plug-in to take a message.
    private static let sendTimeout = 5

    private let folder: ControlFolder
    private let requests: Entrance
    private let touches: Entrance
    private let service: any DesktopService
    private let log: Logger

    /// Binds both sockets in `~/.dropbox`.
    ///
    /// Throws if the official client or another mount serves them.
    package init(
        home: String, service: any DesktopService, log: Logger
    ) throws(CommandError) {
        folder = ControlFolder(path: home + "/.dropbox")
        self.service = service
        self.log = log
        try makePrivateFolder(folder.path)
        if let owner = Self.officialClient(in: folder) {
            throw .system("process \(owner) is Dropbox's own client")
        }
        do throws(Errno) {
            requests = try Entrance("command_socket", in: folder)
            touches = try Entrance("iface_socket", in: folder)
        } catch {
            throw error == .addressInUse
                ? .system("another program serves \(folder.path)")
                : .folderUnusable(path: folder.path, reason: error.description)
        }
    }

    /// The process of the official client, if it runs.
    private static func officialClient(in folder: ControlFolder) -> pid_t? {
        guard let text = try? readText(folder.path + "/dropbox.pid", limit: 64),
            let process = pid_t(text.prefix { $0 != "\n" }, radix: 10), process > 0,
            process != getpid(),
            let name = try? readText("/proc/\(process)/comm", limit: 64), name == "dropbox\n"
        else { return nil }
        return process
    }

    /// Starts the accepting threads.
    package func start() {
        // The `dropbox` command looks for the process.
        try? PrivateFile.replace(folder.path + "/dropbox.pid", with: "\(getpid())\n")
        requests.accept { self.serve($0) }
        touches.accept { connection in
            // A plug-in sends nothing here; the end of its connection ends the thread.
            while connection.receiveLine() != nil {}
        }
    }

    /// Removes the sockets and ends all connections.
    package func stop() {
        requests.stop()
        touches.stop()
        let file = folder.path + "/dropbox.pid"
        if (try? readText(file, limit: 64)) == "\(getpid())\n" { unlink(file) }
    }

    /// Whether a plug-in waits for changes.
    package var hasListeners: Bool { !touches.connections.isEmpty }

    /// Tells all plug-ins that the states at absolute paths have changed. Blocks while one does not
    /// read.
    package func touch(_ paths: [String]) {
        guard !paths.isEmpty else { return }
        let text = paths.map { "shell_touch\npath\t\(PluginText.escaped($0))\ndone\n" }.joined()
        for connection in touches.connections where !connection.sendPart(text) {
            connection.end()
        }
    }

    private func serve(_ connection: ControlConnection) {
        var reader = PluginRequestReader()
        while let line = connection.receiveLine() {
            switch reader.take(line) {
            case .incomplete: continue
            case .invalid: return
            case .complete(let request):
                guard connection.sendPart(request.reply(by: service).text) else { return }
            }
        }
    }

    /// A socket and its connections.
    private final class Entrance: Sendable {
        private let listener: SocketListener
        private let open = Mutex<[ControlConnection]>([])

        /// Binds a socket in place of a dead one, unless a process serves it.
        init(_ name: String, in folder: ControlFolder) throws(Errno) {
            let socket = folder.socket(name)
            guard !socket.isServed else { throw .addressInUse }
            unlink(socket.path)
            listener = try SocketListener(socket)
        }

        var connections: [ControlConnection] { open.withLock { $0 } }

        /// Serves each connection on a thread of its own.
        func accept(_ serve: @escaping @Sendable (ControlConnection) -> Void) {
            WorkerThread.start {
                self.listener.acceptAll(sendTimeout: PluginServer.sendTimeout) { connection in
                    let isWelcome = self.open.withLock { open in
                        guard open.count < PluginServer.limit else { return false }
                        open.append(connection)
                        return true
                    }
                    guard isWelcome else { return }
                    WorkerThread.start {
                        serve(connection)
                        self.open.withLock { $0.removeAll { $0 === connection } }
                    }
                }
            }
        }

        func stop() {
            listener.stop()
            for connection in connections { connection.end() }
        }
    }
}
