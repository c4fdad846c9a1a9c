// `dbxfs search`: Dropbox's own search, in names and content. Needs no mount.

import ArgumentParser
import Blocking
import Core
import DropboxAPI
import Mounting
import RemoteStore
import Saturating

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search names and content on Dropbox.",
        discussion: """
            Dropbox searches, so nothing is downloaded; files of the last minutes may be missing. With --json, one \
            object per file or folder, each on a line of its own.
            """)

    @Argument(help: "Words to search for.")
    var query: String

    @Argument(
        help: ArgumentHelp(
            "An account and a folder in it, or a folder on a mount.",
            discussion: "Without it, all of the account 'default'.",
            valueName: "[account][:/path]"), completion: .directory)
    var place: String?

    @Flag(help: "Search names only.")
    var names = false

    @Option(name: [.customShort("n"), .long], help: "Entries to show at most; 100 by default.")
    var limit = 100

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "The account of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit takes a number above 0") }
        guard !query.isEmpty else { throw ValidationError("name words to search for") }
    }

    func run() throws {
        ProcessSettings.adjustLimits()
        do throws(CommandError) {
            try search()
        } catch {
            throw error.withoutMount
        }
    }

    private func search() throws(CommandError) {
        let named = try RemotePlace(
            namedBy: place ?? MountSource.standard.description, RemotePlace.scope(system))
        let (source, environment) = (named.source, named.environment)
        quietLogs(environment)
        let remote = try RemoteAccess(source, environment)
        let (query, names, limit, json) = (query, names, limit, json)
        let failure = WorkerThread.waiting { () async -> (RemoteError?, Bool) in
            var shown = 0
            do throws(RemoteError) {
                try await remote.search(query, namesOnly: names) { listing in
                    guard shown < limit else { return false }
                    shown +|= 1
                    if json {
                        try? Terminal.printJSON(listing)
                    } else {
                        Terminal.print(listing.text(below: source.remotePath))
                    }
                    return true
                }
                return (nil, shown > 0)
            } catch {
                return (error, false)
            }
        }
        guard let (error, hasFound) = failure else {
            throw .system("the server could not be asked")
        }
        if let error {
            throw ListRemoteCommand.message(error, source.remotePath, environment)
        }
        if !hasFound, !json { Terminal.complain("nothing was found", prefix: "") }
    }
}
