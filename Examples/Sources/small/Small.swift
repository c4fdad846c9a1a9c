// A program that needs as little as one can: no Foundation of its own, and so no ICU beside it.   small ADDRESS TOKEN

import DropboxAPI

@main
struct Small {
    static func main() async throws {
        let configuration = DropboxConfiguration(
            hosts: try DropboxHosts(endpoint: CommandLine.arguments[1]))
        let client = try DropboxClient(
            configuration: configuration, accessToken: CommandLine.arguments[2])
        print(try await client.users.getCurrentAccount().email)
        await client.shutDown()
    }
}
