// The command line: its verbs, and the translation of each failure to one line and an exit code.
// Each verb has its own file.

import ArgumentParser
import Glibc
import Mounting

@main
struct DbxfsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dbxfs",
        abstract: "Dropbox as a filesystem.",
        version: "dbxfs \(ProductVersion.current)",
        subcommands: [
            MountCommand.self, UnmountCommand.self, SyncCommand.self, StatusCommand.self,
            LoginCommand.self, LogoutCommand.self, AccountsCommand.self, PinCommand.self,
            UnpinCommand.self, PinsCommand.self, CacheCommand.self, ImportCommand.self,
            SetCommand.self, PauseCommand.self, ResumeCommand.self, LogCommand.self,
            ConflictsCommand.self, RevisionsCommand.self, RestoreCommand.self,
            RecoverCommand.self, LinkCommand.self, SharedCommand.self, JoinCommand.self,
            LeaveCommand.self, ListRemoteCommand.self, SearchCommand.self,
            ExportCommand.self, PosixCommand.self,
            DoctorCommand.self,
            DemoCommand.self, ServeCommand.self, SignalCommand.self, WriteBackCommand.self,
        ])

    /// Parses, runs and exits. The name of the program selects the command line: mount(8) and
    /// umount(8) start it through its links in /sbin.
    static func main() {
        ProcessSettings.denyCoreDumps()
        ProcessInput.fillStandardDescriptors()
        if let text = ProcessInput.unreadableText() {
            Terminal.complain("\(text) is no UTF-8, which is all that this program takes")
            end(.usage)
        }
        refuseEmptyArguments(CommandLine.arguments.dropFirst())
        let path = CommandLine.arguments.first ?? ""
        switch path.split(separator: "/").last {
        case "mount.dbxfs", "mount.fuse.dbxfs": execute(MountHelper.self)
        case "umount.dbxfs", "umount.fuse.dbxfs": execute(UnmountHelper.self)
        default:
            refuseUnknownVerb(CommandLine.arguments.dropFirst())
            execute(Self.self)
        }
    }

    /// Ends if an argument is empty, as where a script's variable has no value: the path `""` would
    /// be the working folder. A shell that completes a command line gives such arguments.
    private static func refuseEmptyArguments(_ arguments: ArraySlice<String>) {
        guard arguments.contains(""), arguments.first?.hasPrefix("---") != true else { return }
        Terminal.complain("an argument is empty: has a variable of the script no value?")
        end(.usage)
    }

    /// Ends with a guess at a misspelt verb, of which ArgumentParser says `Unexpected argument`,
    /// and behind `help` nothing.
    private static func refuseUnknownVerb(_ arguments: ArraySlice<String>) {
        let isHelp = arguments.first == "help"
        guard let word = isHelp ? arguments.dropFirst().first : arguments.first,
            !word.hasPrefix("-"), word != "help"
        else { return }
        var verbs: [String] = []
        for subcommand in configuration.subcommands {
            let names = subcommand.configuration
            if let name = names.commandName { verbs.append(name) }
            verbs.append(contentsOf: names.aliases)
        }
        guard !verbs.contains(word) else { return }
        let guess = Suggestion.closest(to: word, of: verbs).map { "; is \($0) meant?" } ?? ""
        Terminal.complain(
            Terminal.printable("there is no command '\(word)'\(guess): `dbxfs --help` lists them"))
        end(.usage)
    }

    /// Replaces ArgumentParser's own `main`, which exits with 64 for an invalid command line; for
    /// mount(8) that means that some of several mounts succeeded.
    private static func execute(_ program: any ParsableCommand.Type) {
        do {
            var command = try program.parseAsRoot()
            try command.run()
            if let reason = Terminal.failure {
                Terminal.complain("the output could not be written: \(reason)")
                end(.system)
            }
            end(.success)
        } catch let error as CommandError {
            // Names in the message may contain line breaks.
            Terminal.complain(Terminal.printable(error.message))
            end(error.exitStatus)
        } catch {
            let text = program.fullMessage(for: error)
            if program.exitCode(for: error) == .success {
                Terminal.print(text)
                end(.success)
            }
            complain(ofUsage: text)
            end(.usage)
        }
    }

    /// Ends the process at once. exit(3) takes the locks of the C library's files and runs the
    /// destructors of libraries while other threads still use both: a mount's process hung there.
    private static func end(_ status: ExitStatus) -> Never {
        _exit(status.rawValue)
    }

    /// Shows ArgumentParser's message, with the usage below, as all others begin: it has `Error: `
    /// and a capital letter.
    private static func complain(ofUsage text: String) {
        let label = "Error: "
        guard text.hasPrefix(label) else { return Terminal.complain(text, prefix: "") }
        let message = text.dropFirst(label.count)
        Terminal.complain("\(message.prefix(1).lowercased())\(message.dropFirst())")
    }
}
