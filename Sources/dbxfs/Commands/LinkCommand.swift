// `dbxfs link`: the shared link to a file or folder on a mount.

import ArgumentParser
import Mounting

struct LinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a shared link to a file or folder.",
        discussion: """
            The link that there is; else one is made, which everybody who knows it can use, unless the \
            account's settings say otherwise. The app needs the permissions sharing.read and sharing.write, \
            and the account a login that asked for them, as `dbxfs login` does without --no-sharing.
            """)

    @Argument(help: "A file or folder on a mount.", completion: .file())
    var path: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let mount = try RunningMount(containing: path)
        let request = PathsRequest(paths: [try mount.place()])
        let link = try mount.connectOrFail(Environment.ofRunningMounts())
            .ask(ControlRoutes.link, request, about: mount.mountpoint).link
        if json {
            try Terminal.printJSON(LinkLine(path: mount.path, link: link))
        } else {
            Terminal.print(link.url)
        }
    }
}

/// A link for scripts.
private struct LinkLine: Encodable {
    var path: String
    var url: String
    var isNew: Bool

    private enum CodingKeys: String, CodingKey {
        case path, url
        case isNew = "is_new"
    }

    init(path: String, link: LinkReport) {
        self.path = path
        url = link.url
        isNew = link.isNew
    }
}
