// `dbxfs join`: puts a shared folder into an account. Needs no mount; a mount of the account shows
// it at once.

import ArgumentParser
import Mounting

struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Put a shared folder into the account.",
        discussion: """
            The folder appears in the account's top folder, with a number behind its name if that is taken, and \
            so on mounts. A folder that is joined already stays where it is. Needs what `dbxfs shared` needs.
            """)

    @OptionGroup var account: AccountOption

    @Argument(
        help: ArgumentHelp(
            "The name or the id of a shared folder, as `dbxfs shared` lists it.",
            valueName: "name|id"))
    var folder: String

    func run() throws {
        let folders = try SharedFolders(account.name, account.scope, for: self)
        let wanted = try wanted(of: folders.list())
        let (path, isNew) = try folders.join(wanted)
        let place = path.map { " as \($0)" } ?? ""
        let verb = isNew ? "joined" : "was joined before,"
        Terminal.print(Terminal.printable("\(wanted.name): \(verb)\(place)"))
    }

    private func wanted(of folders: [SharedFolderReport]) throws(CommandError) -> SharedFolderReport
    {
        do throws(SharedFolderDoubt) {
            return try SharedFolderReport.named(folder, among: folders)
        } catch {
            switch error {
            case .none: throw .noSharedFolder(folder)
            case .several(let candidates):
                throw .severalSharedFolders(folder, candidates: candidates)
            }
        }
    }
}
