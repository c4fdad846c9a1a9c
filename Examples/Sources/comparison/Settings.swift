// Settings, observers and scripted answers: lines of docs/sdk-comparison.md.

import Account
import DropboxAPI
import DropboxAPITesting
import Foundation

/// A client with all that can be set up.
struct Settings {
    let endpoint: String

    func run() async throws {
        var configuration = DropboxConfiguration(userAgent: "photos/2.1")
        configuration.hosts = try DropboxHosts(endpoint: endpoint)
        configuration.callTimeouts = TransferTimeouts(connect: .seconds(5), total: .seconds(60))
        configuration.callLimit = .seconds(20)
        configuration.retryPolicy.maxThrottles = 0
        configuration.transport.proxy = .proxy(try Proxy("http://127.0.0.1:3128"))
        configuration.transport.pinnedKeys = [PinnedKey](
            ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="].compactMap { PinnedKey($0) })
        configuration.transport.uploadRate = 1 << 30
        let counter = TrafficCounter()
        configuration.observers = [counter, Failures()]
        let token = ProcessInfo.processInfo.environment["DROPBOX_TOKEN"] ?? ""
        let client = try DropboxClient(configuration: configuration, accessToken: token)
        let options = CallOptions(
            label: "nightly", onEnd: { print("ended:", $0.context.requestID ?? "") })
        _ = try? await client.files.getMetadata(path: "/rows/nowhere", options: options)
        print("requests: \(counter.totals.requests["files/get_metadata"] ?? 0)")
        await client.shutDown()
    }
}

/// One place for the errors of all calls.
struct Failures: DropboxObserver {
    func callEnded(_ record: CallRecord) {
        guard let error = record.failure?.routeError as? Files.GetMetadataError else { return }
        print("observed: \(error.tagPath) of \(record.context.label ?? "")")
    }
}

/// Answers of a script instead of a server.
func mocks() async throws {
    let transport = ScriptedTransport()
    transport.answer(Files.deleteV2, .error(.pathLookup(.notFound)))
    let client = transport.client()
    do throws(CallError<Files.DeleteError>) {
        _ = try await client.files.deleteV2(path: "/a")
    } catch {
        print("scripted: \(error.summary)")
    }
    let route = Route<Files.GetMetadataArg, Files.Metadata, Files.GetMetadataError>(
        "files/get_metadata_of_tomorrow", isSafeToRepeat: true)
    transport.answer(route, .error(.path(.notFound)))
    _ = try? await client.call(route, .init(path: "/a"))
    print("called: \(transport.requests.map(\.route))")
}
