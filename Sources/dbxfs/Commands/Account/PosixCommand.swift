// `dbxfs posix`: the modes, times and attributes that an account keeps for other machines.

import ArgumentParser
import Blocking
import Mounting
import RemoteStore

struct PosixCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posix",
        abstract: "Remove the \(PosixSharing.kinds) that Dropbox keeps.",
        discussion: """
            Mounts keep these in properties of the files, for mounts on other machines. They show \
            nowhere else. --remove deletes all of them from the account; what each machine knows stays \
            there, and links are texts for all others. A mount makes new ones unless it has -o posix=local.
            """)

    @OptionGroup var account: AccountOption

    @Flag(help: "Remove them all from the account, for good.")
    var remove = false

    func validate() throws {
        guard remove else { throw ValidationError("say --remove to remove them") }
    }

    func run() throws {
        ProcessSettings.adjustLimits()
        let environment = try Environment(scope: account.scope)
        quietLogs(environment)
        let settings = try MountSettings(
            parsing: [], over: environment.options(of: account.name))
        let folders = try account.folders(environment)
        let found = try Credentials.find(
            environment: environment, account: account.name, login: folders.login,
            tokenFile: folders.token)
        try ProcessSettings.giveUpCapabilities()
        let credentials = try found.unlocked(.asking)
        let access = try DropboxAccess(environment)
        let client = access.client(
            access.tokens(
                credentials, command: CommandError.login(account.name, environment.scope),
                hide: { _ in }), member: settings.member)
        let answer = WorkerThread.result { () async throws(RemoteError) in
            try await DropboxStore.removeFacts(client)
        }
        switch answer {
        case .success(0)?: Terminal.print("The account keeps no modes, times or attributes.")
        case .success?: Terminal.print("Removed all modes, times and attributes from Dropbox.")
        case .failure(let error)?:
            throw CommandError(error, server: environment.serverName, remotePath: "")
        case nil: throw CommandError.system("the server could not be asked")
        }
    }
}
