// The command line of the emulator: options in, a running server out.

import ArgumentParser
import Dispatch
import DropboxEmulator

import Glibc

/// The command line of `dropbox-emulator`.
@main
struct EmulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dropbox-emulator",
        abstract: "A Dropbox on this machine: the server's side of the Dropbox API v2, for tests.",
        discussion: """
            All hosts of Dropbox are served under one address, which is printed once the emulator \
            listens. The first account answers to the given tokens.
            """)

    @Option(help: "Folder that keeps accounts and files across restarts.")
    var state: String

    @Option(help: "Port to listen on; 0 for any that is free.")
    var port = 0

    @Option(help: "Loopback address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "File to write the port to once the emulator listens.")
    var portFile: String?

    @Option(help: "Access token of the first account; may be given more than once.")
    var token: [String] = []

    @Option(
        help: "How names are compared: unicode4, scalar, simple, full or contextual.",
        transform: { text in
            guard let rule = FoldingRule(rawValue: text) else {
                let rules = FoldingRule.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(text)' is no rule: \(rules).")
            }
            return rule
        })
    var folding = FoldingRule.unicode4

    @Option(
        help: """
            File of answers to give, as dropbox-conformance has observed them elsewhere; without it, those \
            of the real service that this build knows.
            """)
    var observations: String?

    @Option(help: "File that gets a line for each request and each answer.")
    var requestLog: String?

    @Flag(help: "Fill an empty account with a small sample tree.")
    var sample = false

    @Option(help: "Add generated files: FILES,FOLDERS,BYTES with so many bytes in each file.")
    var seedTree: SeedTree?

    @Flag(help: "End when the process that started the emulator ends.")
    var exitWithParent = false

    func run() async throws {
        let parent = getppid()
        let observed = try observations.map { try Observations(file: $0) } ?? .recorded()
        let ignored = observed.ignored
        if !ignored.isEmpty {
            let line = Array("cannot follow: \(ignored.joined(separator: ", "))\n".utf8)
            _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
        let server = EmulatorServer(
            configuration: EmulatorConfiguration(
                stateFolder: state, host: host, port: port,
                tokens: token.isEmpty ? ["emulator-token"] : token, folding: folding,
                observations: observed, requestLog: requestLog))
        let emulator = try await server.start()
        if sample { try emulator.fillWithSample() }
        if let seedTree {
            try emulator.seed(
                files: seedTree.files, folders: seedTree.folders, bytes: seedTree.bytes)
        }
        if let portFile { try writePort(emulator.port, to: portFile) }
        print("listening on \(emulator.baseURL)")
        fflush(nil)
        await Self.end(exitWithParent ? parent : nil, emulator)
        await emulator.stop()
    }

    /// Returns at a termination signal, at the parent's death, or when the server has ended.
    private static func end(_ parent: pid_t?, _ emulator: RunningEmulator) async {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { end.finish() }
            source.resume()
            return source
        }
        let watch = Task {
            // A process whose parent died gets another parent: there is no portable event for that,
            // and polling each second is soon enough.
            while let parent, !Task.isCancelled, getppid() == parent {
                try? await Task.sleep(for: .seconds(1))
            }
            if parent != nil { end.finish() }
        }
        let server = Task {
            await emulator.wait()
            end.finish()
        }
        for await _ in ends {}
        watch.cancel()
        server.cancel()
        for source in sources { source.cancel() }
    }

    /// Writes the port under another name first, so that a process that waits for the file sees it
    /// whole.
    private func writePort(_ port: Int, to path: String) throws {
        let temporary = "\(path).new"
        let text = "\(port)\n"
        let file = fopen(temporary, "w")
        guard let file, fputs(text, file) >= 0, fclose(file) == 0, rename(temporary, path) == 0
        else {
            throw PortFileError(path: path, reason: String(cString: strerror(errno)))
        }
    }
}

/// The file of `--port-file` cannot be written.
struct PortFileError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "cannot write \(path): \(reason)" }
}

/// The value of `--seed-tree`.
struct SeedTree: ExpressibleByArgument {
    let files: Int
    let folders: Int
    let bytes: Int

    init?(argument: String) {
        let numbers = argument.split(separator: ",").map { Int($0) }
        guard numbers.count == 3, let files = numbers[0], let folders = numbers[1],
            let bytes = numbers[2], files >= 0, folders >= 0, bytes >= 0
        else { return nil }
        self.files = files
        self.folders = folders
        self.bytes = bytes
    }
}
