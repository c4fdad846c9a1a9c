// `dbxfs demo`: a mount to try without an account, served by the emulator that comes with this
// program.

import ArgumentParser
import Blocking
import Fuse
import Glibc
import LocalIO
import Mounting
import SystemPackage

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Mount a sample account, without Dropbox and without a network.",
        discussion: """
            Starts the dropbox-emulator that was built or installed with this program, mounts what it \
            serves, and stays until Ctrl-C. Everything is in a temporary folder, which is removed at the end.
            """)

    @Argument(help: "An empty directory. Without it: a temporary one.", completion: .directory)
    var mountpoint: String?

    func run() throws {
        ProcessSettings.holdTerminationSignals()
        let demo = try Demo(mountpoint: mountpoint)
        defer { demo.cleanUp() }
        try demo.start()
        Terminal.print(demo.introduction)
        demo.waitForEnd()
    }
}

/// A running demo with its emulator.
private struct Demo {
    private let folder: String
    private let mountpoint: String
    private let environment: [String: String]
    private let emulator: ChildProcess
    private static let token = "demo"

    init(mountpoint: String?) throws(CommandError) {
        let program = try Self.findEmulator()
        folder = try Self.makeTemporaryFolder()
        if let mountpoint {
            self.mountpoint = absolutePath(mountpoint)
        } else {
            self.mountpoint = folder + "/mount"
            mkdir(self.mountpoint, 0o700)
        }
        let output: DescriptorPipe
        do throws(ChildProcessError) {
            output = try DescriptorPipe()
            // In a session of its own, so that Ctrl-C reaches only this process, which unmounts
            // first.
            emulator = try ChildProcess.start(
                program,
                [
                    "--port", "0", "--sample", "--state", folder + "/dropbox", "--token",
                    Self.token, "--exit-with-parent",
                ],
                descriptors: [1: output.writing, 2: FileDescriptor.standardError],
                isDetached: true)
        } catch {
            Self.remove(folder)
            throw CommandError(error)
        }
        try? output.writing.close()
        let prefix = "listening on "
        guard let line = output.readLine(), line.hasPrefix(prefix) else {
            Self.remove(folder)
            throw .emulatorFailed(detail: "exit code \(emulator.wait())")
        }
        let own = try Environment()
        environment = ProcessVariables.all.merging([
            "DBXFS_ENDPOINT": String(line.dropFirst(prefix.count)),
            "DBXFS_ACCESS_TOKEN": Self.token, "DBXFS_STATE_DIR": folder + "/state",
            "DBXFS_CACHE_DIR": folder + "/cache",
            // The default folder, so that `dbxfs status` in another terminal finds the mount.
            "DBXFS_RUNTIME_DIR": own.runtimeFolder,
        ]) { $1 }
    }

    func start() throws(CommandError) {
        _ = try Launch.mount(
            ["serve", "--", mountpoint], at: mountpoint, log: folder + "/state/default/dbxfs.log",
            environment: environment)
    }

    var introduction: String {
        // The full path, because users who try it may not have it on the search path.
        let dbxfs = ChildProcess.ownPath
        return """
            A sample Dropbox is mounted at \(mountpoint)

            Try, in another terminal:
              ls -l \(mountpoint)
              cp -r SOME-FOLDER \(mountpoint)
              \(dbxfs) status \(mountpoint)
              \(dbxfs) sync \(mountpoint)     # wait until all of it is "on Dropbox"
              curl \(environment["DBXFS_ENDPOINT"] ?? "")/admin/tree     # what the emulated Dropbox has

            Press Ctrl-C here to unmount it and remove everything.
            """
    }

    /// Waits until Ctrl-C, or until the mount is unmounted.
    func waitForEnd() {
        let end = Latch()
        ProcessSettings.onTermination { _ in end.set() }
        while !end.wait(seconds: 0.5) {
            guard RunningMount(at: mountpoint).entry != nil else { return }
        }
    }

    func cleanUp() {
        let mount = RunningMount(at: mountpoint)
        let runtime = environment["DBXFS_RUNTIME_DIR"] ?? ""
        let client = ControlClient(folder: ControlFolder(path: runtime))
        if let connection = try? client.connect(to: mount.mountpoint) {
            _ = try? connection.ask(
                ControlRoutes.finish, TimedRequest(timeout: 10), about: mount.mountpoint)
            if mount.entry != nil {
                try? Detachment.detach(mount.mountpoint, isLazy: true)
            }
            // Its reply, or its end.
            _ = try? connection.next(ControlRoutes.finish, about: mount.mountpoint)
        }
        emulator.terminate()
        _ = emulator.wait()
        if MountTable.current().mounts.allSatisfy({ !isPath($0.path.string, within: folder) }) {
            Self.remove(folder)
        }
    }

    /// The emulator beside this program, as it was built, or where `make install` puts it.
    private static func findEmulator() throws(CommandError) -> String {
        let own = FilePath(ChildProcess.ownPath).removingLastComponent()
        let places = [
            own.appending("dropbox-emulator"),
            own.removingLastComponent().appending("libexec/dbxfs/dropbox-emulator"),
        ].map(\.string)
        guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
            throw .noEmulator(path: places[0])
        }
        return program
    }

    private static func makeTemporaryFolder() throws(CommandError) -> String {
        let base = ProcessVariables.all["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array((absolutePath(base) + "/dbxfs-demo.XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .folderUnusable(path: base, reason: "\(Errno(rawValue: errno))")
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        _ = try? ChildProcess.run("rm", ["-rf", "--one-file-system", "--", folder])
    }
}
